# Every task of this repository. CI runs the same ones; what a recipe needs it installs first.

.DEFAULT_GOAL := help
.NOTPARALLEL:
MAKEFLAGS += --no-print-directory

UNIT_WORKERS ?= $(shell nproc)
bin = PYTHONPATH=$(CURDIR) $(shell scripts/environment.sh)/bin

.PHONY: help
help: ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-11s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.PHONY: setup
setup: ## Install what is missing: Debian packages, the Python environment, Terraform
	@scripts/setup.sh

.PHONY: demo
demo: setup ## Lab, images, cluster-us-west, racks, tested; WITHOUT="images racks" leaves some out
	@$(bin)/python scripts/demo.py $(WITHOUT)

.PHONY: check
check: setup lint unit ## Check format, style, types and imports, run the unit tests: under a minute

.PHONY: test
test: check checkov lab-tests ## Run everything: check, checkov, and the lab end to end (what CI runs)

.PHONY: lint
lint: setup ## Check format, style, types and the layers of the package
	@$(bin)/ruff format --check --quiet .
	@$(bin)/ruff check --quiet --output-format concise .
	@$(bin)/mypy
	@$(bin)/lint-imports --no-logo

.PHONY: unit
unit: setup ## Run the tests that need no lab
	@$(bin)/pytest -q -n $(UNIT_WORKERS) -m "not lab and not hosts and not parity"

.PHONY: lab-tests
lab-tests: setup ## Run the tests on a lab: real Terraform, AWS API, Linux hosts
	@$(bin)/pytest -n 2 --dist loadfile -m "lab or hosts"

.PHONY: format
format: setup ## Format the Python files and mend what ruff can
	@$(bin)/ruff format .
	@$(bin)/ruff check --fix .

.PHONY: checkov
checkov: setup ## Check the rendered Terraform against checkov's rules
	@scripts/checkov.sh

.PHONY: golden
golden: setup ## Write the rendered files that tests compare with anew; then read the diff
	@$(bin)/pytest -q --refresh-golden tests/unit
	@git diff --stat -- tests/golden

.PHONY: chef-parity
chef-parity: setup ## Compare the lab's stand-in with a real Chef: ORCHESTRATE_CHEF=folder or command
	@scripts/chef-parity.sh "$(shell scripts/environment.sh)/bin"

.PHONY: schema
schema: setup ## Write the JSON schema of the fleet files, for editors
	@bin/orchestrate schema

.PHONY: bench
bench: setup ## Measure, and write benchmarks/results.md; BENCH="help ledger" measures some only
	@scripts/packages.sh gcc libc6-dev
	@$(bin)/python -P -m benchmarks $(BENCH)

.PHONY: pictures
pictures: setup ## Draw the pictures of the README from what the commands really print
	@$(bin)/python scripts/pictures.py

.PHONY: lock
lock: ## Renew both Pipfile.lock files
	@scripts/lock.sh .
	@scripts/lock.sh scripts/checkov

.PHONY: clean
clean: ## Remove what tools cached in this checkout; journals, logs and shared caches stay
	@rm -rf .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .hypothesis .orchestrate/build
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +
