#!/usr/bin/env bash
# Installs what a build or the tests need and this machine lacks. Safe to run again: what is there is left alone,
# and a machine that has everything passes in a few milliseconds.
#
#   third_party/z3   the solver: library and headers out of the PyPI wheel (an ignored folder)
#   gcc-multilib     32-bit programs for the comparison with gcc      (Debian package, optional)
#   csmith           random C programs for the same comparison        (Debian package, optional)
#
# Optional packages are installed when this runs as root on a system with apt-get, otherwise only named.
set -euo pipefail
cd "$(dirname "$0")/.."

Z3_VERSION=5.3.2
# Of the wheels with that version: x86_64 and aarch64 with glibc, then the same two of macOS. Whatever else is offered is not installed.
Z3_HASHES=(
    f17df07300228a383470d4b4e1ad9daf429dc94885996712a1844a8242803935
    b8add6becdc222090b78d4bd5300b6a212d5ecfb0e3eadb1df008b43ddef8602
    27f1b0e6333b8b1d57653ef7db34fc9901ed2983b0cb9fb1efd27840e5ea880a
    ac0c1457a8e7a487470386af5f60d6fef7c10db40004647fcfa7dc6e6ccec190
)
MINIMAL_RUST=1.95

say() { printf 'setup: %s\n' "$*"; }
warn() { printf 'setup: warning: %s\n' "$*" >&2; }

require_rust() {
    if ! command -v cargo >/dev/null; then
        warn "cargo is missing: install Rust $MINIMAL_RUST or newer with rustup, then run this again"
        exit 1
    fi
    local have
    have=$(rustc --version | cut -d' ' -f2)
    if [ "$(printf '%s\n%s\n' "$MINIMAL_RUST" "${have%%-*}" | sort -V | head -n1)" != "$MINIMAL_RUST" ]; then
        warn "rustc $have is older than $MINIMAL_RUST: run 'rustup update stable'"
        exit 1
    fi
}

apt_updated=no
# apt_install COMMAND-OR-TEST PACKAGE... : installs the packages if this is possible here.
apt_install() {
    command -v apt-get >/dev/null && [ "$(id -u)" = 0 ] || return 1
    if [ "$apt_updated" = no ]; then
        apt-get update -qq >/dev/null 2>&1 || return 1
        apt_updated=yes
    fi
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" >/dev/null 2>&1
}

require_compiler() {
    command -v gcc >/dev/null && return
    say "installing gcc (the preprocessor, and the linker of Rust)"
    apt_install gcc libc6-dev || warn "gcc is missing: C files with #include cannot be preprocessed without it"
}

# The headers of a 32-bit program are the part that fails when multilib is missing.
has_multilib() { printf '#include <stdlib.h>\n' | gcc -m32 -E -x c - >/dev/null 2>&1; }

optional_packages() {
    if command -v gcc >/dev/null && ! has_multilib; then
        say "installing gcc-multilib (comparison of 32-bit programs with gcc)"
        apt_install gcc-multilib || warn "gcc-multilib is missing: comparisons with 'gcc -m32' are skipped"
    fi
    if ! command -v csmith >/dev/null; then
        say "installing csmith (random programs for the comparison with gcc)"
        apt_install csmith libcsmith-dev || warn "csmith is missing: its tests are skipped"
    fi
}

install_z3() {
    [ "$(cat third_party/z3/VERSION 2>/dev/null)" = "$Z3_VERSION" ] && return
    if ! command -v python3 >/dev/null || ! python3 -m pip --version >/dev/null 2>&1; then
        apt_install python3 python3-pip || true
    fi
    say "installing Z3 $Z3_VERSION into third_party/z3"
    local unpacked
    unpacked=$(mktemp -d)
    # shellcheck disable=SC2064  # the folder of this call, not of the trap's time
    trap "rm -rf '$unpacked'" EXIT
    { printf 'z3-solver==%s' "$Z3_VERSION" && printf ' --hash=sha256:%s' "${Z3_HASHES[@]}"; } >"$unpacked/wanted"
    if ! python3 -m pip install --quiet --disable-pip-version-check --root-user-action=ignore --no-deps \
        --only-binary=:all: --require-hashes --target "$unpacked" -r "$unpacked/wanted"; then
        warn "Z3 could not be installed: python3 with pip and a connection are needed, and a wheel with one of the hashes in"
        warn "scripts/setup.sh for this machine. Alternatively put libz3.so (and a copy as libz3.so.${Z3_VERSION%.*}) of"
        warn "version $Z3_VERSION into third_party/z3/lib and write '$Z3_VERSION' into third_party/z3/VERSION."
        exit 1
    fi
    rm -rf third_party/z3
    mkdir -p third_party/z3
    mv "$unpacked/z3/lib" "$unpacked/z3/include" third_party/z3/
    printf '%s\n' "$Z3_VERSION" >third_party/z3/VERSION
}

require_rust
require_compiler
optional_packages
install_z3
