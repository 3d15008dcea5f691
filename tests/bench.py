"""`make bench`: what the entry point costs in CPU time, which a busy machine changes little.

Import: a fresh interpreter that imports `serve_mcp`, and with it what a first request of a revision imports, beside one
that makes the two AWS clients it needs and nothing else, in turns.  Calls: the real handler in this process, for each
revision, alone and beside the others, in turns; AWS is the emulator, whose own time is not counted.  Inline calls: see
`bench_inline`.  Refusals: see `tests/attacks/bench.py`.  A tenant beside a greedy one: in simulated time and on the
emulator, see `tests/neighbour`.  The memory of a process that holds connections: see `tests/held`.
"""

import importlib
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from local.emulator import ROOT, SERVICE_DATA, Emulator, aws_environment, running_emulator
from mcp_tasks.features import catalogue
from mcp_tasks.features.listing import Features
from mcp_tasks.testing.harness import package
from tests import bench_inline
from tests.elsewhere import elsewhere
from tests.no_account import NO_ACCOUNT
from tests.revisions import REVISIONS, module_of

INTERPRETERS = 15
CALLS = 200
GOAL = 0.9
ADDED = 30

ALONE = "two boto3 clients"
IMPORTS = {
    ALONE: "import boto3; boto3.client('dynamodb'); boto3.client('stepfunctions')",
    "serve_mcp": "import functions.serve_mcp.handler",
    **{
        f"and {revision}": f"import functions.serve_mcp.handler, mcp_tasks.wire.{package(revision)}.serve"
        for revision in sorted(REVISIONS)
    },
}
GREET = {"name": "greet", "arguments": {"name": "Ada"}}
PROFILE = {"name": "profile_csv", "arguments": {"csv": "a,b\n1,2\n"}}

Taken = dict[str, list[float]]
"""Milliseconds of CPU time, by what took them."""

Handler = Callable[[Any, Any], Mapping[str, Any]]


def main() -> None:
    """Measure everything and print it."""
    _print_refusals()
    with running_emulator() as emulator:
        environment = aws_environment(emulator.url, emulator.folder) | _deployed(emulator)
        imports = _imports(environment)
        _print(f"Import, CPU ms, median of {INTERPRETERS} interpreters", imports)
        for name in list(IMPORTS)[1:]:
            ratio = statistics.median(imports[name]) / statistics.median(imports[ALONE])
            print(f"  {'ratio, ' + name:<34} {ratio:8.2f}   (goal: at most {GOAL})")
        os.environ |= environment
        _print(f"Call, CPU ms, median of {CALLS} calls", _calls())
        inline = bench_inline.measure(_greeting(), CALLS)
        _print(f"Inline call, ms, median of {CALLS} calls", inline)
        print(f"  {'goal, added':<34} {ADDED:8.2f}   (at most)")
    _print_of_revisions("neighbour", "bench")
    _print_of_revisions("held", "memory")


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
    module: Any = importlib.import_module("functions.serve_mcp.handler")
    # What runs a call's tool is another function, which is called here: its CPU time counts, the way to it does not.
    inline = catalogue.read(Path(os.environ["CATALOGUE"]).read_text(), elsewhere(Features.of_module("examples")))
    module.SERVER = replace(module.SERVER, features=inline)
    handler: Handler = module.handler
    rows: dict[str, dict[str, Any]] = {}
    for revision in sorted(REVISIONS):
        messages = module_of(revision, "messages").Messages(lambda sent: handler(sent, None))
        wanted = {"taskId": messages.task_id(_result(handler, messages.task(PROFILE)))}
        requests = {
            "hello": messages.hello,
            "tools/list": messages.request("tools/list", {}),
            "tools/call": messages.request("tools/call", GREET),
            "tools/call as a task": messages.task(PROFILE),
            "tasks/get": messages.request("tasks/get", wanted),
        }
        for name, sent in requests.items():
            rows.setdefault(name, {})[revision] = sent
    taken: Taken = {}
    for name, by_revision in rows.items():
        taken |= _in_turns(handler, name, by_revision)
    return taken


def _greeting() -> Any:
    handler: Handler = importlib.import_module("functions.serve_mcp.handler").handler
    messages = module_of(max(REVISIONS), "messages").Messages(lambda sent: handler(sent, None))
    return messages.request("tools/call", GREET)


def _in_turns(handler: Handler, name: str, by_revision: Mapping[str, Any]) -> Taken:
    module: Any = importlib.import_module("functions.serve_mcp.handler")
    all_of_them = module.SERVER.revisions
    turns: dict[str, tuple[Any, Any]] = {}
    for revision, sent in by_revision.items():
        alone = tuple(each for each in all_of_them if each.name == revision)
        turns[f"{name}, {revision} alone"] = (alone, sent)
        if alone != all_of_them:
            turns[f"{name}, {revision}"] = (all_of_them, sent)
    taken: Taken = {turn: [] for turn in turns}
    for _ in range(CALLS):
        for turn, (revisions, sent) in turns.items():
            module.SERVER = replace(module.SERVER, revisions=revisions)
            began = time.process_time()
            response = handler(sent, None)
            taken[turn].append((time.process_time() - began) * 1000)
            assert "result" in json.loads(response["body"]), response
    module.SERVER = replace(module.SERVER, revisions=all_of_them)
    return taken


def _result(handler: Handler, event: Any) -> Any:
    return json.loads(handler(event, None)["body"])["result"]


def _deployed(emulator: Emulator) -> dict[str, str]:
    """Create the AWS resources of the entry point, and return its environment."""
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
    bench_inline.deploy(emulator)
    listed = emulator.folder / "catalogue.json"
    listed.write_text(catalogue.write("examples"))
    return {
        "TABLE_NAME": "tasks",
        "PAYLOAD_BUCKET": "payloads",
        "CATALOGUE": str(listed),
        "SERVICE_DATA": str(emulator.folder / SERVICE_DATA),
        "MACHINES": json.dumps({"run_tool": machine["stateMachineArn"], "remind_me": machine["stateMachineArn"]}),
        # No task ends here, and none shall queue: to say its place reads the places before it.
        "MAX_ACTIVE_TASKS": "1000000",
        "MAX_RUNNING_TASKS": "1000000",
    }


def _print_refusals() -> None:
    print("\nA refusal, ratios of CPU time for all requests that write nothing: median, and the middle 80 %")
    with tempfile.NamedTemporaryFile() as found:
        subprocess.run(
            [sys.executable, "-m", "tests.attacks.bench", found.name],
            env=os.environ | NO_ACCOUNT,
            cwd=ROOT,
            capture_output=True,
            check=True,
        )
        measured: Taken = json.load(found)
    for name, ratios in measured.items():
        tenths = statistics.quantiles(ratios, n=10)
        middle = f"({tenths[0]:.2f} to {tenths[-1]:.2f}, {len(ratios)} requests)"
        print(f"  {name:<34} {statistics.median(ratios):8.3f}   {middle}")


def _print_of_revisions(folder: str, name: str) -> None:
    """Have the revisions print it that have a module of this name there."""
    for revision in REVISIONS:
        measuring = f"tests.{folder}.{package(revision)}"
        if find_spec(measuring):
            for line in importlib.import_module(f"{measuring}.{name}").lines():
                print(line)


def _print(title: str, taken: Taken) -> None:
    print(f"\n{title}")
    for name, times in taken.items():
        print(f"  {name:<34} {statistics.median(times):8.2f}   ({min(times):.2f} to {max(times):.2f})")


if __name__ == "__main__":
    main()
