# Every target makes what it needs: .venv with the pinned requirements first of all.
PYTHON ?= python3
# By its full name, because .venv comes first on the PATH below.
BASE := $(or $(shell command -v $(PYTHON) 2>/dev/null),$(PYTHON))
TORCH := torch==2.13.0
# Without an NVIDIA card the build for CPUs is enough; where that index cannot be reached, PyPI's is taken.
CPU_INDEX := --extra-index-url https://download.pytorch.org/whl/cpu --retries 0
TORCH_INDEX := $(shell command -v nvidia-smi >/dev/null 2>&1 || echo '$(CPU_INDEX)')

VENV := .venv
PIP := $(VENV)/bin/python -m pip install --disable-pip-version-check --quiet
RUN := $(VENV)/.installed
DEV := $(VENV)/.installed-dev
SEEN_FAILING := { echo "make: the installation failed: is PyPI within reach? What was installed so far is kept; run make again." >&2; exit 1; }
export PATH := $(CURDIR)/$(VENV)/bin:$(PATH)

.DEFAULT_GOAL := help
.PHONY: help repro test lint format smoke tiny clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "make %-8s %s\n", $$1, $$2}' $(firstword $(MAKEFILE_LIST))

repro: $(RUN) ## build everything that is not up to date, from data to results table
	dvc repro

test: $(DEV) ## run the tests
	python -m pytest

lint: $(DEV) ## check form, style and types
	ruff format --check
	ruff check
	mypy tablecoder stages
	python tools/deps.py --check

format: $(DEV) ## bring the code into form and the deps in dvc.yaml up to date
	ruff format
	ruff check --fix
	python tools/deps.py

smoke: $(RUN) ## without a model: data, sandbox, reward and verifier agree on every family
	python -m tablecoder.smoke

tiny: $(RUN) ## the whole pipeline on the tiny profile, in a scratch copy
	bash tools/tiny.sh

clean: ## remove checkpoints of interrupted runs and caches of tools; results and .venv stay
	rm -rf .ckpt .pytest_cache .ruff_cache .mypy_cache .hypothesis dvc_plots
	find stages tablecoder tests tools -name __pycache__ -prune -exec rm -rf {} +

# The stamps are written last, so an interrupted installation goes on where it stopped.
$(RUN): requirements.txt Makefile
	@$(BASE) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || \
	  { echo "make: needs Python 3.11 or newer; $(PYTHON) is: $$($(BASE) --version 2>&1). Name another one: make PYTHON=python3.12 …" >&2; exit 1; }
	@echo "Installing into $(VENV) (minutes the first time) …"
	@$(VENV)/bin/python -m pip --version >/dev/null 2>&1 || $(BASE) -m venv --clear $(VENV) || \
	  { echo "make: no virtual environment could be made with $(BASE) (on Debian: apt install python3-venv)" >&2; exit 1; }
	@$(PIP) $(TORCH) $(TORCH_INDEX) || $(SEEN_FAILING)
	@$(PIP) -r requirements.txt || $(SEEN_FAILING)
	@touch $@

$(DEV): $(RUN) requirements-dev.txt
	@$(PIP) -r requirements-dev.txt || $(SEEN_FAILING)
	@touch $@
