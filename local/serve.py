"""`make serve`: the server in one process with adapters in memory, to try tools; it keeps nothing when it ends."""

import argparse
import json
import logging
import os
import secrets
import signal
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from threading import Event
from typing import Any

from infra.presentation import Presentation
from infra.resource_metadata import ResourceMetadata
from local.gateway import PATH, Gateway
from local.http_server import listen, running
from local.ports import PortInUse
from local.reload import Sources
from local.tool_output import Printed, ShownFormatter, logged, shown
from mcp_tasks.adapters.clock import SystemClock
from mcp_tasks.adapters.memory.ports import memory_ports
from mcp_tasks.adapters.memory.threads import Machine, ThreadExecutor
from mcp_tasks.engine.current_run import mark_records
from mcp_tasks.features.listing import Features
from mcp_tasks.features.tools import Tool, Toolbox
from mcp_tasks.limits.waits import MAX_HOLD
from mcp_tasks.tasks.model import DEFAULT_MACHINE
from mcp_tasks.version import VERSION
from mcp_tasks.wire.revision import Server
from mcp_tasks.wiring import Wiring

CDK = Path(__file__).parents[1] / "cdk.json"
ORIGINS = frozenset({"http://localhost:*", "http://127.0.0.1:*", "http://localhost", "http://127.0.0.1"})


def _remind_me(arguments: Mapping[str, Any], run: Callable[[], None]) -> None:
    time.sleep(arguments["after_seconds"])
    run()


MACHINES: Mapping[str, Machine] = {DEFAULT_MACHINE: lambda arguments, run: run(), "remind_me": _remind_me}
"""Functions in place of the state machines, since there is no Step Functions; a tool's own machine needs an entry."""


def memory_server(features: Features, stage: Mapping[str, Any]) -> Server:
    """Return a server on ports in memory, with the name, icons and instructions of a stage."""
    presentation = Presentation.of(stage)
    executor = ThreadExecutor(MACHINES)
    wiring = Wiring(ports=memory_ports(SystemClock(), executor, secret=secrets.token_bytes(32)))
    _run_tools(wiring, executor, features.tools)
    return wiring.server(
        features,
        name=stage.get("server_name", "mcp-task-server"),
        version=stage.get("server_version") or VERSION,
        about=presentation.about,
        instructions=presentation.instructions or None,
        origins=ORIGINS,
        max_hold=MAX_HOLD,
    )


def with_features(server: Server, features: Features) -> Server:
    """Return the server with other features; sessions and tasks stay, and tasks go on with the new tools."""
    ports = server.tasks.ports
    assert isinstance(ports.executor, ThreadExecutor)
    _run_tools(Wiring(ports=ports), ports.executor, features.tools)
    return replace(server, features=features)


def _run_tools(wiring: Wiring, executor: ThreadExecutor, tools: Toolbox) -> None:
    executor.run, executor.suspend = wiring.runner(tools).run, wiring.suspension().suspend
    executor.fail = wiring.execution_outcomes(tools).failed


def _servable(features: Features) -> Features:
    return replace(features, tools=Toolbox(filter(_has_machine, features.tools)))


def _has_machine(tool: Tool) -> bool:
    if tool.machine in MACHINES:
        return True
    logging.warning("%s is left out: MACHINES in local/serve.py has no entry for %s", tool.name, tool.machine)
    return False


def main() -> None:
    """Serve until interrupted."""
    parser = argparse.ArgumentParser(prog="make serve")
    parser.add_argument("--port", type=int, default=8000)
    parser.add_argument("--tools", default="tools")
    parser.add_argument("--auth", action="store_true")
    options = parser.parse_args()
    # Shells start background jobs of a script with SIGINT ignored.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    with suppress(KeyboardInterrupt), ExitStack() as stack:
        try:
            listening = stack.enter_context(listen(options.port))
        except PortInUse as error:
            sys.exit(str(error))
        port = listening.getsockname()[1]
        stack.enter_context(logged(f"serve-{port}"))
        _show_tool_output()
        sources = Sources(options.tools)
        server = _server(Features.of_module(options.tools))
        url = f"http://127.0.0.1:{port}"
        gateway = _with_tokens(server, url, stack) if options.auth else Gateway(server=server)
        stack.enter_context(running(gateway, listening))
        stack.enter_context(sources.watching(partial(_take_up, gateway, sources)))
        print(f"url={url}{PATH}", flush=True)
        Event().wait()


def _server(features: Features) -> Server:
    stage = json.loads(CDK.read_text())["context"]["stages"]["dev"]
    try:
        return memory_server(_servable(features), stage)
    except ValueError as error:
        sys.exit(f"Stage 'dev' in cdk.json: {error}.")


def _show_tool_output() -> None:
    """Write what tools print and log to the terminal, with the tool and the task."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(ShownFormatter())
    logging.basicConfig(level=os.environ.get("LOG_LEVEL", "INFO"), handlers=[handler])
    mark_records()
    sys.stdout, sys.stderr = Printed(sys.stdout, shown), Printed(sys.stderr, shown)


def _take_up(gateway: Gateway, sources: Sources, saved: Sequence[Path]) -> None:
    """Serve the tools as they were saved, or as they were before if they cannot be imported."""
    names = ", ".join(path.name for path in saved)
    try:
        gateway.server = with_features(gateway.server, _servable(sources.imported_anew()))
    except BaseException:
        logging.exception("%s: the tools are served as before, since this cannot be imported", names)
    else:
        logging.info("%s: the tools are served as saved; tasks go on with them", names)


def _with_tokens(server: Server, url: str, stack: ExitStack) -> Gateway:
    # Imported here, because PyJWT and cryptography slow down the start of a server that needs no tokens.
    from local.bearer import bearers
    from local.issuer import Issuer

    issuer = stack.enter_context(Issuer())
    print(f"token={issuer.token('acme', 'ada')}", flush=True)
    metadata = ResourceMetadata(base_url=url, issuer=issuer.issuer)
    return Gateway(server=server, admit=bearers(issuer), metadata=metadata)


if __name__ == "__main__":
    main()
