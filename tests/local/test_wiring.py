"""The local server wires the same services as AWS does, without what only AWS needs."""

import subprocess
import sys

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
