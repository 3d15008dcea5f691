"""`make serve`: the same door in one process, on memory ports, for trying tools out; nothing outlives the process."""

import argparse
import logging
import os
import secrets
import signal
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, suppress
from dataclasses import replace
from datetime import timedelta
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from mcp_tasks.adapters.clock import SystemClock
from mcp_tasks.adapters.memory import MemoryTaskStore
from mcp_tasks.adapters.memory_sessions import MemoryBoard, MemoryKeys, MemorySessions
from mcp_tasks.adapters.threads import ConditionWaiter, Machine, ThreadExecutor
from mcp_tasks.features.listing import Features
from mcp_tasks.features.tools import DEFAULT_MACHINE, Tool, Toolbox
from mcp_tasks.parking import Parking
from mcp_tasks.ports import Ports
from mcp_tasks.runner import Runner
from mcp_tasks.sealing import Sealer
from mcp_tasks.service import TaskService
from mcp_tasks.sessions import Sessions
from mcp_tasks.subscriptions import Subscriptions
from mcp_tasks.tenancy import ANONYMOUS, Caller
from mcp_tasks.vault import Vault
from mcp_tasks.wire.http import HttpReply, HttpRequest
from mcp_tasks.wire.revision import Server
from mcp_tasks.wire.server import handle

PATH = "/mcp"
ORIGINS = frozenset({"http://localhost:*", "http://127.0.0.1:*", "http://localhost", "http://127.0.0.1"})

Admit = Callable[[Mapping[str, str]], Caller | None]
"""Who sent a request with these headers; None for nobody who may."""


def _remind_me(arguments: Mapping[str, Any], run: Callable[[], None]) -> None:
    time.sleep(arguments["after_seconds"])
    run()


MACHINES: Mapping[str, Machine] = {DEFAULT_MACHINE: lambda arguments, run: run(), "remind_me": _remind_me}
"""What stands for the state machines: there is no Step Functions here.  A tool's own machine needs a line."""


def memory_server(features: Features) -> Server:
    """Wire a server on memory ports."""
    clock = SystemClock()
    store = MemoryTaskStore(clock)
    executor = ThreadExecutor(MACHINES)
    ports = Ports(
        clock=clock,
        tasks=store,
        backlog=store,
        executor=executor,
        waiter=ConditionWaiter(store.changed),
        sessions=MemorySessions(clock),
        board=MemoryBoard(),
        keys=MemoryKeys(secrets.token_bytes(32)),
    )
    tasks = TaskService(ports=ports)
    parking = Parking(tasks=tasks)
    executor.run, executor.park = Runner(tasks=tasks, tools=features.tools).run, parking.park
    return Server(
        name="mcp-task-server",
        version="0.1.0",
        tasks=tasks,
        parking=parking,
        features=features,
        sessions=Sessions(store=ports.sessions, clock=clock),
        sealer=Sealer(keys=ports.keys, clock=clock),
        vault=Vault(keys=ports.keys, clock=clock),
        subscriptions=Subscriptions(store=ports.sessions, board=ports.board, tasks=tasks),
        origins=ORIGINS,
        hold=timedelta(seconds=25),
    )


class Handler(BaseHTTPRequestHandler):
    """One HTTP request -> the door."""

    protocol_version = "HTTP/1.1"

    def __init__(self, server: Server, admit: Admit, *args: Any) -> None:
        """Take what to serve and whom; the rest is the library's."""
        self._mcp, self._admit = server, admit
        super().__init__(*args)

    def handle(self) -> None:
        """Serve the client until it leaves, which it may do at any time."""
        with suppress(ConnectionError):
            super().handle()

    def do_POST(self) -> None:  # the library's name
        """Answer."""
        length = int(self.headers.get("content-length") or 0)
        self._send(self._reply(self.rfile.read(length)))

    do_GET = do_DELETE = do_PUT = do_PATCH = do_OPTIONS = do_POST

    def _reply(self, body: bytes) -> HttpReply:
        if self.path.partition("?")[0] != PATH:
            return HttpReply(status=404)
        headers = {name.lower(): value for name, value in self.headers.items()}
        # A page of a stranger's, whose name was made to resolve to this machine, names itself here.
        if headers.get("host", "").rpartition(":")[0] not in ("127.0.0.1", "localhost"):
            return HttpReply(status=403)
        caller = self._admit(headers)
        if caller is None:
            return HttpReply(status=401, headers={"www-authenticate": "Bearer"})
        return handle(self._mcp, HttpRequest(method=self.command, headers=headers, body=body), caller)

    def _send(self, reply: HttpReply) -> None:
        body = reply.body.encode()
        self.send_response(reply.status)
        for name, value in reply.headers.items():
            self.send_header(name, value)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # the library's name
        """Keep quiet."""


def _bearer(stack: ExitStack) -> Admit:
    # Tokens are a tenth of a second of imports that an anonymous server can do without.
    from local.issuer import Issuer
    from mcp_tasks.adapters.auth_settings import AuthSettings
    from mcp_tasks.adapters.tokens import TokenRefused, TokenVerifier

    issuer = stack.enter_context(Issuer())
    verifier = TokenVerifier(
        AuthSettings.of(
            {
                "ISSUER": issuer.issuer,
                "AUDIENCE": issuer.audience,
                "JWKS_URL": issuer.jwks_url,
                "ALGORITHMS": issuer.algorithm,
            }
        )
    )

    def admit(headers: Mapping[str, str]) -> Caller | None:
        try:
            return verifier.verify(headers.get("authorization", "").partition(" ")[2])
        except TokenRefused:
            return None

    print(f"token={issuer.token('acme', 'ada')}", flush=True)
    return admit


def _servable(tools: Iterable[Tool]) -> Iterator[Tool]:
    for tool in tools:
        if tool.machine in MACHINES:
            yield tool
        else:
            logging.warning("%s is left out: MACHINES in local/serve.py has nothing for %s", tool.name, tool.machine)


def main() -> None:
    """Serve until interrupted."""
    parser = argparse.ArgumentParser(prog="make serve")
    parser.add_argument("--port", type=int, default=8000)
    parser.add_argument("--tools", default="tools")
    parser.add_argument("--auth", action="store_true")
    options = parser.parse_args()
    logging.basicConfig(level=os.environ.get("LOG_LEVEL", "INFO"), stream=sys.stderr)
    # Whoever starts this in the background of a script had it ignore Ctrl-C.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    offered = Features.of_module(options.tools)
    server = memory_server(replace(offered, tools=Toolbox(_servable(offered.tools))))
    with ExitStack() as stack:
        admit = _bearer(stack) if options.auth else lambda headers: ANONYMOUS
        http = stack.enter_context(ThreadingHTTPServer(("127.0.0.1", options.port), partial(Handler, server, admit)))
        print(f"url=http://127.0.0.1:{http.server_port}{PATH}", flush=True)
        with suppress(KeyboardInterrupt):
            http.serve_forever()


if __name__ == "__main__":
    main()
