#!/usr/bin/env python3
"""Does Summa read real C? Fetches thirteen libraries, and reports which of their files it reads and which programs link.

    scripts/real_c.py FOLDER [--only NAME,NAME] [--jobs N] [--no-link] [--list]

FOLDER is a scratch folder for the sources (about 200 MB); nothing of it is ever committed. Sources come from the package manager of
Debian (`apt-get source --download-only`, with a list of sources of its own that is derived from the machine's, so that nothing of the
machine changes) and from `cargo vendor`. What is there already is not fetched again. Where there is no apt, unpack the sources into
FOLDER/work/NAME by hand.

A file counts if `gcc -fsyntax-only` accepts it with the same options. It is read if `summa cfa` shows its automata. A compilation
database of the files that count is written beside the sources; `link` says whether `summa verify` gets as far as deciding the program
that starts in the named file. `--list` shows the first error of each file that is not read. Exit status: 0 if at least 98 % are read
and everything links that should.
"""
import argparse
import collections
import json
import os
import re
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BAR = 0.98
# Most files have no `main`: a second one has the function where the program starts.
START = "summa_starts_here"
# Exit codes of Summa that mean that there was no program to decide: bad usage, bad input, a bug.
NO_PROGRAM = {2: "usage", 6: "input", 70: "internal error"}


@dataclass
class Library:
    name: str
    package: str
    """Of Debian; `crate:NAME` for one of Rust."""
    globs: list
    options: list = field(default_factory=list)
    write: dict = field(default_factory=dict)
    """Headers that a configuration would make, with their text."""
    prepare: list = field(default_factory=list)
    """Commands that make headers."""
    link: list = field(default_factory=list)
    """Programs of the database that must link: the files that choose each."""


EXPAT_CONFIG = """#define HAVE_ARC4RANDOM_BUF 0
#define HAVE_GETRANDOM 1
#define HAVE_MMAP 1
#define HAVE_UNISTD_H 1
#define HAVE_FCNTL_H 1
#define HAVE_SYS_STAT_H 1
#define BYTEORDER 1234
#define XML_CONTEXT_BYTES 1024
#define XML_DTD 1
#define XML_NS 1
#define XML_DEV_URANDOM 1
#define PACKAGE_STRING "expat"
"""
YAML_VERSION = [f"-DYAML_VERSION_{name}={value}" for name, value in
                (("MAJOR", 0), ("MINOR", 2), ("PATCH", 5), ("STRING", '"0.2.5"'))]
BUSYBOX = ["-std=gnu99", "-Iinclude", "-Ilibbb", "-include", "include/autoconf.h", "-D_GNU_SOURCE", "-DNDEBUG",
           "-D_LARGEFILE_SOURCE", "-D_LARGEFILE64_SOURCE", "-D_FILE_OFFSET_BITS=64", '-DBB_VER="1"', "-D_TIME_BITS=64",
           "-Wall", "-Wno-format-security", "-fno-builtin-strlen", "-finline-limit=0", "-fomit-frame-pointer",
           "-ffunction-sections", "-fdata-sections", "-fno-guess-branch-probability", "-funsigned-char",
           "-static-libgcc", "-falign-functions=1", "-fno-unwind-tables", "-fno-asynchronous-unwind-tables",
           "-fno-builtin-printf", "-Os", '-DKBUILD_BASENAME="x"', '-DKBUILD_MODNAME="x"']
LARGE = "-D_FILE_OFFSET_BITS=64"

LIBRARIES = [
    Library("bzip2", "bzip2", ["*.c"], ["-Wall", "-Winline", "-O2", "-g", LARGE],
            link=[["bzip2.c"], ["bzip2recover.c"]]),
    Library("cjson", "cjson", ["**/*.c"], ["-std=c89", "-pedantic", "-Wall", "-I.", "-Itests", "-Itests/unity/src"],
            link=[["test.c"]]),
    Library("expat", "expat", ["expat/**/*.c"],
            ["-DHAVE_EXPAT_CONFIG_H", "-DXML_ENABLE_VISIBILITY=1", "-Iexpat", "-Iexpat/lib", "-fno-strict-aliasing", "-O2"],
            write={"expat/expat_config.h": EXPAT_CONFIG}),
    Library("http-parser", "http-parser", ["**/*.c"], ["-I.", "-Wall", "-Wextra", "-O0", "-DHTTP_PARSER_STRICT=1"]),
    Library("libyaml", "libyaml", ["src/*.c", "tests/*.c", "examples/*.c"], ["-Iinclude", "-Isrc", *YAML_VERSION],
            link=[["tests/run-parser.c"], ["tests/run-emitter.c"]]),
    Library("lua", "lua5.4", ["src/*.c"], ["-std=gnu99", "-O2", "-DLUA_COMPAT_5_3", "-DLUA_USE_LINUX"],
            link=[["src/lua.c"], ["src/luac.c"]]),
    Library("lwip", "lwip", ["src/**/*.c"], ["-Isrc/include", "-Itest/unit", "-Iport"],
            write={"port/arch/cc.h": "#include <stdlib.h>\n#define LWIP_RAND() ((unsigned)rand())\n",
                   "port/lwipcfg.h": ""}),
    Library("lz4", "lz4", ["**/*.c"], ["-Ilib", "-Iprograms", "-O3", "-DXXH_NAMESPACE=LZ4_"],
            link=[["programs/lz4cli.c"], ["examples/simple_buffer.c"]]),
    Library("mbedtls", "mbedtls", ["library/*.c", "programs/**/*.c", "3rdparty/**/*.c", "tests/src/**/*.c"],
            ["-Iinclude", "-Ilibrary", "-Itests/include", "-I3rdparty/everest/include",
             "-I3rdparty/everest/include/everest", "-I3rdparty/everest/include/everest/kremlib"]),
    Library("sqlite", "crate:libsqlite3-sys", ["sqlite3/*.c"], ["-Isqlite3", "-DSQLITE_THREADSAFE=1"]),
    Library("sqlite-extensions", "sqlite3", ["ext/misc/*.c", "ext/rtree/*.c", "ext/session/*.c"],
            ["-I../sqlite/sqlite3", "-Isrc", "-Iext/rtree", "-Iext/session"]),
    Library("xxhash", "xxhash", ["**/*.c"], ["-I.", "-Icli", "-O3"]),
    Library("zlib", "zlib", ["*.c", "contrib/**/*.c", "test/*.c", "examples/*.c"],
            ["-I.", "-D_LARGEFILE64_SOURCE=1", "-DHAVE_UNISTD_H", "-DHAVE_STDARG_H", "-O3"]),
    Library("busybox", "busybox", ["**/*.c"], BUSYBOX,
            prepare=[["make", "defconfig"], ["make", "applets/applets.o"]]),
]


def run(command, folder=None, timeout=600, **more):
    try:
        return subprocess.run(command, cwd=folder, capture_output=True, text=True, errors="replace", timeout=timeout,
                              stdin=subprocess.DEVNULL, **more)
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(command, 124, "", "time-out")


# ---- fetching ----

def apt_settings(folder):
    """A list of sources for apt that names the machine's own archives, with `deb-src` for `deb`."""
    state = folder / "apt"
    for part in ("lists/partial", "cache/archives/partial"):
        (state / part).mkdir(parents=True, exist_ok=True)
    (state / "parts").mkdir(exist_ok=True)
    lines = []
    for file in [Path("/etc/apt/sources.list"), *sorted(Path("/etc/apt/sources.list.d").glob("*"))]:
        text = file.read_text() if file.is_file() else ""
        if file.suffix == ".sources":
            (state / "parts" / file.name).write_text(re.sub(r"(?m)^Types:.*", "Types: deb-src", text))
        else:
            lines += [re.sub(r"^deb(-src)?\b", "deb-src", line) for line in text.splitlines() if line.startswith("deb")]
    (state / "sources.list").write_text("\n".join(sorted(set(lines))) + "\n")
    config = state / "apt.conf"
    config.write_text(f'Dir::Etc::sourcelist "{state}/sources.list";\nDir::Etc::sourceparts "{state}/parts";\n'
                      f'Dir::State::lists "{state}/lists";\nDir::Cache "{state}/cache";\nAPT::Sandbox::User "root";\n')
    return {**os.environ, "APT_CONFIG": str(config)}


def fetch_debian(libraries, folder):
    archives = folder / "archives"
    archives.mkdir(exist_ok=True)
    environment = apt_settings(folder)
    if any(not list(archives.glob(f"{library.package}_*.orig.tar.*")) for library in libraries):
        run(["apt-get", "update"], archives, env=environment)
    for library in libraries:
        if not list(archives.glob(f"{library.package}_*.orig.tar.*")):
            done = run(["apt-get", "source", "--download-only", library.package], archives, env=environment)
            if done.returncode:
                print(f"{library.name}: cannot fetch: {(done.stderr.strip() or '?').splitlines()[-1]}")
                continue
        target = folder / "work" / library.name
        target.mkdir(parents=True, exist_ok=True)
        for archive in sorted(archives.glob(f"{library.package}_*.orig.tar.*")):
            if not archive.name.endswith(".asc"):
                run(["tar", "xf", archive, "-C", target, "--strip-components=1"])


def fetch_crate(library, folder):
    name = library.package.partition(":")[2]
    project = folder / "crates" / name
    project.mkdir(parents=True, exist_ok=True)
    (project / "lib.rs").write_text("")
    (project / "Cargo.toml").write_text(
        f'[package]\nname = "fetch"\nversion = "0.0.0"\n[lib]\npath = "lib.rs"\n[dependencies]\n{name} = "*"\n[workspace]\n')
    done = run(["cargo", "vendor", "vendor"], project)
    if done.returncode:
        print(f"{library.name}: cannot fetch: {done.stderr.strip().splitlines()[-1]}")
        return
    shutil.copytree(project / "vendor" / name, folder / "work" / library.name, dirs_exist_ok=True)


def fetch(libraries, folder):
    missing = [library for library in libraries if not (folder / "work" / library.name).is_dir()]
    crates = [library for library in missing if library.package.startswith("crate:")]
    debian = [library for library in missing if library not in crates]
    if debian:
        fetch_debian(debian, folder)
    for library in crates:
        fetch_crate(library, folder)


def configure(library, folder):
    done = folder / ".configured"
    if done.exists():
        return
    for name, text in library.write.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    for command in library.prepare:
        run(command, folder, timeout=1800)
    done.write_text("")


# ---- reading ----

def first_error(output):
    for line in output.splitlines():
        if re.match(r"(\S+: )?(error|Error|internal)\b", line) or ": error: " in line:
            return line.strip()
    return (output.strip().splitlines() or ["no message"])[-1]


def check(summa, library, folder, file):
    """None if gcc rejects the file, "" if it is read, else the first error."""
    if run(["gcc", "-fsyntax-only", "-w", *library.options, str(file)], folder).returncode:
        return None
    done = run([summa, "cfa", *library.options, "--entry", START, str(file), str(folder.parent / "start.c")], folder, timeout=300)
    return "" if done.returncode == 0 else f"[{done.returncode}] " + first_error(done.stderr + done.stdout[-300:])


def kind(error):
    """An error without the names in it, to count how many files it stops."""
    error = re.sub(r"^.*?error(\[\w+\])?: ", "", error)
    return re.sub(r"`[^`]*`", "`…`", re.sub(r"\d+", "N", error))


def links(summa, library, folder):
    """For each program that must link: None, or what stopped it."""
    for words in library.link:
        done = run([summa, "verify", "--time-limit", "3s", "compile_commands.json", *words],
                   folder, timeout=600)
        wrong = done.returncode if done.returncode in (*NO_PROGRAM, 101, 124) or done.returncode < 0 else None
        yield words[0], wrong and f"[{done.returncode}] " + first_error(done.stderr + done.stdout)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", default="")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--no-link", action="store_true")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--summa", default=str(ROOT / "target/release/summa"))
    options = parser.parse_args()
    folder = options.folder.resolve()
    (folder / "work").mkdir(parents=True, exist_ok=True)
    (folder / "work" / "start.c").write_text(f"void {START}(void) {{}}\n")
    only = set(filter(None, options.only.split(",")))
    libraries = [library for library in LIBRARIES if not only or library.name in only]
    fetch(libraries, folder)
    total, read, failed, kinds = 0, 0, [], collections.Counter()
    print(f"{'library':18} {'gcc':>5} {'read':>5}")
    for library in libraries:
        work = folder / "work" / library.name
        if not work.is_dir():
            failed.append(f"{library.name} is not there")
            continue
        configure(library, work)
        files = sorted({path.relative_to(work) for glob in library.globs for path in work.glob(glob)})
        with ThreadPoolExecutor(options.jobs) as pool:
            results = list(pool.map(lambda file: check(options.summa, library, work, file), files))
        errors = [(file, error) for file, error in zip(files, results) if error is not None]
        good = sum(not error for _, error in errors)
        total, read = total + len(errors), read + good
        print(f"{library.name:18} {len(errors):5} {good:5}", flush=True)
        for file, error in errors:
            kinds[kind(error)] += bool(error)
            if error and options.list:
                print(f"    {file}: {error}")
        entries = [{"directory": str(work), "file": str(file), "arguments": ["gcc", *library.options, "-c", str(file)]}
                   for file, _ in errors]
        (work / "compile_commands.json").write_text(json.dumps(entries, indent=1))
        for file, wrong in [] if options.no_link else links(options.summa, library, work):
            print(f"    link {file}: {wrong or 'yes'}", flush=True)
            failed += [f"{library.name}: {file} does not link"] if wrong else []
    share = read / total if total else 0
    print(f"{'all':18} {total:5} {read:5}  {100 * share:.1f} %")
    for error, count in kinds.most_common():
        if error and count:
            print(f"{count:6} × {error}")
    if share < BAR:
        failed.append(f"less than {100 * BAR:.0f} % of the files are read")
    print("\n".join(failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
