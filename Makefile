# run, deploy, test, check, bench: each makes .venv first, and is quick when it already stands.
VENV := .venv
BIN := $(VENV)/bin
PYTHON ?= python3
PIP := $(BIN)/python -m pip --disable-pip-version-check
SOURCES := pyproject.toml constraints.txt

.PHONY: run deploy test check bench format clean

run: $(VENV)/app.stamp
	@$(BIN)/python -m app

deploy: $(VENV)/deploy.stamp
	@echo "Next: $(BIN)/python -m deploy check"

# Two processes: with more, the browsers of two cores are too slow for their tests.
test: $(VENV)/test.stamp
	@sh tests/browser/chromium.sh
	@sh tests/store/postgresql.sh
	@sh tests/export/curl.sh
	@$(BIN)/python -m pytest --numprocesses 2 --dist loadfile --no-loadscope-reorder

check: $(VENV)/check.stamp
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

bench: $(VENV)/test.stamp
	@sh tests/browser/chromium.sh
	@$(BIN)/python -m tests.benchmarks

format: $(VENV)/check.stamp
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

clean:
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "Python 3.11 or newer is needed. Install it, or name one: make PYTHON=python3.12 $(MAKECMDGOALS)"; exit 1; }
	@$(PYTHON) -m venv $(VENV) \
	  || { rm -rf $(VENV); echo "Python cannot make virtual environments: install its venv module (Debian: apt install python3-venv)."; exit 1; }

$(VENV)/app.stamp: $(SOURCES) | $(BIN)/python
	@echo "Installing the app into $(VENV) ..."
	@$(PIP) install --quiet --constraint constraints.txt --editable .
	@touch $@

$(VENV)/deploy.stamp: $(SOURCES) | $(BIN)/python
	@echo "Installing the app and what deploy needs into $(VENV) ..."
	@$(PIP) install --quiet --constraint constraints.txt --editable '.[deploy]'
	@touch $@ $(VENV)/app.stamp

$(VENV)/test.stamp: $(SOURCES) | $(BIN)/python
	@echo "Installing the app and its tests into $(VENV) ..."
	@$(PIP) install --quiet --constraint constraints.txt --editable '.[test]'
	@touch $@ $(VENV)/app.stamp $(VENV)/deploy.stamp

$(VENV)/check.stamp: $(SOURCES) | $(BIN)/python
	@echo "Installing the checks into $(VENV) ..."
	@$(PIP) install --quiet --constraint constraints.txt --editable '.[check]'
	@touch $@
