# The commands of this project. All install what is missing first (scripts/setup.sh) and build in release mode;
# after any of them plain `cargo build` and `cargo test` work too.
#
#   make demo                    build Summa and let it find the bug in examples/withdraw.c
#   make test                    build Summa and run the whole test suite
#   make install PREFIX=/usr     build Summa and copy it with its solver below a folder (/usr/local without PREFIX)

.DEFAULT_GOAL := demo
SUMMA := $(or $(CARGO_TARGET_DIR),target)/release/summa
PREFIX ?= /usr/local
.PHONY: demo test install setup

demo: setup
	cargo build --release -p summa-cli
	@echo
	@echo '$$ summa verify examples/withdraw.c'
	@$(SUMMA) verify examples/withdraw.c; \
	code=$$?; echo; echo "(exit code $$code: 0 is TRUE, 10 is FALSE, 5 is UNKNOWN)"; test $$code -eq 10

test: setup
	cargo test --release --workspace

# The program looks for its solver in ../lib/summa from where it is, so the folder can be moved, and needs this one no more.
install: setup
	cargo build --release -p summa-cli
	scripts/install.sh "$(SUMMA)" "$(DESTDIR)$(PREFIX)"

setup:
	@scripts/setup.sh
