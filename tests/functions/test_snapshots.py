"""What Lambda finds when it has imported a function, and restores in as many processes as it likes (SnapStart)."""

import json
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from mcp_tasks.features import catalogue
from mcp_tasks.snapshots import renew_after_restore
from tests.no_account import NO_ACCOUNT

ROOT = Path(__file__).parents[2]
FUNCTIONS = sorted(path.parent.name for path in (ROOT / "functions").glob("*/handler.py"))
DEPLOYED = [*(ROOT / "functions").rglob("*.py"), *(ROOT / "layers/core/python").rglob("*.py")]

# Of each process: what it would share with all others that are restored from it.
IMPORTED = """
import gc, importlib, json, os, sys, threading, traceback

drawn, events = [], []

def urandom(size, real=os.urandom):
    drawn.append(traceback.format_stack()[-2])
    return real(size)

def note(event, values):
    if event in ("socket.connect", "socket.getaddrinfo", "_thread.start_new_thread"):
        events.append(event)

# Where `random`, `secrets` and `uuid` take it from.
os.urandom = urandom
sys.addaudithook(note)
importlib.import_module(f"functions.{sys.argv[1]}.handler")
at_import, begun = list(drawn), [*events, *(each.name for each in threading.enumerate()[1:])]

import random
import snapshot_restore_py

# `tool_bootstrap` hides what it imported from the collector.
gc.unfreeze()
seeded = {id(each) for each in gc.get_objects() if type(each) is random.Random}
shared = random.getstate()
numbers = []
for _ in range(2):
    random.setstate(shared)
    for hook, given, named in snapshot_restore_py.get_after_restore():
        hook(*given, **named)
    numbers.append(random.random())
others = len(seeded - {id(random._inst)})
renewed = len(drawn) - len(at_import)
found = {"drawn": at_import, "begun": begun, "other generators": others}
print(json.dumps({**found, "renewed": renewed, "numbers": numbers}))
"""

# In place of keys in the environment, Lambda has a function with snapshots ask for them.
SIGNED = """
import functions.serve_mcp.handler
from mcp_tasks import aws

aws.client("dynamodb", aws.NETWORK).get_item(TableName="tasks", Key={"PK": {"S": "a"}, "SK": {"S": "b"}})
"""


class _Aws(BaseHTTPRequestHandler):
    """Lambda's credentials, of which the first are over when they are used, and a table in which nothing is."""

    given: list[str]
    used: list[str]

    def do_GET(self) -> None:
        self.given.append("AFTER" if self.given else "BEFORE")
        ends_at = datetime.now(UTC) + timedelta(hours=len(self.given) - 1)
        key = {"AccessKeyId": self.given[-1], "SecretAccessKey": "s", "Token": "t", "Expiration": f"{ends_at:%FT%TZ}"}
        self._answer(json.dumps(key).encode())

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        self.used.append(self.headers["Authorization"].partition("Credential=")[2].partition("/")[0])
        self._answer(b"{}")

    def log_message(self, format: str, *args: Any) -> None:
        """Log nothing: requests are logged by default."""

    def _answer(self, body: bytes) -> None:
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


@pytest.fixture
def account() -> Iterator[ThreadingHTTPServer]:
    _Aws.given, _Aws.used = [], []
    with ThreadingHTTPServer(("127.0.0.1", 0), _Aws) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    file = tmp_path / "catalogue.json"
    file.write_text(catalogue.write("examples"))
    return {
        **NO_ACCOUNT,
        "PYTHONPATH": ":".join(sys.path),
        "CATALOGUE": str(file),
        "TOOLS_MODULE": "examples",
        "TABLE_NAME": "tasks",
        "PAYLOAD_BUCKET": "payloads",
        "STREAM_ARN": "arn:aws:dynamodb:eu-west-1:123456789012:table/tasks/stream/1",
        "TENANT_ROLE": "arn:aws:iam::123456789012:role/tenants",
        **{name: name for name in ("HOST_FUNCTION", "INLINE_FUNCTION", "TOOLS_FUNCTION")},
    }


@pytest.fixture(params=FUNCTIONS)
def imported(request: pytest.FixtureRequest, environment: dict[str, str]) -> Any:
    command = [sys.executable, "-c", IMPORTED, request.param]
    done = subprocess.run(command, env=environment, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_restored_processes_share_nothing_that_has_to_be_each_one_s_own(imported: Any) -> None:
    one, other = imported["numbers"]

    assert one != other
    assert imported["other generators"] == 0
    # For OpenSSL, whose state nothing shows: a draw for each time that the process was restored.
    assert imported["renewed"] == 2
    assert imported["drawn"] == []
    assert imported["begun"] == []


def test_no_age_is_measured_by_a_clock_that_a_restore_sets_back() -> None:
    monotonic = [path for path in DEPLOYED if any(name in path.read_text() for name in ("monotonic(", "perf_counter"))]

    assert [path.name for path in monotonic if "testing" not in path.parts] == []


def test_credentials_that_ended_since_the_snapshot_are_asked_for_again(
    environment: dict[str, str], account: ThreadingHTTPServer
) -> None:
    url = f"http://127.0.0.1:{account.server_port}"
    asked = {"AWS_ENDPOINT_URL": url, "AWS_CONTAINER_CREDENTIALS_FULL_URI": f"{url}/credentials"}
    in_lambda = {name: value for name, value in environment.items() if name not in NO_ACCOUNT}
    settings = {**in_lambda, "AWS_DEFAULT_REGION": "eu-west-1", "AWS_CONFIG_FILE": "/dev/null", **asked}

    done = subprocess.run([sys.executable, "-c", SIGNED], env=settings, cwd=ROOT, capture_output=True, check=False)

    assert done.returncode == 0, done.stderr
    assert _Aws.given[0] == "BEFORE"
    assert _Aws.used == ["AFTER"]


def test_outside_lambda_there_is_nothing_to_renew(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "snapshot_restore_py", None)

    renew_after_restore()
