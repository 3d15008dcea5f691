"""`make bench`: what the door costs, in CPU time, so that a busy machine changes little.

Import: a fresh interpreter that imports `serve_mcp`, beside one that makes the two AWS clients it needs and nothing
else, in turns.  Calls: the real handler in this process; AWS is the emulator, whose own time is not counted.
"""

import importlib
import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from typing import Any

from local.emulator import ROOT, Emulator, aws_environment, running_emulator
from mcp_tasks.features import catalogue

INTERPRETERS = 15
CALLS = 200
GOAL = 1.25

ALONE = "two boto3 clients"
DOOR = "serve_mcp"
IMPORTS = {
    ALONE: "import boto3; boto3.client('dynamodb'); boto3.client('stepfunctions')",
    DOOR: "import functions.serve_mcp.handler",
}
HELLO = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}}
GREET = {"name": "greet", "arguments": {"name": "Ada"}}
PROFILE = {"name": "profile_csv", "arguments": {"csv": "a,b\n1,2\n"}, "task": {"ttl": 60_000}}

Taken = dict[str, list[float]]
"""Milliseconds of CPU time, by what took them."""


def main() -> None:
    """Measure everything and print it."""
    with running_emulator() as emulator:
        environment = aws_environment(emulator.url, emulator.folder) | _deployed(emulator)
        imports = _imports(environment)
        _print(f"Import, CPU ms, median of {INTERPRETERS} interpreters", imports)
        ratio = statistics.median(imports[DOOR]) / statistics.median(imports[ALONE])
        print(f"  {'ratio':<22} {ratio:8.2f}   (goal: at most {GOAL})")
        os.environ |= environment
        _print(f"Call, CPU ms, median of {CALLS} calls", _calls())


def _imports(environment: Mapping[str, str]) -> Taken:
    taken: Taken = {name: [] for name in IMPORTS}
    for _ in range(INTERPRETERS + 1):
        for name, code in IMPORTS.items():
            timed = f"import time; began = time.process_time(); {code}; print(time.process_time() - began)"
            done = subprocess.run(
                [sys.executable, "-c", timed], env=environment, cwd=ROOT, capture_output=True, text=True, check=True
            )
            taken[name].append(float(done.stdout) * 1000)
    # The first of each may have had to compile.
    return {name: times[1:] for name, times in taken.items()}


def _calls() -> Taken:
    handler = importlib.import_module("functions.serve_mcp.handler").handler
    hello = _event("initialize", HELLO)
    session = handler(hello, None)["headers"]["mcp-session-id"]
    return {
        "initialize": _times(handler, hello),
        "tools/list": _times(handler, _event("tools/list", {}, session)),
        "tools/call": _times(handler, _event("tools/call", GREET, session)),
        "tools/call as a task": _times(handler, _event("tools/call", PROFILE, session)),
    }


def _times(handler: Callable[[Any, Any], Mapping[str, Any]], event: Mapping[str, Any]) -> list[float]:
    times = []
    for _ in range(CALLS):
        began = time.process_time()
        response = handler(event, None)
        times.append((time.process_time() - began) * 1000)
        assert "result" in json.loads(response["body"]), response
    return times


def _event(method: str, params: Mapping[str, Any], session: str | None = None) -> dict[str, Any]:
    message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
    return {
        "httpMethod": "POST",
        "headers": headers | ({"Mcp-Session-Id": session} if session else {}),
        "body": json.dumps(message),
        "isBase64Encoded": False,
        "requestContext": {
            "authorizer": {"tenant": "acme", "subject": "ada", "scopes": ""},
            "requestTimeEpoch": time.time() * 1000,
        },
    }


def _deployed(emulator: Emulator) -> dict[str, str]:
    """Make what the door talks to, and return its environment."""
    emulator.client("dynamodb").create_table(
        TableName="tasks",
        KeySchema=[{"AttributeName": "PK", "KeyType": "HASH"}, {"AttributeName": "SK", "KeyType": "RANGE"}],
        AttributeDefinitions=[{"AttributeName": name, "AttributeType": "S"} for name in ("PK", "SK")],
        BillingMode="PAY_PER_REQUEST",
    )
    trust = {"Effect": "Allow", "Principal": {"Service": "states.amazonaws.com"}, "Action": "sts:AssumeRole"}
    role = emulator.client("iam").create_role(
        RoleName="machine", AssumeRolePolicyDocument=json.dumps({"Version": "2012-10-17", "Statement": [trust]})
    )
    machine = emulator.client("stepfunctions").create_state_machine(
        name="run_tool",
        definition=json.dumps({"StartAt": "Done", "States": {"Done": {"Type": "Succeed"}}}),
        roleArn=role["Role"]["Arn"],
    )
    listed = emulator.folder / "catalogue.json"
    listed.write_text(catalogue.write("tools"))
    return {
        "TABLE_NAME": "tasks",
        "PAYLOAD_BUCKET": "payloads",
        "CATALOGUE": str(listed),
        "MACHINES": json.dumps({"run_tool": machine["stateMachineArn"], "remind_me": machine["stateMachineArn"]}),
        "MAX_ACTIVE_TASKS": "1000000",
    }


def _print(title: str, taken: Taken) -> None:
    print(f"\n{title}")
    for name, times in taken.items():
        print(f"  {name:<22} {statistics.median(times):8.2f}   ({min(times):.2f} to {max(times):.2f})")


if __name__ == "__main__":
    main()
