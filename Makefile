PYTHON  ?= python3
NAME    :=
PORT    :=
QUICK   :=
SECONDS := 300
VENV    := .venv
BIN     := $(VENV)/bin
ENGINES := .engines

INSTALLED := $(VENV)/.installed
FETCHED   := $(ENGINES)/.complete
MODULES   := web/node_modules/.package-lock.json
CLIENTS   := tests/clients/node_modules/.package-lock.json
PAGE      := gql/web/graphiql.html
SOURCES   := $(wildcard web/*.html web/*.ts web/src/*)

export TABLEFOLD_ENGINES := $(ENGINES)
export PYRIGHT_PYTHON_IGNORE_WARNINGS := 1

.PHONY: help setup demo test check format bench load clean

help: ## Print this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-8s %s\n", $$1, $$2 }' Makefile

setup: $(INSTALLED) $(FETCHED) $(PAGE) $(CLIENTS) ## Make .venv, install the project, its tools and the local engines, build the page

$(INSTALLED): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Tablefold needs Python 3.11 or newer; try make setup PYTHON=python3.12")'
	@echo "Installing tablefold and its tools into $(VENV) (about a minute) ..."
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install -qq --disable-pip-version-check -e '.[dev]' -c constraints.txt
	@touch $@

# The stamp is written once every engine is there; until then each run says what is missing.
$(FETCHED): store/engines.py $(INSTALLED)
	@$(BIN)/python -m tablefold.store.engines install $(ENGINES)

# Without node, or without its packages, GraphiQL is Strawberry's; each run says so.
$(PAGE): $(SOURCES) web/package-lock.json
	@if ! command -v node >/dev/null || ! command -v npm >/dev/null; then \
	   echo "GraphiQL's page is not built: node or npm is not installed."; \
	 elif echo "Building GraphiQL's page (about half a minute) ..." \
	   && { test $(MODULES) -nt web/package-lock.json \
	        || npm ci --loglevel=error --no-audit --no-fund --prefix web; } \
	   && npm run --silent --prefix web build; then touch $@; \
	 else echo "GraphiQL's page could not be built; the reason stands above."; fi

# Without node, or without its packages, the tests of these clients are skipped; each run says so.
$(CLIENTS): tests/clients/package-lock.json
	@if ! command -v node >/dev/null || ! command -v npm >/dev/null; then \
	   echo "Clients of JavaScript are not tested: node or npm is not installed."; \
	 elif echo "Installing GraphQL clients for the tests (about a quarter of a minute) ..." \
	   && npm ci --loglevel=error --no-audit --no-fund --prefix tests/clients; then touch $@; \
	 else echo "Clients of JavaScript are not tested; the reason stands above."; fi

# The demo fetches dynoxide itself, and needs no other engine.
demo: $(INSTALLED) $(PAGE) ## Serve an example on a local engine: make demo, make demo NAME=fund PORT=8080
	@$(BIN)/tablefold demo $(NAME) $(if $(PORT),--port $(PORT))

test: setup check ## Run the checks, then the tests on every engine that is present
	@$(BIN)/python -m pytest -q

check: $(INSTALLED) ## Lint, formatting, types, import contract
	@$(BIN)/ruff check
	@$(BIN)/ruff format --check
	@if command -v node >/dev/null && command -v npm >/dev/null; then $(BIN)/pyright; \
	 else echo "pyright: skipped, node or npm is not installed"; fi
	@$(BIN)/lint-imports --no-logo
	@if test -f $(MODULES); then npm run --silent --prefix web check; \
	 else echo "web: not checked, its packages are not installed"; fi

format: $(INSTALLED) ## Format the code and fix what lint can fix
	@$(BIN)/ruff check --fix
	@$(BIN)/ruff format

# aiobotocore pins a botocore of its own: the benchmarks give it an environment in .bench.
bench: setup ## Measure next to peers, into docs/benchmarks.md; QUICK=1 prints instead
	@$(BIN)/python -m bench $(if $(QUICK),--quick)

load: setup ## Load one worker for SECONDS=300, again with throttles, then walk 100,000 items
	@$(BIN)/python -m bench.load --seconds $(SECONDS) --output docs/benchmarks.md

clean: ## Remove what setup, builds and tests made
	rm -rf $(VENV) $(ENGINES) .bench build dist web/node_modules gql/web tests/web/shots \
	       tests/clients/node_modules
	rm -rf .pytest_cache .ruff_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
