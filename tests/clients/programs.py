"""How the clients are run: each as a process of its own, with the packages that its environment has."""

import json
import os
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from local.emulator import ROOT
from tests.timeout import until

HERE = Path(__file__).parent
ENVIRONMENTS = ROOT / ".local"
NODE_CLIENTS = ENVIRONMENTS / "node_clients"
TIMEOUT_SECONDS = 120


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """The URL that a client calls, and its token, unless it is to get one itself."""

    url: str
    token: str | None = None

    @property
    def arguments(self) -> list[str]:
        """Return what programs are told of it."""
        return [self.url, *([self.token] if self.token else [])]


def python(environment: str, program: str, endpoint: Endpoint, *more: str) -> Any:
    """Return what a program in this folder says, run by the Python of an environment."""
    command = [str(ENVIRONMENTS / environment / "bin/python"), "-m", f"tests.clients.{program}"]
    return _said([*command, *endpoint.arguments, *more], cwd=ROOT)


def node(program: str, endpoint: Endpoint, *more: str) -> Any:
    """Return what a program in this folder says, run by Node."""
    # A program that is piped in finds its packages where Node runs, and nothing is installed beside the sources.
    command = ["node", "--input-type=module", "-", *endpoint.arguments, *more]
    return _said(command, cwd=NODE_CLIENTS, program=(HERE / f"{program}.mjs").read_text())


class Inspector:
    """The commands of the package `@modelcontextprotocol/inspector`, which keep what they know in a home."""

    def __init__(self, endpoint: Endpoint, *, home: Path) -> None:
        self._endpoint = endpoint
        self._daemon = home / "daemon"
        self._header = ["--header", f"Authorization: Bearer {endpoint.token}"]
        self._environment = os.environ | {
            "HOME": str(home),
            "MCP_INSPECTOR_DAEMON_DIR": str(self._daemon),
            # Otherwise it would be the keychain of the user who runs this.
            "MCP_INSPECTOR_SECRET_STORE": "file",
        }

    def once(self, era: str, tool: str, **arguments: str) -> Any:
        """Connect, call a tool, and return its result."""
        command = [self._bin("mcp-inspector"), "--cli", self._endpoint.url, *self._header, "--transport", "http"]
        call = ["--method", "tools/call", "--tool-name", tool, "--tool-args-json", json.dumps(arguments)]
        options = ["--protocol-era", era, "--stored-auth-only", "--format", "json"]
        return _said([*command, *options, *call], cwd=NODE_CLIENTS, environment=self._environment)["result"]

    def connect(self, era: str, *more: str) -> Any:
        """Have a connection kept open for the commands that follow."""
        return self._mcpdo("connect", self._endpoint.url, *self._header, "--transport", "http", "--era", era, *more)

    def do(self, *command: str) -> Any:
        """Run a command on the open connection, and return what it prints."""
        return self._mcpdo("--connection", self._endpoint.url, *command)

    def leave(self) -> None:
        """Stop what keeps connections open, if anything was started."""
        if self._daemon.exists():
            self._mcpdo("daemon", "stop")
            until(lambda: not any(self._daemon.glob("*.sock")))

    def _mcpdo(self, *arguments: str) -> Any:
        command = [self._bin("mcpdo"), "--format", "json", *arguments]
        return _said(command, cwd=NODE_CLIENTS, environment=self._environment)

    @staticmethod
    def _bin(name: str) -> str:
        return str(NODE_CLIENTS / "node_modules/.bin" / name)


def _said(
    command: list[str], *, cwd: Path, environment: Mapping[str, str] | None = None, program: str | None = None
) -> Any:
    done = subprocess.run(
        command, cwd=cwd, env=environment, input=program, capture_output=True, text=True, timeout=TIMEOUT_SECONDS
    )
    assert done.returncode == 0, f"{done.stdout}{done.stderr}"
    return json.loads(done.stdout)
