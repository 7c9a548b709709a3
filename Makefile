# Everything is installed into .venv by the first verb that needs it.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt
WORKERS ?= 2
# Small models are fastest with one thread; parallel work is processes.
export OMP_NUM_THREADS ?= 1

.PHONY: setup demo test lint slow bench data clean

setup: $(VENV)/all
demo: $(VENV)/core
	$(BIN)/python -m mipl.cli.main demo
test: $(VENV)/all
	$(BIN)/python -m pytest -n $(WORKERS) -m "not slow"
lint: $(VENV)/all
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
slow: $(VENV)/all
	$(BIN)/python -m pytest -n $(WORKERS) -m slow
bench: $(VENV)/all
	$(BIN)/python -m benchmarks
data: $(VENV)/core
	scripts/raw_images.sh "$$($(BIN)/python -c 'from mipl.datasets.places import data_dir as d; print(d())')"
	$(BIN)/python -m mipl.cli.main data build mnist-mipl
	$(BIN)/python -m mipl.cli.main data build fmnist-mipl
clean:
	rm -rf $(VENV) build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis demo

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)
$(VENV)/core: $(VENV)/bin/python pyproject.toml constraints.txt
	$(PIP) -e ".[plot]"
	touch $@
$(VENV)/all: $(VENV)/bin/python pyproject.toml constraints.txt
	$(PIP) -e ".[ui,plot,tables,vision,gp,cluster,tune,onnx,dev]"
	touch $@ $(VENV)/core
