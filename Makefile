# Everything runs in .venv, which the first target that needs it creates.

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
BASE   := $(VENV)/.base-installed
UP     := $(VENV)/.up-installed
DEV    := $(VENV)/.dev-installed
BUILT  := src/dibs/web/pages/built/dibs.js
PIP    := $(BIN)/python -m pip --disable-pip-version-check --quiet
LOCK   := $(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header

.DEFAULT_GOAL := help
.PHONY: help up demo pages try-pages test test-system fuzz check format docs bench bench-peers eval-resumes torture lock audit clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

up: $(if $(wildcard $(DEV)),$(DEV),$(UP)) try-pages ## install what is needed and run everything on one SQLite file, in dibs-data (ARGS="--demo": made-up work, in dibs-demo)
	$(BIN)/dibs up --no-browser $(ARGS)

demo: $(if $(wildcard $(DEV)),$(DEV),$(BASE)) ## run a few jobs on SQLite, and leave
	$(BIN)/python examples/first_jobs/main.py

pages: $(BUILT) ## build what the pages load: htmx, uPlot and our scripts, in one file

# The pages read and work without: a machine that cannot build them is told so, and goes on.
try-pages: | $(BIN)/python
	@$(MAKE) --no-print-directory $(BUILT) \
	    || echo "The pages will have no charts and no live updates: what they load could not be built (see above)." >&2

test: $(DEV) try-pages ## all tests that need only wheels
	$(BIN)/python -m pytest -n 2 -m "not system" $(ARGS)

test-system: $(DEV) $(BUILT) ## tests that need Debian packages, and the large Hypothesis profiles
	DIBS_HYPOTHESIS=large $(BIN)/python -m pytest -n 2 -m system $(ARGS)

fuzz: $(DEV) ## other examples than the build tries, new ones each time: random histories on all stores, every route of the API, every page
	DIBS_HYPOTHESIS=random $(BIN)/python -m pytest -n 2 -m system tests/server/test_contract.py tests/backends/test_histories.py \
	    tests/backends/etcd $(ARGS)
	DIBS_HYPOTHESIS=random $(BIN)/python -m pytest tests/server/pages/test_rambling.py $(ARGS)

check: $(DEV) ## format, lint, types, import contracts
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: $(DEV) ## let ruff format and fix what it can
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

docs: $(DEV) ## build the documentation as a site, in build/docs, and check every link on it
	$(BIN)/python -m docs.site $(ARGS)

bench: $(DEV) ## moves beside the raw loops, draining, idle workers, fairness, and what admission costs plain jobs
	$(BIN)/python -m benchmarks.micro $(ARGS)
	$(BIN)/python -m benchmarks.drain
	$(BIN)/python -m benchmarks.idle
	$(BIN)/python -m benchmarks.fairness
	$(BIN)/python -m benchmarks.plain
	$(BIN)/python -m benchmarks.server
	$(BIN)/python -m benchmarks.claims
	$(BIN)/python -m benchmarks.resumes
	$(BIN)/python -m benchmarks.pages sqlite
	$(BIN)/python -m benchmarks.large --backend sqlite

bench-peers: $(DEV) ## the same work by Dibs and its peers, each in an environment of its own; goes on where it stopped (ARGS="--only BullMQ --rounds 1")
	$(BIN)/python -m benchmarks.peers $(ARGS)

eval-resumes: $(DEV) ## measure the resume parser by field, layout and format (ARGS="--quick": two people a template)
	$(BIN)/python -m evals.resumes $(ARGS)

torture: $(DEV) ## break things on purpose on every store, and check every promise (ARGS="--soak": an even load for an hour)
	$(BIN)/python -m tests.torture.run $(ARGS)

lock: $(DEV) ## compile requirements/*.in again
	cd requirements && for name in base dev audit pages; do \
	    ../$(LOCK) --upgrade --output-file $$name.txt $$name.in || exit 1; done
	cd requirements && ../$(LOCK) --upgrade --constraint dev.txt --output-file up.txt up.in

audit: ## look the pinned packages up in the advisory database
	$(PYTHON) -m venv .venv-audit
	.venv-audit/bin/python -m pip --disable-pip-version-check --quiet install --require-hashes -r requirements/audit.txt
	.venv-audit/bin/pip-audit --disable-pip --require-hashes --requirement requirements/dev.txt

clean: ## remove what make made
	rm -rf $(VENV) .venv-audit frontend/node_modules src/dibs/web/pages/built .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache build dist

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	    || { echo "Dibs needs Python 3.11 or newer; say which: make PYTHON=/path/to/python3.11" >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)

# Node comes from the machine, or out of a wheel.
$(BUILT): frontend/build.mjs frontend/package-lock.json $(wildcard frontend/scripts/*.js) | $(BIN)/python
	@command -v npm >/dev/null || $(PIP) install --require-hashes -r requirements/pages.txt
	cd frontend && PATH="$(abspath $(BIN)):$$PATH" && npm ci --ignore-scripts --loglevel=error && node build.mjs

# The order-only prerequisite keeps a touched interpreter link from reinstalling everything.
$(BASE): requirements/base.txt pyproject.toml | $(BIN)/python
	$(PIP) install --require-hashes -r requirements/base.txt
	$(PIP) install --no-deps --no-build-isolation -e .
	@touch $@

$(UP): requirements/up.txt pyproject.toml | $(BIN)/python
	@echo "Installing what Dibs needs into $(VENV); the first time this takes a while."
	$(PIP) install --require-hashes -r requirements/up.txt
	$(PIP) install --no-deps --no-build-isolation -e .
	@touch $@

$(DEV): requirements/dev.txt pyproject.toml | $(BIN)/python
	$(PIP) install --require-hashes -r requirements/dev.txt
	$(PIP) install --no-deps --no-build-isolation -e .
	@touch $@
