# The two commands of this project. Both install what is missing first (scripts/setup.sh) and build in release mode;
# after either of them plain `cargo build` and `cargo test` work too.
#
#   make demo    build Summa and let it find the bug in examples/withdraw.c
#   make test    build Summa and run the whole test suite

.DEFAULT_GOAL := demo
SUMMA := $(or $(CARGO_TARGET_DIR),target)/release/summa
.PHONY: demo test setup

demo: setup
	cargo build --release -p summa-cli
	@echo
	@echo '$$ summa verify examples/withdraw.c'
	@$(SUMMA) verify examples/withdraw.c; \
	code=$$?; echo; echo "(exit code $$code: 0 is TRUE, 10 is FALSE, 5 is UNKNOWN)"; test $$code -eq 10

test: setup
	cargo test --release --workspace

setup:
	@scripts/setup.sh
