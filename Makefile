# `make demo` shows what replaylab does; `make test` proves it. Both build their own environment in .venv.
# No recipe uses an absolute path or a shell variable unquoted, so any folder will do, spaces and all.

SHELL := /bin/sh
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory

BIN := .venv/bin
# Changes when what must be installed changes, so the network is needed once.
STAMP := .venv/.ready

.PHONY: help demo test lint soak real bench solvability clean

help:
	@echo "make demo    record three shipped scenarios with built-in models, replay them offline"
	@echo "             (the first command also makes .venv: a minute or two, and the network)"
	@echo "make test    linters, types and tests (under ten minutes)"
	@echo "make lint    linters and types alone"
	@echo "make soak    the long proofs and the benchmark"
	@echo "make bench   replay speed beside vcrpy, written to reports/"
	@echo "make solvability  which tasks are solved, and by whom, written to reports/"
	@echo "make real    record with a small real LLM on this machine (sets it up in its own environment)"
	@echo "make clean   remove everything that these commands made"

# A folder that was moved or copied: the scripts in .venv name the old place.
ifneq ($(shell cat .venv/.place 2>/dev/null),$(CURDIR))
.PHONY: $(STAMP)
endif

$(STAMP): pyproject.toml constraints.txt tools/venv.sh
	@sh tools/venv.sh

demo: $(STAMP)
	@$(BIN)/python tools/demo.py

lint: $(STAMP)
	@echo "layers, style, types"
	@$(BIN)/lint-imports --no-logo
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/python tools/tidy.py

test: lint
	@$(BIN)/python -m pytest -n 2

soak: $(STAMP)
	@$(BIN)/python -m pytest -m soak
	@$(BIN)/python -m tools.bench_replay

solvability: $(STAMP)
	@$(BIN)/python -m tools.solvability

bench: $(STAMP)
	@$(BIN)/python -m tools.bench_replay
	@$(BIN)/python -m tools.bench_record

real: $(STAMP)
	@$(BIN)/python tools/real.py

clean:
	@rm -rf .venv build dist .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .hypothesis
	@find . -name __pycache__ -type d -not -path "./.git/*" -prune -exec rm -rf {} +
