"""Runs the whole server on this machine: the emulator, a token issuer, and the CDK stack deployed to it."""

import argparse
import signal
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from local.deploy import DeployFailed, deploy
from local.emulator import Emulator, EmulatorFailed, running_emulator
from local.issuer import Issuer
from local.ports import PortInUse
from mcp_tasks.features import catalogue

STAGE = "local"
CANNOT_START = (PortInUse, EmulatorFailed, DeployFailed)
"""Errors whose text is all that a user needs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stack:
    """The stack deployed to the emulator; `outputs` are those of CloudFormation."""

    emulator: Emulator
    issuer: Issuer
    outputs: Mapping[str, str]

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


@contextmanager
def running_stack(*, tools: str = "tools", port: int = 0, **context: Any) -> Iterator[Stack]:
    """Start all of it with the tools of a module, and stop it at the end; `context` goes to the CDK app."""
    with Issuer() as issuer, running_emulator(port) as emulator:
        settings = {
            "local": True,
            "tools_module": tools,
            "catalogue": str(_catalogue(tools, emulator.folder / "catalogue.json")),
            "issuer": issuer.issuer,
            "audience": issuer.audience,
            "jwks_url": issuer.jwks_url,
            # The gateway's own address does not resolve to this machine.
            "public_url": f"{emulator.url}/_aws/execute-api/{{api}}/{STAGE}",
        }
        yield Stack(emulator=emulator, issuer=issuer, outputs=deploy(emulator, settings | context))


def _catalogue(tools: str, file: Path) -> Path:
    """Write the catalogue, which on AWS is a file in the tools layer."""
    file.write_text(catalogue.write(tools))
    return file


def main(arguments: list[str] | None = None) -> None:
    """Run the stack until interrupted."""
    parser = argparse.ArgumentParser(prog="python -m local.stack")
    parser.add_argument("--port", type=int, default=4566)
    parser.add_argument("--tools", default="tools", help="a module with a TOOLS list")
    parser.add_argument("--origins", help="browser origins that may call, in place of this machine's, spaces between")
    given = parser.parse_args(arguments)
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.default_int_handler)
    context = {} if given.origins is None else {"allowed_origins": given.origins.split()}
    try:
        with suppress(KeyboardInterrupt), running_stack(tools=given.tools, port=given.port, **context) as stack:
            print(f"url={stack.url}\ntoken={stack.token('acme', 'ada')}\nlog={stack.emulator.log}", flush=True)
            stack.emulator.process.wait()
            sys.exit(f"the emulator ended:\n{stack.emulator.log.read_text(errors='replace')[-2000:]}")
    except CANNOT_START as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
