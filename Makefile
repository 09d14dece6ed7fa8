# Everything is run in a local virtual environment; `make` alone says what there is.
PYTHON ?= python3
VENV := .venv
PY := $(VENV)/bin/python
TORCH := torch==2.13.0
TORCHWISE := $(VENV)/bin/torchwise
FUZZ_S ?= 1800

# A stamp stands for a finished step: it is made last, so an interrupted set-up starts that step again.
MADE := $(VENV)/.made
TORCH_INSTALLED := $(VENV)/.installed-$(TORCH)
INSTALLED := $(VENV)/.installed

.DEFAULT_GOAL := help
.PHONY: help setup demo test check pytest format gen lock site bench corpus rivals truth fuzz clean

help:  ## show this list
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 15

setup: $(INSTALLED)  ## make the virtual environment, with torch for the CPU

$(MADE):
	$(PYTHON) -c 'import sys; assert sys.version_info >= (3, 11), "Python 3.11 or newer is needed; say which with PYTHON="'
	$(PYTHON) -m venv $(VENV)
	@touch $@

# By name and version, and before the rest: with torch there, no other requirement fetches a CUDA build.
$(TORCH_INSTALLED): $(MADE)
	$(PY) -m pip install --quiet --disable-pip-version-check $(TORCH)
	@touch $@

# As pinned, hash by hash; what an editable install is built with is among it.
$(INSTALLED): $(TORCH_INSTALLED) pyproject.toml release/development.txt
	$(PY) -m pip install --quiet --disable-pip-version-check --require-hashes --requirement release/development.txt
	$(PY) -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@touch $@

demo: setup  ## check the demo project, its planted faults and its mended twin, and open it in JupyterLab
	@echo "demo/faulty, with a dozen planted faults:"
	@$(TORCHWISE) check demo/faulty --isolated --no-cache --exit-zero
	@echo "demo/mended, the same project without them:"
	@$(TORCHWISE) check demo/mended --isolated --no-cache
	@if command -v npm >/dev/null; then $(MAKE) --no-print-directory lab && $(PY) demo/open_lab.py; \
	else echo "The extension of JupyterLab is built with npm, which is not here."; fi

test: setup check pytest  ## all checks and tests, as CI runs them

check: setup  ## format, lint, types, layers, generated files
	$(PY) -m ruff format --check .
	$(PY) -m ruff check .
	$(PY) -m mypy
	$(VENV)/bin/lint-imports --no-logo
	$(PY) -m torchwise.facts.generate --check
	$(PY) -m torchwise.report.pages --check
	$(PY) -m torchwise.lsp.protocol_pages --check
	$(PY) -m tests.lessons.coverage --check
	$(PY) -m release.versions --check
	$(PY) -m release.locks --check

pytest: setup
	$(PY) -m pytest -n 2 --dist loadfile

format: setup  ## format and sort imports in place
	$(PY) -m ruff format .
	$(PY) -m ruff check --fix-only .

gen: setup  ## write all generated files anew
	$(PY) -m torchwise.facts.generate
	$(PY) -m torchwise.report.pages
	$(PY) -m torchwise.lsp.protocol_pages
	$(PY) -m tests.lessons.coverage
	$(PY) -m release.versions

lock: setup  ## pin anew the packages that we install and bundle, with their hashes
	$(PY) -m pip install --quiet --disable-pip-version-check uv==0.13.9
	$(PY) -m release.locks

site: setup  ## write the site to .site/html: lessons, rules, notes, docs
	$(PY) -m website

bench: setup  ## measure the budgets, and write docs/benchmarks.md
	$(PY) -m bench

corpus: setup  ## check pinned packages and compare with the reviewed findings
	$(PY) -m corpus

rivals: setup  ## fetch Pyrefly and its torch stubs, to be measured beside (python -m bench.rivals)
	$(PY) -m pip install --quiet --disable-pip-version-check --no-deps --upgrade --target .rivals \
		pyrefly==1.4.0 pyrefly-torch-stubs==1.4.0 pyrefly-shape-extensions==1.4.0

truth: setup  ## predicted graph breaks beside those that Dynamo makes, program by program
	$(PY) -m tests.truth

fuzz: setup  ## hunt for crashes, wrong places and broken texts, FUZZ_S seconds (1800) with each fuzzer
	$(PY) -m pip install --quiet --disable-pip-version-check "atheris>=3.0"
	nice $(PY) -m fuzz.guided all --seconds $(FUZZ_S)
	nice $(PY) -m fuzz.drawn all --seconds $(FUZZ_S)

clean:  ## remove what was built or fetched, the virtual environment too
	rm -rf $(VENV) .corpus .fuzz .site .rivals .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache dist build
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

include vscode-extension/vscode.mk
include lab-extension/lab.mk
include release/release.mk
