"""Runs the whole server on this machine: the emulator, a token issuer, and the CDK stack deployed to it."""

import argparse
import sys
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from threading import Event, Lock
from typing import Any
from urllib.parse import urlsplit

from local.deploy import DeployFailed, deploy, write_catalogue
from local.emulator import ROOT, Emulator, EmulatorFailed, running_emulator
from local.issuer import Issuer
from local.ports import PortInUse, port_number
from local.processes import end_started, interruptible
from local.proxy import Target, running_proxy
from local.reload import Sources
from local.tool_output import logged, of_functions

STAGE = "local"
APP = ROOT / "app.py"
CANNOT_START = (PortInUse, EmulatorFailed, DeployFailed)
"""Errors whose text is all that a user needs."""
INTERRUPTED = "\nInterrupted: the stack is stopped and removed."


@dataclass(frozen=True, slots=True, kw_only=True)
class Stack:
    """The stack deployed to the emulator; `outputs` are those of CloudFormation."""

    emulator: Emulator
    issuer: Issuer
    app: Path
    outputs: Mapping[str, str]
    settings: Mapping[str, Any]

    @property
    def url(self) -> str:
        """Return the address of the MCP endpoint."""
        return self.outputs["Url"]

    def token(self, tenant: str, subject: str, **claims: Any) -> str:
        """Return a bearer token that the server accepts, with `claims` beside the standard ones."""
        return self.issuer.token(tenant, subject, **claims)

    def client(self, service: str) -> Any:
        """Make a boto3 client of the emulator for one AWS service."""
        return self.emulator.client(service)

    def take_up_tools(self) -> None:
        """Serve the tools as they were saved; raises `DeployFailed` where they cannot be imported."""
        write_catalogue(self.emulator.environment, self.settings)
        self.emulator.renew_functions()

    def take_up_infra(self) -> None:
        """Deploy the stack as it was saved, state machines among it; raises `DeployFailed` where that is impossible."""
        deploy(self.emulator, self.app, self.settings)


@contextmanager
def running_stack(*, app: Path = APP, tools: str = "tools", port: int = 0, **context: Any) -> Iterator[Stack]:
    """Start all of it with the tools of a module, and stop it at the end; `context` goes to the CDK app `app`."""
    with Issuer() as issuer, running_emulator(port) as emulator:
        settings = {
            "local": True,
            "tools_module": tools,
            "catalogue": str(emulator.folder / "catalogue.json"),
            **({} if "issuers" in context else _accepting(issuer)),
            # The gateway's own address does not resolve to this machine.
            "public_url": f"{emulator.url}/_aws/execute-api/{{api}}/{STAGE}",
            **context,
        }
        write_catalogue(emulator.environment, settings)
        outputs = deploy(emulator, app, settings)
        yield Stack(emulator=emulator, issuer=issuer, app=app, outputs=outputs, settings=settings)


def _accepting(issuer: Issuer) -> dict[str, str]:
    return {"issuer": issuer.issuer, "audience": issuer.audience, "jwks_url": issuer.jwks_url}


@contextmanager
def taking_up_saved(stack: Stack) -> Iterator[None]:
    """Have the stack take up its tools, and the code that deploys it, each time that some of them are saved."""
    one_at_a_time, ending = Lock(), Event()

    def take_up(work: Callable[[], None], saved: Sequence[Path]) -> None:
        with one_at_a_time:
            said = "" if ending.is_set() else _done(work)
        # What is ended with the stack fails, and nobody is to mend it.
        if not ending.is_set():
            print(f"{', '.join(path.name for path in saved)}: {said}", file=sys.stderr, flush=True)

    machines = stack.settings.get("machines_module", "infra")
    with ExitStack() as watched:
        for package in {"infra", machines.partition(".")[0]}:
            watched.enter_context(Sources(package).watching(partial(take_up, stack.take_up_infra)))
        watched.enter_context(Sources(stack.settings["tools_module"]).watching(partial(take_up, stack.take_up_tools)))
        watched.callback(end_started)
        watched.callback(ending.set)
        yield


def _done(work: Callable[[], None]) -> str:
    try:
        work()
    except Exception as error:  # noqa: BLE001 - whatever it is, what is saved next may be right
        why = str(error) if isinstance(error, DeployFailed) else traceback.format_exc()
        return f"the stack stays as it was, since {why}"
    return "taken up; tasks go on with it"


def _show(line: str) -> None:
    if (text := of_functions(line)) is not None:
        print(text, file=sys.stderr, flush=True)


def main() -> int:
    """Run the stack until interrupted, and return the exit status."""
    parser = argparse.ArgumentParser(prog="make stack")
    parser.add_argument("--port", type=port_number, default=4566)
    parser.add_argument("--tools", default="tools", help="a module with a TOOLS list")
    parser.add_argument("--app", type=Path, default=APP, help="the CDK app that makes the stack")
    parser.add_argument("--origins", help="browser origins that may call, in place of this machine's, spaces between")
    given = parser.parse_args()
    interruptible()
    app: Path = given.app.resolve()
    context = {} if given.origins is None else {"allowed_origins": given.origins.split()}
    try:
        with running_stack(app=app, tools=given.tools, port=given.port, **context) as stack:
            token, port = stack.token("acme", "ada"), urlsplit(stack.url).port
            print(f"url={stack.url}\ntoken={token}\nlog={stack.emulator.log}", flush=True)
            with (
                running_proxy(Target(url=stack.url, token=token)) as proxied,
                logged(f"stack-{port}"),
                taking_up_saved(stack),
                stack.emulator.showing_output(_show),
            ):
                print(f"page={proxied.removesuffix('mcp')}", flush=True)
                stack.emulator.process.wait()
            sys.exit(f"the emulator ended:\n{stack.emulator.log.read_text(errors='replace')[-2000:]}")
    except KeyboardInterrupt:
        print(INTERRUPTED, file=sys.stderr)
        return 0
    except CANNOT_START as error:
        sys.exit(str(error))
