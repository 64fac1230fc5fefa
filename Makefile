# Everything happens in .venv, which is made from nothing but Python 3.11 or newer.

PYTHON ?= $(shell for p in python3 python3.14 python3.13 python3.12 python3.11; do \
	if command -v $$p >/dev/null 2>&1 && $$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; \
	then echo $$p; break; fi; done)
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

.PHONY: demo test agents lint bench clean

demo: $(READY)
	@$(BIN)/recall demo

test: $(READY)
	$(BIN)/python -m pytest --numprocesses logical --maxprocesses 8 --dist loadfile

# The agents' command lines, for the tests that run them: 1.2 GB into .agents, once.
agents: $(READY)
	@$(BIN)/python tests/agents/install.py

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/mypy --strict

bench: $(READY)
	$(BIN)/python -m tests.benchmarks

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .hypothesis

$(READY): pyproject.toml
	@test -n "$(PYTHON)" || { \
		echo "recalld needs Python 3.11 or newer: install it, or name it: make PYTHON=/path/to/python3" >&2; exit 1; }
	@echo "setting up $(VENV)"
	@$(PYTHON) -m venv --clear $(VENV)
	@$(BIN)/pip install --quiet --disable-pip-version-check -e '.[dev]'
	@touch $@
