# Every target works alone on a fresh machine with Python 3.11 or newer: it
# creates .venv and installs what it needs, pinned by constraints.txt.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
PIP    := $(BIN)/python -m pip install --quiet --disable-pip-version-check \
	--constraint constraints.txt

.PHONY: run test test-ext lint format docs paper bench clean

run: $(VENV)/.run
	$(BIN)/pyg-cagp quickstart

# A process for every core, up to four, and one thread in each: threads of two
# processes on the same cores wait for each other longer than they work.
test: $(VENV)/.dev
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest --numprocesses logical \
	--maxprocesses 4 --dist loadfile --cov --cov-report=term:skip-covered

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

format: $(VENV)/.dev
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

# The pages show the figures of the committed records. A warning of sphinx is
# an error.
docs: $(VENV)/.docs
	$(BIN)/python -m benchmark.paper tables --check
	$(BIN)/python docs/check_tables.py
	$(BIN)/sphinx-build -q -W --keep-going -b html docs docs/_build/html
	@echo docs/_build/html/index.html

# Every table of the paper takes hours; `make paper ARGS=--quick` takes minutes.
paper: $(VENV)/.paper
	$(BIN)/python -m benchmark.paper run $(ARGS)

# torch-scatter and torch-sparse have no wheels for every torch: both are
# compiled against the torch in .venv (about 15 minutes on two cores).
test-ext: $(VENV)/.ext
	$(BIN)/python -m pytest -m ext

bench: $(VENV)/.dev
	$(BIN)/python benchmark/speed/coverage.py

$(BIN)/python:
	$(PYTHON) -c 'import sys; assert sys.version_info >= (3, 11), \
	"Python 3.11 or newer is needed, got " + sys.version.split()[0]'
	$(PYTHON) -m venv $(VENV)

$(VENV)/.run: $(BIN)/python pyproject.toml constraints.txt
	$(PIP) --editable '.[plot]'
	touch $@

$(VENV)/.dev: $(BIN)/python pyproject.toml constraints.txt
	$(PIP) --editable '.[dev]'
	touch $@ $(VENV)/.run

$(VENV)/.docs: $(BIN)/python pyproject.toml constraints.txt
	$(PIP) --editable '.[docs,paper,plot]'
	touch $@ $(VENV)/.run

$(VENV)/.paper: $(BIN)/python pyproject.toml constraints.txt
	$(PIP) --editable '.[paper]'
	touch $@ $(VENV)/.run

$(VENV)/.ext: $(VENV)/.dev
	$(PIP) setuptools wheel
	$(PIP) --no-build-isolation torch-scatter torch-sparse
	touch $@

clean:
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis .coverage*
	rm -rf docs/_build docs/reference/api
