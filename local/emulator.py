"""Runs the AWS emulator as a context manager, with a process group and files of its own that are removed at the end."""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from http.client import HTTPException
from pathlib import Path
from threading import Event, Thread
from typing import Any
from urllib.request import urlopen

import boto3
from botocore.config import Config

from local.ports import bound
from mcp_tasks import service_data

ROOT = Path(__file__).resolve().parent.parent
ACCOUNT = "000000000000"
REGION = "us-east-1"
PYTHON = ROOT / ".local/emulator/bin/python"
LAYERS = ("layers/core/python", "layers/tools/python", "layers/examples/python", ".")


def python_path(root: Path) -> str:
    """Return the import path of a checkout."""
    return os.pathsep.join(str(root / folder) for folder in LAYERS)


PYTHON_PATH = python_path(ROOT)
EXAMPLES = ROOT / "layers" / "examples" / "app.py"
SERVICE_DATA = "service_data"
"""The folder, within the emulator's own one, of what botocore has to know of AWS in the functions."""

START_SECONDS = 30
STOP_SECONDS = 5
HEALTH_CHECK_SECONDS = 0.05
FOLLOW_SECONDS = 0.1


class EmulatorFailed(Exception):
    """The emulator did not start; the text has the end of its log."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Emulator:
    """A running emulator; `url` is the endpoint of every AWS service, `folder` is removed when it stops."""

    url: str
    folder: Path
    log: Path
    process: subprocess.Popen[bytes]

    @property
    def environment(self) -> dict[str, str]:
        """Return the environment of commands to which AWS is this emulator."""
        return aws_environment(self.url, self.folder)

    @property
    def output(self) -> Path:
        """Return the file of what functions write, all of it, as they write it."""
        return _output(self.folder)

    @property
    def usage(self) -> Path:
        """Return the file with a line of JSON for all that AWS would bill, as `ministack_usage` writes it."""
        return self.folder / "usage"

    def renew_functions(self) -> None:
        """Have functions started anew at their next invocation; what runs now ends with the code that it has."""
        _renewed(self.folder).touch()

    @contextmanager
    def without(self, services: Collection[str]) -> Iterator[None]:
        """Have services refuse all calls of functions; they are named as AWS's endpoints are."""
        _away(self.folder).write_text(" ".join(services))
        try:
            yield
        finally:
            _away(self.folder).unlink()

    @contextmanager
    def showing_output(self, show: Callable[[str], None]) -> Iterator[None]:
        """Call `show` with each line that a function writes, until the context ends."""
        ended = Event()

        def follow() -> None:
            with self.output.open(errors="replace") as output:
                while not ended.wait(FOLLOW_SECONDS):
                    for line in output:
                        show(line.rstrip("\n"))

        self.output.touch()
        follower = Thread(target=follow, daemon=True)
        follower.start()
        try:
            yield
        finally:
            ended.set()
            follower.join()

    def client(self, service: str) -> Any:
        """Make a boto3 client of this emulator, whatever AWS settings the environment has."""
        return local_client(self.url, service)


def local_client(url: str, service: str) -> Any:
    """Make a boto3 client of the emulator at a URL."""
    return boto3.client(
        service,
        region_name=REGION,
        endpoint_url=url,
        aws_access_key_id="local",
        aws_secret_access_key="local",
        config=Config(account_id_endpoint_mode="disabled", retries={"total_max_attempts": 1}),
    )


@contextmanager
def running_emulator(port: int = 0) -> Iterator[Emulator]:
    """Start the emulator on 127.0.0.1, on any free port unless one is named, and stop it at the end.

    Raises:
        EmulatorFailed: It did not start; the text has the end of its log.
        PortInUse: Another process listens on the port.
    """
    with bound(port) as free:
        port = free.getsockname()[1]
    folder = Path(tempfile.mkdtemp(prefix="mcp-tasks-"))
    try:
        emulator = _launch(port, folder)
        try:
            _wait_until_healthy(emulator)
            yield emulator
        finally:
            _stop(emulator.process)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def aws_environment(url: str, home: Path) -> dict[str, str]:
    """Return an environment in which AWS is the emulator: no real credentials and no real endpoint are reachable."""
    return {
        "AWS_ENDPOINT_URL": url,
        "AWS_ACCESS_KEY_ID": "local",
        "AWS_SECRET_ACCESS_KEY": "local",
        "AWS_REGION": REGION,
        "AWS_DEFAULT_REGION": REGION,
        "AWS_CONFIG_FILE": os.devnull,
        "AWS_SHARED_CREDENTIALS_FILE": os.devnull,
        "AWS_EC2_METADATA_DISABLED": "true",
        # Otherwise boto3 sends calls that name an ARN to a host made of the account's number.
        "AWS_ACCOUNT_ID_ENDPOINT_MODE": "disabled",
        "CDK_HOME": str(home),
        "HOME": str(home),
        "TMPDIR": str(home),
        "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]),
        # Also what the caller's has: there can be a module of tools that `--tools` names.
        "PYTHONPATH": os.pathsep.join([PYTHON_PATH, *map(os.path.abspath, _inherited_path())]),
    }


def _inherited_path() -> list[str]:
    return list(filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep)))


def _output(folder: Path) -> Path:
    """Return the file of what functions write."""
    return folder / "functions.log"


def _renewed(folder: Path) -> Path:
    """Return the file whose time is that of the last change of the functions' code."""
    return folder / "renewed"


def _away(folder: Path) -> Path:
    """Return the file with the names of the services that are away."""
    return folder / "away"


def _launch(port: int, folder: Path) -> Emulator:
    url, log = f"http://127.0.0.1:{port}", folder / "emulator.log"
    service_data.write(folder / SERVICE_DATA)
    environment = aws_environment(url, folder) | {
        "BIND_HOST": "127.0.0.1",
        "GATEWAY_PORT": str(port),
        "STATE_DIR": str(folder / "state"),
        "S3_DATA_DIR": str(folder / "s3"),
        "FUNCTIONS_OUTPUT": str(_output(folder)),
        "RENEWED": str(_renewed(folder)),
        "AWAY": str(_away(folder)),
        "USAGE": str(folder / "usage"),
        # Each function may do what its role says, as on AWS.
        "AUTH": "true",
        "IOT_MTLS_ENABLED": "0",
        "SFTP_ENABLED": "0",
        # The health check returns it, which distinguishes this emulator from another one on the same port.
        "MINISTACK_EDITION": str(folder),
        # The functions inherit the whole environment, and run under this very Python.
        "LOCAL_PYTHON": sys.executable,
        "SERVICE_DATA": str(folder / SERVICE_DATA),
    }
    with log.open("wb") as output:
        process = subprocess.Popen(
            # Isolated: the import path above is for the functions, not for the emulator.
            [PYTHON, "-I", ROOT / "local/run_ministack.py"],
            env=environment,
            cwd=folder,
            stdin=subprocess.PIPE,
            stdout=output,
            stderr=subprocess.STDOUT,
            # Ctrl-C in a terminal goes to a whole process group: the parent stops the emulator in its own time.
            start_new_session=True,
        )
    return Emulator(url=url, folder=folder, log=log, process=process)


def _wait_until_healthy(emulator: Emulator) -> None:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline and not _ended(emulator.process, within=HEALTH_CHECK_SECONDS):
        if _health(emulator.url).get("edition") == str(emulator.folder):
            return
    raise EmulatorFailed(f"no emulator on {emulator.url}:\n{emulator.log.read_text(errors='replace')[-2000:]}")


def _health(url: str) -> dict[str, Any]:
    try:
        with urlopen(f"{url}/_ministack/health", timeout=1) as reply:
            health: dict[str, Any] = json.load(reply)
            return health
    except (OSError, HTTPException, ValueError):
        return {}


def _stop(process: subprocess.Popen[bytes]) -> None:
    """Close the emulator's standard input, at which it stops, then kill what is left of its process group."""
    assert process.stdin
    process.stdin.close()
    _ended(process, within=STOP_SECONDS)
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _ended(process: subprocess.Popen[bytes], *, within: float) -> bool:
    try:
        process.wait(timeout=within)
    except subprocess.TimeoutExpired:
        return False
    return True
