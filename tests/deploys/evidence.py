"""What a deployed stack shows of its releases in its logs, and of its tasks in its table."""

import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from local.stack import Stack

VERSION_OF_STREAM = re.compile(r"\[(\S+)\]")
CODE = "code"
LATEST = "$LATEST"
STORED = {"completed": "finished", "cancelled": "cancelled"}
"""The state in the table, by the status of a task: how a finished one ended is for clients to check."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """What the logs say: of every invocation which release it was, of every record, and of every run of a tool."""

    invocations: Counter[tuple[str, str]] = field(default_factory=Counter)
    """By the name of the function's folder and by the release of the version that was invoked."""

    answers: Counter[str] = field(default_factory=Counter)
    """Records of answers to clients, by the release that they name."""

    strangers: list[Mapping[str, Any]] = field(default_factory=list)
    """Records that name another release than that of the version that wrote them."""

    runs: dict[str, list[tuple[int, str, str]]] = field(default_factory=lambda: defaultdict(list))
    """When each run of a task's tool was logged, its code and its release, by the task."""

    def codes(self) -> list[list[str]]:
        """Return by which code each task was run, in the order of its runs."""
        return [[code for _, code, _ in sorted(runs)] for runs in self.runs.values()]


def evidence(stack: Stack) -> Evidence:
    """Read the logs of all functions."""
    found, logs = Evidence(answers=_answers(stack)), stack.client("logs")
    for name, function in functions(stack).items():
        releases = function.releases
        pages = logs.get_paginator("filter_log_events").paginate(logGroupName=function.log_group)
        for event in (event for page in pages for event in page["events"]):
            release = releases[VERSION_OF_STREAM.findall(event["logStreamName"])[0]]
            if event["message"].startswith("START RequestId"):
                found.invocations[name, release] += 1
            elif event["message"].startswith("{"):
                _note(found, json.loads(event["message"]), release, event["timestamp"])
    return found


def _answers(stack: Stack) -> Counter[str]:
    """Count records of answers by release, from all that was written: the emulator's logs may lack the last line."""
    lines = (line for line in stack.emulator.output.read_text(errors="replace").splitlines() if line.startswith("{"))
    written = map(json.loads, lines)
    return Counter(record["release"] for record in written if record.get("message") == "answered")


def _note(found: Evidence, record: Mapping[str, Any], release: str, logged_at: int) -> None:
    if LATEST != release != record.get("release", release):
        found.strangers.append(record)
    if CODE in record and "task" in record:
        found.runs[record["task"]].append((logged_at, record[CODE], record["release"]))


@dataclass(frozen=True, slots=True, kw_only=True)
class Function:
    """A deployed function, with the release of each of its versions."""

    name: str
    log_group: str
    releases: Mapping[str, str]


def functions(stack: Stack) -> Mapping[str, Function]:
    """Return the deployed functions by the names of their folders."""
    lambdas = stack.client("lambda")
    return {each.pop("folder"): Function(**each) for each in map(dict, _described(lambdas))}


def _described(lambdas: Any) -> Iterator[Mapping[str, Any]]:
    for each in lambdas.list_functions()["Functions"]:
        pages = lambdas.get_paginator("list_versions_by_function").paginate(FunctionName=each["FunctionName"])
        versions = [version for page in pages for version in page["Versions"]]
        yield {
            "folder": each["Handler"].split(".")[1],
            "name": each["FunctionName"],
            "log_group": each["LoggingConfig"]["LogGroup"],
            "releases": {version["Version"]: _release(version) for version in versions},
        }


def _release(version: Mapping[str, Any]) -> str:
    """Return the release of a version; that of 0.3's functions, which have no other, was another one before."""
    release = version["Environment"]["Variables"].get("RELEASE", "")
    return LATEST if version["Version"] == LATEST else str(release)


def left(stack: Stack, tasks: Mapping[str, tuple[str, str]]) -> dict[str, Any]:
    """Return what is not as it should be once all is over: lost, not final, counted, queued, running or given up."""
    pages = (
        stack.client("dynamodb")
        .get_paginator("scan")
        .paginate(TableName=stack.client("dynamodb").list_tables()["TableNames"][0])
    )
    items = [item for page in pages for item in page["Items"]]
    states = {_name(item): item["state"]["S"] for item in items if _kind(item) == "task"}
    expected = {task_id: STORED[status] for task_id, (_, status) in tasks.items()}
    found = {
        "tasks": {
            each: (expected.get(each), states.get(each))
            for each in states.keys() | expected.keys()
            if states.get(each) != expected.get(each)
        },
        "live": [_name(item) for item in items if "liveShard" in item],
        "queued": [item["SK"]["S"] for item in items if _kind(item) == "queue"],
        "active": _counted(items, "quota", "active"),
        "running": _counted(items, "quota", "running"),
        "executions": [
            each["name"] for each in executions(stack) if each["status"] in ("RUNNING", "FAILED", "TIMED_OUT")
        ],
        "dead letters": _dead_letters(stack),
    }
    return {name: value for name, value in found.items() if value}


def _counted(items: Sequence[Mapping[str, Any]], kind: str, attribute: str) -> dict[str, int]:
    counted: Counter[str] = Counter()
    for item in items:
        if _kind(item) == kind:
            counted[item["PK"]["S"]] += int(item.get(attribute, {"N": "0"})["N"])
    return {tenant: count for tenant, count in counted.items() if count}


def executions(stack: Stack) -> Iterator[Mapping[str, Any]]:
    """Return all executions of all state machines."""
    states = stack.client("stepfunctions")
    for machine in states.list_state_machines()["stateMachines"]:
        pages = states.get_paginator("list_executions").paginate(stateMachineArn=machine["stateMachineArn"])
        yield from (execution for page in pages for execution in page["executions"])


def _dead_letters(stack: Stack) -> dict[str, str]:
    sqs, name = stack.client("sqs"), "ApproximateNumberOfMessages"
    counts = {
        url: sqs.get_queue_attributes(QueueUrl=url, AttributeNames=[name])["Attributes"][name]
        for url in sqs.list_queues()["QueueUrls"]
    }
    return {url: count for url, count in counts.items() if count != "0"}


def _kind(item: Mapping[str, Any]) -> str:
    return str(item["SK"]["S"]).split("#")[0]


def _name(item: Mapping[str, Any]) -> str:
    return str(item["SK"]["S"]).split("#")[1]
