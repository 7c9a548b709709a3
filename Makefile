# Everything is installed into .venv by the first verb that needs it.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt
# The build tools are pinned as well, so pip must not fetch its own.
EDITABLE := $(PIP) --no-build-isolation -e
WORKERS ?= 2
SHARE ?= 1
# Small models are fastest with one thread; parallel work is processes.
export OMP_NUM_THREADS ?= 1

.PHONY: setup demo test lint names slow attack bench results data clean

setup: $(VENV)/all
demo: $(VENV)/core
	$(BIN)/python -m mipl.cli.main demo
test: $(VENV)/all
	$(BIN)/python -m pytest -n $(WORKERS) -m "not slow"
lint: $(VENV)/all
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache
names: $(VENV)/core
	$(BIN)/python scripts/public_names.py > names.pyi && mv names.pyi src/mipl/__init__.pyi
slow: $(VENV)/all
	$(BIN)/python -m pytest -n $(WORKERS) -m slow
# Hours: what of the attacks is not done yet; SHARE=0.01 for a hundredth of it.
attack: $(VENV)/all
	$(BIN)/python -m tests.attacks.campaign --share $(SHARE)
bench: $(VENV)/all
	$(BIN)/python -m benchmarks
results: $(VENV)/all
	$(BIN)/python -m tools.results_page
data: $(VENV)/core
	scripts/raw_images.sh "$$($(BIN)/python -c 'from mipl.datasets.places import data_dir as d; print(d())')"
	$(BIN)/python -m mipl.cli.main data build mnist-mipl
	$(BIN)/python -m mipl.cli.main data build fmnist-mipl
clean:
	rm -rf $(VENV) build dist demo .pytest_cache .mypy_cache .ruff_cache \
		.import_linter_cache .hypothesis .coverage

$(VENV)/bin/pip:
	@$(PYTHON) -c "import sys; sys.exit(None if sys.version_info >= (3, 11) else \
		'mipl needs Python 3.11 or later; name one with: make PYTHON=python3.11')"
	$(PYTHON) -m venv $(VENV)
$(VENV)/core: $(VENV)/bin/pip pyproject.toml constraints.txt
	$(PIP) hatchling editables
	$(EDITABLE) ".[plot]"
	touch $@
$(VENV)/all: $(VENV)/core
	$(EDITABLE) ".[ui,plot,tables,vision,gp,cluster,tune,onnx,dev]"
	touch $@
