"""`make serve`: the server in one process with adapters in memory, to try tools; it keeps nothing when it ends."""

import argparse
import json
import logging
import os
import secrets
import sys
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import replace
from datetime import timedelta
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from infra.presentation import Presentation
from infra.resource_metadata import ResourceMetadata
from infra.setting_kinds import check_kind
from local.gateway import PAGE, PATH, Gateway
from local.http_server import listen, running
from local.machines import Executors
from local.ports import PortInUse, port_number
from local.processes import interruptible, wait_for_interrupt
from local.reload import Sources, explained
from local.tool_output import Printed, ShownFormatter, is_routine, logged, shown
from mcp_tasks.adapters.clock import SystemClock
from mcp_tasks.adapters.memory.ports import memory_ports
from mcp_tasks.adapters.memory.task_store import MemoryTaskStore
from mcp_tasks.adapters.memory.threads import start_queued_tasks, sweep_regularly
from mcp_tasks.engine.current_run import mark_records
from mcp_tasks.features.listing import Features
from mcp_tasks.features.machines import MissingMachine
from mcp_tasks.limits.tenants import MAX_ACTIVE_TASKS, MAX_RUNNING_TASKS
from mcp_tasks.limits.waits import MAX_HOLD
from mcp_tasks.security.operators import Operators
from mcp_tasks.security.scopes import StageScopes
from mcp_tasks.security.tenancy import Caller
from mcp_tasks.tasks.named_plans import NamedPlans
from mcp_tasks.tasks.plan import Plan
from mcp_tasks.version import VERSION
from mcp_tasks.wire.revision import Server
from mcp_tasks.wiring import Wiring

CDK = Path(__file__).parents[1] / "cdk.json"


class EveryScope(frozenset[str]):
    """The scopes of a caller whom nobody gave a token: none that has a name, and all that are asked for."""

    def issuperset(self, other: Iterable[object]) -> bool:
        """Return True: nothing is asked of a caller without a token."""
        return True


HERE = Caller(tenant="local", subject="you", scopes=EveryScope())
"""Whoever is at this machine: one person, whose tasks are listed, as those of a person with a token are."""

BETWEEN_SWEEPS = timedelta(minutes=1)

KINDS: Mapping[str, type] = {
    **dict.fromkeys(["server_name", "server_version"], str),
    **dict.fromkeys(["max_active_tasks", "max_running_tasks"], int),
    **dict.fromkeys(["plans", "required_scopes", "operators"], dict),
    "hide_tools": bool,
}
"""Of which kind the settings of a stage are that are served here, beside those of its presentation."""

ORIGINS = frozenset({"http://localhost:*", "http://127.0.0.1:*", "http://localhost", "http://127.0.0.1"})


def first_stage(cdk: Path) -> tuple[str, Mapping[str, Any]]:
    """Return the stage that a `cdk.json` has first, with its name; there may be no `dev`."""
    try:
        stages: Mapping[str, Mapping[str, Any]] = json.loads(cdk.read_text())["context"]["stages"]
    except ValueError as error:
        sys.exit(f"{cdk.name} is no JSON: {error}.")
    return next(iter(stages.items()))


def memory_server(
    features: Features, stage: Mapping[str, Any], machines_module: str | None = None, *, console: str = ""
) -> Server:
    """Return a server on ports in memory, with the name, icons, instructions, default plan and scopes of a stage."""
    for name, kind in KINDS.items():
        check_kind(name, kind, stage.get(name, kind()))
    presentation = Presentation.of(stage)
    clock, scopes = SystemClock(), StageScopes.of(stage.get("required_scopes", {}))
    executor = Executors(machines_module, clock)
    base = Plan(
        active_tasks=stage.get("max_active_tasks", MAX_ACTIVE_TASKS),
        running_tasks=stage.get("max_running_tasks", MAX_RUNNING_TASKS),
    )
    plan = NamedPlans.of(stage.get("plans", {}), base).default
    store = MemoryTaskStore(clock)
    ports = memory_ports(clock, executor, secret=secrets.token_bytes(32), plan=plan, store=store)
    operators = Operators.of(stage.get("operators", {}))
    wiring = Wiring(ports=ports, scopes=scopes, operators=operators, console=console)
    executor.serve(wiring, features.tools)
    start_queued_tasks(store.changed, store.waiting, wiring.tasks().start_queued)
    sweep_regularly(partial(wiring.reconciler().sweep, limit=MAX_ACTIVE_TASKS), BETWEEN_SWEEPS)
    return wiring.server(
        features,
        name=stage.get("server_name", "mcp-task-server"),
        version=stage.get("server_version") or VERSION,
        about=presentation.about,
        instructions=presentation.instructions or None,
        origins=ORIGINS,
        max_hold=MAX_HOLD,
        hides_tools=stage.get("hide_tools", False),
    )


def with_features(server: Server, features: Features, *, console: str = "") -> Server:
    """Return the server with other features; sessions and tasks stay, and tasks go on with the new tools."""
    ports = server.tasks.ports
    assert isinstance(ports.executor, Executors)
    wiring = Wiring(ports=ports, scopes=server.scopes, console=console)
    ports.executor.serve(wiring, features.tools)
    return replace(server, features=wiring.with_inbox(features))


def main() -> int:
    """Serve until interrupted, and return the exit status."""
    parser = argparse.ArgumentParser(prog="make serve")
    parser.add_argument("--port", type=port_number, default=8000)
    parser.add_argument("--tools", default="tools")
    parser.add_argument("--machines", help="the package of the state machines, if it is not the stage's own")
    parser.add_argument("--auth", action="store_true")
    options = parser.parse_args()
    interruptible()
    _check_machines(options.machines)
    with suppress(KeyboardInterrupt), ExitStack() as stack:
        try:
            listening = stack.enter_context(listen(options.port))
        except PortInUse as error:
            sys.exit(str(error))
        port = listening.getsockname()[1]
        stack.enter_context(logged(f"serve-{port}"))
        _show_tool_output()
        sources = _sources(options.tools)
        url = f"http://127.0.0.1:{port}"
        server = _server(_features(sources), options.machines, f"{url}{PAGE}")
        gateway = _with_tokens(server, url, stack) if options.auth else _without_tokens(server)
        stack.enter_context(running(gateway, listening))
        stack.enter_context(sources.watching(partial(_take_up, gateway, sources, f"{url}{PAGE}")))
        print(f"page={url}{PAGE}\nurl={url}{PATH}", flush=True)
        wait_for_interrupt()
    return 0


def _check_machines(package: str | None) -> None:
    # Found here, and not by the first task of one of them, minutes later.
    try:
        spec = find_spec(package) if package else None
    except (ImportError, ValueError):
        spec = None
    if package and (spec is None or spec.submodule_search_locations is None):
        sys.exit(f"There is no package {package}: MACHINES is one of state machines, such as infra.machines.")


def _sources(module: str) -> Sources:
    try:
        return Sources(module)
    except ModuleNotFoundError as error:
        sys.exit(f"{error}: TOOLS is a package in layers/tools/python or layers/examples/python, such as tools.")


def _features(sources: Sources) -> Features:
    try:
        return Features.of_module(sources.module)
    except MissingMachine as error:
        sys.exit(str(error))
    except Exception as error:
        raise SystemExit(f"The tools cannot be imported.\n{explained(error, sources.folder)}") from error


def _server(features: Features, machines_module: str | None, console: str) -> Server:
    name, stage = first_stage(CDK)
    try:
        return memory_server(features, stage, machines_module, console=console)
    except ValueError as error:
        sys.exit(f"Stage {name!r} in cdk.json: {error}.")


def _show_tool_output() -> None:
    """Write what tools print and log to the terminal, with the tool and the task."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(ShownFormatter())
    handler.addFilter(lambda record: not is_routine(record.name, record.levelname))
    logging.basicConfig(level=os.environ.get("LOG_LEVEL", "INFO"), handlers=[handler])
    mark_records()
    sys.stdout, sys.stderr = Printed(sys.stdout, shown), Printed(sys.stderr, shown)


def _take_up(gateway: Gateway, sources: Sources, console: str, saved: Sequence[Path]) -> None:
    """Serve the tools as they were saved, or as they were before if they cannot be imported."""
    names = ", ".join(path.name for path in saved)
    try:
        gateway.server = with_features(gateway.server, sources.imported_anew(), console=console)
    except BaseException as error:  # noqa: BLE001 - whatever a module raises, the server goes on
        why = explained(error, sources.folder)
        logging.error("%s: the tools are served as before, since this cannot be imported\n%s", names, why)
    else:
        logging.info("%s: the tools are served as saved; tasks go on with them", names)


def _without_tokens(server: Server) -> Gateway:
    print("callers=one: whoever is at this machine, and nobody else (AUTH=1 asks for tokens)", flush=True)
    return Gateway(server=server, admit=lambda head: HERE)


def _with_tokens(server: Server, url: str, stack: ExitStack) -> Gateway:
    # Imported here, because PyJWT and cryptography slow down the start of a server that needs no tokens.
    from local.bearer import bearers
    from local.issuer import Issuer

    issuer = stack.enter_context(Issuer())
    print(f"token={issuer.token('acme', 'ada')}", flush=True)
    metadata = ResourceMetadata(base_url=url, issuers=[issuer.issuer])
    return Gateway(server=replace(server, metadata_url=metadata.url), admit=bearers(issuer), metadata=metadata)
