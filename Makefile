# Everything is installed into .venv by the first verb that needs it.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check
PIP := $(INSTALL) -c constraints.txt
# The build tools are pinned as well, so pip must not fetch its own.
EDITABLE := $(PIP) --no-build-isolation -e
WORKERS ?= 2
SHARE ?= 1
# The program that judges the contrast and the names of the page.
AXE := 4.14.1
# Small models are fastest with one thread; parallel work is processes.
export OMP_NUM_THREADS ?= 1

.PHONY: setup locked demo test lint names api slow attack bench results docs data dist clean

setup: $(VENV)/all
demo: $(VENV)/core
	$(BIN)/python -m mipl.cli.main demo
test: $(VENV)/all $(VENV)/browser
	$(BIN)/python -m pytest -n $(WORKERS) -m "not slow"
lint: $(VENV)/all
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache
# All of it again, each wheel only if it has the hash that was tested (hashes.txt).
locked: $(VENV)/bin/pip
	$(INSTALL) --require-hashes --only-binary :all: --no-deps -r hashes.txt
	$(EDITABLE) . --no-deps
	touch $(VENV)/core $(VENV)/all
names: $(VENV)/core
	$(BIN)/python scripts/public_names.py > names.pyi && mv names.pyi src/mipl/__init__.pyi
api: $(VENV)/all
	$(BIN)/python scripts/public_api.py > api.txt && mv api.txt tests/public_api.txt
slow: $(VENV)/all $(VENV)/browser
	$(BIN)/python -m pytest -n $(WORKERS) -m slow
# Hours: what of the attacks is not done yet; SHARE=0.01 for a hundredth of it.
attack: $(VENV)/fuzz
	$(BIN)/python -m tests.attacks.campaign --share $(SHARE)
bench: $(VENV)/all
	$(BIN)/python -m benchmarks
results: $(VENV)/all
	$(BIN)/python -m tools.results_page
# The site, in build/site; a warning is an error.
docs: $(VENV)/docs
	$(BIN)/python -m sphinx -q -W --keep-going -b html docs build/site
	@echo "open build/site/index.html"
data: $(VENV)/core
	scripts/raw_images.sh "$$($(BIN)/python -c 'from mipl.datasets.places import data_dir as d; print(d())')"
	$(BIN)/python -m mipl.cli.main data build mnist-mipl
	$(BIN)/python -m mipl.cli.main data build fmnist-mipl
# The same bytes twice; then the wheel alone, in an empty environment.
dist: $(VENV)/core
	rm -rf dist build/again build/empty
	SOURCE_DATE_EPOCH=$$(git log -1 --format=%ct) $(BIN)/python -m hatchling build -d dist
	SOURCE_DATE_EPOCH=$$(git log -1 --format=%ct) $(BIN)/python -m hatchling build -d build/again
	for file in dist/*; do cmp "$$file" "build/again/$$(basename "$$file")"; done
	$(PYTHON) -m venv build/empty
	build/empty/bin/python -m pip install --quiet --disable-pip-version-check -c constraints.txt dist/*.whl
	build/empty/bin/python examples/01_first_fit.py
	build/empty/bin/python -m pip install --quiet --disable-pip-version-check -c constraints.txt "$$(ls dist/*.whl)[cli,plot]"
	cd build/empty && bin/mipl demo
	ls -l dist
clean:
	rm -rf $(VENV) build dist demo .pytest_cache .mypy_cache .ruff_cache \
		.import_linter_cache .hypothesis .coverage

$(VENV)/bin/pip:
	@$(PYTHON) -c "import sys; sys.exit(None if sys.version_info >= (3, 11) else \
		'mipl needs Python 3.11 or later; name one with: make PYTHON=python3.11')"
	$(PYTHON) -m venv $(VENV)
$(VENV)/core: $(VENV)/bin/pip pyproject.toml constraints.txt
	$(PIP) hatchling editables
	$(EDITABLE) ".[cli,plot]"
	touch $@
$(VENV)/docs: $(VENV)/all
	$(EDITABLE) ".[docs]"
	touch $@
$(VENV)/fuzz: $(VENV)/all
	$(EDITABLE) ".[fuzz]"
	touch $@
# What the tests of the page need beside Python. Where it cannot be had they skip.
$(VENV)/browser: $(VENV)/bin/pip Makefile
	@command -v chromium > /dev/null || command -v google-chrome > /dev/null \
		|| { [ "$$(id -u)" = 0 ] && apt-get update -qq && apt-get install -qqy chromium; } \
		|| echo "no Chromium: the walks through the page are skipped"
	@[ -f $(VENV)/axe/node_modules/axe-core/axe.min.js ] \
		|| npm install --silent --no-package-lock --no-audit --no-fund \
			--prefix $(VENV)/axe axe-core@$(AXE) \
		|| echo "no axe-core: what judges contrast is skipped"
	touch $@
$(VENV)/all: $(VENV)/core
	$(EDITABLE) ".[cli,ui,plot,tables,vision,audio,gp,cluster,tune,onnx,dev]"
	touch $@
