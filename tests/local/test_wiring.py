"""The local server wires the same services as AWS does, without what only AWS needs."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from local.serve import first_stage

WIRED = """
import sys
from local.serve import memory_server
from mcp_tasks.features.listing import Features
from mcp_tasks.wire.http import HttpRequest
from mcp_tasks.wire.server import handle
from mcp_tasks.security.tenancy import ANONYMOUS

headers = {"accept": "application/json, text/event-stream", "content-type": "application/json"}
body = b'{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-11-25",'
body += b' "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}}'
reply = handle(memory_server(Features.of([]), {}), HttpRequest(method="POST", headers=headers, body=body), ANONYMOUS)
assert reply.status < 500, reply
print([name for name in ("botocore", "boto3", "mcp_tasks.bootstrap") if name in sys.modules])
"""


LOADED = """
import sys
from local.serve import memory_server
from mcp_tasks.features.listing import Features

features = Features.of_module("examples")
assert [tool.machine for tool in features.tools if tool.machine != "run_tool"]
memory_server(features, {})
print([name for name in ("moto", "aws_cdk", "jsonata", "boto3") if name in sys.modules])
"""


def test_the_local_server_starts_without_what_runs_state_machines() -> None:
    done = subprocess.run([sys.executable, "-c", LOADED], env={"PYTHONPATH": ":".join(sys.path)}, capture_output=True)

    assert (done.stdout.decode().strip(), done.stderr.decode()) == ("[]", "")


def test_the_local_server_answers_without_a_client_of_aws() -> None:
    done = subprocess.run([sys.executable, "-c", WIRED], env={"PYTHONPATH": ":".join(sys.path)}, capture_output=True)

    assert (done.stdout.decode().strip(), done.stderr.decode()) == ("[]", "")


def test_it_presents_itself_as_the_first_stage_does_whatever_its_name(tmp_path: Path) -> None:
    cdk = tmp_path / "cdk.json"
    cdk.write_text(json.dumps({"context": {"stages": {"prod": {"server_name": "shop"}, "dev": {}}}}))

    assert first_stage(cdk) == ("prod", {"server_name": "shop"})


def test_a_file_that_is_no_json_is_told_in_a_sentence(tmp_path: Path) -> None:
    cdk = tmp_path / "cdk.json"
    cdk.write_text("{,}")

    with pytest.raises(SystemExit, match=r"cdk\.json is no JSON: Expecting property name"):
        first_stage(cdk)
