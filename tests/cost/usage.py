"""Counts what the emulator wrote down of a stack: once for each thing that a scenario does, until all is idle."""

import json
import statistics
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from local.stack import Stack
from tests.cost.stage import name_of
from tests.timeout import until
from tests.transitions import transitions

CALM_SECONDS = 1
PAUSE_SECONDS = 0.1
MAX_WORK_SECONDS = 600
NOTHING_HELD = 0.15
"""What an invocation takes beyond its CPU and its calls, up to which it is the emulator's own time and not a wait.

Of what waits for longer, all of its time counts: what it does meanwhile makes it no longer.
"""

APART = {"anchor_audit", "authorize", "sweep"}
"""What runs by the minute, whatever else happens."""

Counts = Mapping[str, Any]


@dataclass(slots=True, kw_only=True)
class Meter:
    """Counts what happens on a stack, whose functions should be warm."""

    stack: Stack
    settings: Mapping[str, Any]
    _names: dict[str, str] = field(default_factory=dict)
    _seen: set[str] = field(default_factory=set)

    def each(self, act: Callable[[], object], times: int, only: Collection[str] = ()) -> Counts:
        """Return the middle of what an act causes, of several times; of the functions named `only`, where some are."""
        return middle([self.once(act, only) for _ in range(times)])

    def once(self, act: Callable[[], object], only: Collection[str] = ()) -> Counts:
        """Return what an act causes."""
        self.wait_until_idle()
        self._executions()
        with self.stack.emulator.usage.open() as file:
            file.seek(0, 2)
            act()
            self.wait_until_idle()
            records = [json.loads(line) for line in file]
        return {**self._counted(records, only), **({} if only else self._executions())}

    def during(self, act: Callable[[], object], only: Collection[str]) -> Counts:
        """Return what an act causes in some functions while other work goes on."""
        with self.stack.emulator.usage.open() as file:
            file.seek(0, 2)
            act()
            self.wait_until_written(only)
            return self._counted([json.loads(line) for line in file], only)

    def work_done(self) -> None:
        """Wait until no execution runs, or each that runs waits for an answer, without a client's asking."""
        states = self.stack.client("stepfunctions")
        machines = [each["stateMachineArn"] for each in states.list_state_machines()["stateMachines"]]

        def runs() -> bool:
            listed = (states.list_executions(stateMachineArn=arn, statusFilter="RUNNING") for arn in machines)
            return any(each["executions"] for each in listed)

        until(lambda: not runs(), within=MAX_WORK_SECONDS, pause=PAUSE_SECONDS)

    def wait_until_idle(self) -> None:
        """Wait until nothing has been written down for some time, and no function runs."""
        with self.stack.emulator.usage.open() as file:
            running, since = 0, time.monotonic()

            def is_idle() -> bool:
                nonlocal running, since
                for line in file:
                    kind = json.loads(line)["kind"]
                    running += (kind == "begun") - (kind == "invocation")
                    since = time.monotonic()
                return not running and time.monotonic() - since >= CALM_SECONDS

            until(is_idle, within=MAX_WORK_SECONDS, pause=PAUSE_SECONDS)

    def wait_until_written(self, functions: Collection[str]) -> None:
        """Wait until each invocation of these functions has ended and logged its record: both come after its answer."""
        seen = {kind: Counter[str]() for kind in ("begun", "invocation", "log")}
        with self.stack.emulator.usage.open() as file:

            def is_written() -> bool:
                for record in map(json.loads, file):
                    if record["kind"] in seen:
                        seen[record["kind"]][self._name(record["function"])] += 1
                begun, ended, logged = seen.values()
                return all(begun[name] == ended[name] <= logged[name] for name in functions)

            until(is_written, within=MAX_WORK_SECONDS, pause=PAUSE_SECONDS)

    def _counted(self, records: Iterable[Mapping[str, Any]], only: Collection[str]) -> dict[str, Any]:
        answered, functions = [], defaultdict(list)
        for record in records:
            if record["kind"] == "request":
                answered.append(record["bytes"])
            else:
                functions[self._name(record.get("function") or record["by"])].append(record)
        wanted = set(only or functions) - (set() if only else APART)
        return {
            "requests": len(answered),
            "bytes_out": sum(answered),
            "functions": {name: _of_function(functions[name]) for name in sorted(wanted & set(functions))},
        }

    def _name(self, deployed: str) -> str:
        if deployed not in self._names:
            found = self.stack.client("lambda").get_function_configuration(FunctionName=deployed)
            self._names[deployed] = name_of(found["Handler"])
        return self._names[deployed]

    def _executions(self) -> dict[str, Any]:
        """Return what the executions that were not seen before took, of which all events are logged at level ALL."""
        states, new = self.stack.client("stepfunctions"), {"transitions": 0, "events_logged": 0, "event_bytes": 0}
        for machine in states.list_state_machines()["stateMachines"]:
            arn = machine["stateMachineArn"]
            for page in states.get_paginator("list_executions").paginate(stateMachineArn=arn):
                for execution in page["executions"]:
                    if execution["executionArn"] not in self._seen:
                        self._seen.add(execution["executionArn"])
                        _add(new, list(_history(states, execution["executionArn"])), self.settings["executions"])
        return new


def _history(states: Any, execution: str) -> Iterator[Mapping[str, Any]]:
    for page in states.get_paginator("get_execution_history").paginate(executionArn=execution):
        yield from page["events"]


def _add(counts: dict[str, Any], history: list[Mapping[str, Any]], level: str) -> None:
    failed = ("Failed", "TimedOut", "Aborted")
    logged = [each for each in history if level == "ALL" or (level != "OFF" and each["type"].endswith(failed))]
    counts["transitions"] += transitions(history)
    counts["events_logged"] += len(logged)
    counts["event_bytes"] += sum(len(json.dumps(_without_data(each), default=str)) for each in logged)


def _without_data(event: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return an event as it is logged: with its execution, and without what is sent and returned."""
    data = ("input", "output", "parameters", "resultSelector", "cause")
    return {
        name: {each: text for each, text in value.items() if each not in data} if isinstance(value, dict) else value
        for name, value in {**event, "execution_arn": "arn:" + 120 * "x"}.items()
    }


def _of_function(records: list[Mapping[str, Any]]) -> dict[str, Any]:
    invoked = [each for each in records if each["kind"] == "invocation"]
    calls = [each for each in records if each["kind"] == "call"]
    lines = [each["bytes"] for each in records if each["kind"] == "log"]
    cpu = [each["cpu"] for each in invoked if each["cpu"] is not None]
    seconds = sum(each["seconds"] for each in invoked)
    beyond = seconds - sum(cpu) - sum(each["seconds"] for each in calls)
    return {
        "invocations": len(invoked),
        "cpu_ms": 1000 * sum(cpu),
        "held_seconds": seconds if beyond > NOTHING_HELD * max(1, len(invoked)) else 0,
        "log_lines": len(lines),
        "log_bytes": sum(lines),
        "write_units": sum(each.get("write", 0) for each in calls),
        "read_units": sum(each.get("read", 0) for each in calls),
        "calls": dict(sorted(Counter(each["what"] for each in calls).items())),
    }


def middle(counted: list[Counts]) -> Counts:
    """Return the median of each number, of a number that one of them lacks as of 0."""
    names = {name: each[name] for each in counted for name in each}
    return {
        name: middle([each.get(name, {}) for each in counted])
        if isinstance(value, Mapping)
        else round(statistics.median(each.get(name, 0) for each in counted), 3)
        for name, value in sorted(names.items())
    }


def less(whole: Counts, part: Counts, times: int = 1) -> Counts:
    """Return what one thing is beyond another, divided by how often that is in it."""
    return {
        name: less(value, part.get(name, {}), times)
        if isinstance(value, Mapping)
        else round((value - part.get(name, 0)) / times, 3)
        for name, value in whole.items()
        if not isinstance(value, Mapping) or any(value.values())
    }
