# Everything lives in .venv; `make test` on a fresh clone needs only Python >= 3.11.
PYTHON ?= python3
VENV   := .venv
PY     := $(VENV)/bin/python
STAMP  := $(VENV)/.installed

READY  := $(VENV)/.ready

.PHONY: demo test test-gpu validate lint bench viewer viewer-example clean install

# cows fall through a hopper: sets everything up, runs it, makes a figure, a movie and a table
demo: $(READY)
	$(VENV)/bin/clast run hopper --out runs/demo --overwrite
	$(VENV)/bin/clast movie runs/demo
	@echo "Look at runs/demo: hopper.png, discharge.png, movie.gif"

$(READY): pyproject.toml
	test -x $(PY) || $(PYTHON) -m venv $(VENV)
	$(PY) -m pip install --quiet --disable-pip-version-check --editable .
	touch $(READY)

install: $(STAMP)

$(STAMP): pyproject.toml
	test -x $(PY) || $(PYTHON) -m venv $(VENV)
	$(PY) -m pip install --quiet --disable-pip-version-check --editable ".[test,dev]"
	touch $(STAMP) $(READY)

lint: $(STAMP)
	$(VENV)/bin/ruff check .
	$(VENV)/bin/ruff format --check .
	$(VENV)/bin/mypy

test: $(STAMP) lint
	$(PY) -m pytest -m "not validate and not gpu" -n auto --maxprocesses 4 --dist loadfile --durations=8

# what needs a GPU: steps on it beside steps by threads
test-gpu: $(STAMP)
	$(PY) -m pip install --quiet --disable-pip-version-check --editable ".[cuda]"
	$(PY) -m pytest -m gpu -v

validate: $(STAMP)
	$(PY) -m pytest -m validate --durations=0 -s

bench: $(STAMP)
	$(VENV)/bin/clast bench

# the page of `clast view`, from viewer/ into the package: wants node and npm
viewer:
	cd viewer && npm ci --no-audit --no-fund && npm run build

# the saved view in docs/, with the page as it is now
viewer-example: $(READY)
	$(VENV)/bin/clast run hopper --grains 60 --out runs/viewer-example --overwrite
	$(VENV)/bin/clast view runs/viewer-example --frames 80 --save docs/viewer-example.html

clean:
	rm -rf $(VENV) build dist *.egg-info
