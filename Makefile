# Everything lives in .venv; `make test` on a fresh clone needs only Python >= 3.11.
PYTHON ?= python3
VENV   := .venv
PY     := $(VENV)/bin/python
STAMP  := $(VENV)/.installed

.PHONY: test validate lint bench clean install

install: $(STAMP)

$(STAMP): pyproject.toml
	test -x $(PY) || $(PYTHON) -m venv $(VENV)
	$(PY) -m pip install --quiet --disable-pip-version-check --editable ".[test,dev]"
	touch $(STAMP)

lint: $(STAMP)
	$(VENV)/bin/ruff check .
	$(VENV)/bin/ruff format --check .
	$(VENV)/bin/mypy

test: $(STAMP) lint
	$(PY) -m pytest -m "not validate" --durations=8

validate: $(STAMP)
	$(PY) -m pytest -m validate --durations=0 -s

bench: $(STAMP)
	$(VENV)/bin/clast bench

clean:
	rm -rf $(VENV) build dist *.egg-info
