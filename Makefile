# `make demo` shows what replaylab does; `make test` proves it. Both build their own environment in .venv: the demo takes
# what recording and replaying need, each target of EXTRAS adds what some commands need besides, and `make test` everything.
# No recipe uses an absolute path or a shell variable unquoted, so any folder will do, spaces and all.

SHELL := /bin/sh
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory
# Two recipes may not install into one environment at once.
.NOTPARALLEL:

BIN := .venv/bin
# One for each set of packages. They change when what must be installed changes, so the network is needed once.
BASE := .venv/.ready
ALL := .venv/.ready-test
EXTRAS := stats sign capture vcr mcp scan parquet
READY := $(BASE) $(ALL) $(EXTRAS:%=.venv/.ready-%)

.PHONY: help demo $(EXTRAS) clients test lint soak real bench solvability oracle clean

help:
	@echo "make demo    record three shipped scenarios with built-in models, replay them offline"
	@echo "             (the first command also makes .venv: a minute or two, and the network)"
	@echo "make stats   also install what tables need: numpy, scipy, statsmodels, matplotlib"
	@echo "make sign    also install what signatures need: cryptography"
	@echo "make capture also install what capture and proxy need: uvicorn, brotli"
	@echo "make vcr     also install what capture --patch and suites of vcrpy need: vcrpy"
	@echo "make mcp     also install what env serve and agents that are programs need: mcp"
	@echo "make scan    also install what replaylab scan needs: detect-secrets"
	@echo "make parquet also install what export parquet needs: pyarrow"
	@echo "make clients set up other vendors' and older clients in build/clients, so that the tests drive the proxy with them"
	@echo "make test    linters, types and tests (under ten minutes)"
	@echo "make lint    linters and types alone"
	@echo "make soak    the long proofs and the benchmark"
	@echo "make bench   replay speed beside vcrpy, what recording and the proxy cost, written to reports/"
	@echo "make solvability  which tasks are solved, and by whom, written to reports/"
	@echo "make real    record with a small real LLM on this machine (sets it up in its own environment)"
	@echo "make oracle  set up Inspect AI in build/oracle, so that the tests compare statistics with its"
	@echo "make clean   remove everything that these commands made"

# A folder that was moved or copied: the scripts in .venv name the old place.
ifneq ($(shell cat .venv/.place 2>/dev/null),$(CURDIR))
.PHONY: $(READY)
endif

$(READY): pyproject.toml constraints.txt tools/venv.sh
	@sh tools/venv.sh $@

demo: $(BASE)
	@$(BIN)/python tools/demo.py

stats: .venv/.ready-stats

sign: .venv/.ready-sign

capture: .venv/.ready-capture

vcr: .venv/.ready-vcr

mcp: .venv/.ready-mcp

scan: .venv/.ready-scan

parquet: .venv/.ready-parquet

lint: $(ALL)
	@echo "layers, style, types"
	@$(BIN)/lint-imports --no-logo
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/python tools/tidy.py

test: lint
	@$(BIN)/python -m pytest -n 2

soak: $(ALL)
	@$(BIN)/python -m pytest -m soak
	@$(BIN)/python -m tools.bench_replay

solvability: $(ALL)
	@$(BIN)/python -m tools.solvability

bench: $(ALL)
	@$(BIN)/python -m tools.bench_replay
	@$(BIN)/python -m tools.bench_record
	@$(BIN)/python -m tools.bench_proxy

real: $(BASE)
	@$(BIN)/python tools/real.py

build/oracle/.ready: tools/oracle.sh tools/oracle.txt | $(BASE)
	@sh tools/oracle.sh

oracle: build/oracle/.ready

build/clients/.ready: tools/clients.sh tools/clients.txt tools/clients-openai1.txt | $(BASE)
	@sh tools/clients.sh

clients: build/clients/.ready

clean:
	@rm -rf .venv build dist .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .hypothesis
	@find . -name __pycache__ -type d -not -path "./.git/*" -prune -exec rm -rf {} +
