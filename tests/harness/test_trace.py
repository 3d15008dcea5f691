"""A call is one trace, from its first request through runs, deaths, questions and answers to the last wait."""

import logging
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import pytest

from mcp_tasks.testing.client import FINAL, RESPONDS, Client
from mcp_tasks.testing.harness import client_module
from mcp_tasks.wire.http import HttpReply, HttpRequest
from tests.harness.logs import kept
from tests.harness.tasks import DeployedTasks

Records = list[Mapping[str, Any]]


@pytest.fixture
def logged(tasks: DeployedTasks) -> Iterator[Records]:
    """Return all records that functions write from now on, with what marks them."""
    records: Records = []

    class Marked(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            # As the marked handlers of the functions left it.
            records.append(dict(vars(record)))

    with kept(Marked(logging.INFO)):
        yield records


def of_one_trace(tasks: DeployedTasks, trace: str) -> Client:
    """Return a client whose requests belong to a trace."""
    module, gateway = client_module(tasks.revision), tasks.gateway()

    def send(request: HttpRequest) -> HttpReply:
        return gateway.send(replace(request, headers={**request.headers, "traceparent": f"00-{trace}-{'1' * 16}-01"}))

    client: Client = module.Client(send, {**RESPONDS, **module.TASKS}, sleep=tasks.harness.lambdas.clock.sleep)
    return client


def one_story(tasks: DeployedTasks, number: int) -> tuple[str, str]:
    """Start a task that dies or asks, answer it by a client of another trace, and wait for it; return trace and id."""
    trace, asks = f"{number + 1:032x}", bool(number % 2)
    client, other = of_one_trace(tasks, trace), of_one_trace(tasks, f"{number + 1:031x}f")
    task = client.start_task(*(("curious", {"batches": [["a"]]}) if asks else ("frail", {"deaths": 1})))
    tasks.harness.run_until_idle()
    if asks:
        (question,) = other.task(task.id).input_requests
        question.accept(said="yes")
        tasks.harness.run_until_idle()
    while client.get_task(task.id).status not in FINAL:
        moment = tasks.harness.next_deadline()
        assert moment is not None
        tasks.harness.move(moment)
    assert not client.task_result(task.id).is_error
    return trace, task.id


def reassembled(logged: Records) -> Mapping[str, Records]:
    """Return the records of each trace: those that name it, and those that name a task which one of these names."""
    trace_of = {each["task"]: each["trace"] for each in logged if "trace" in each and "task" in each}
    traces: dict[str, Records] = defaultdict(list)
    for each in logged:
        if trace := each.get("trace") or trace_of.get(each.get("task")):
            traces[trace].append(each)
    return traces


def lacking(records: Records, task_id: str, *, asks: bool) -> set[str]:
    """Return what the trace of a call should have and has not, and what is in it of another task."""
    answered = [each for each in records if each["msg"] == "answered" and each.get("task") == task_id]
    events = [each["event"] for each in records if "event" in each]
    runs = [each for each in records if each["msg"] == "run"]
    found = {
        "start": any(each.get("outcome") == "started" for each in answered),
        "created": events.count("task.created") == 1,
        "turn": "task.started" in events,
        "two runs": len(runs) == 2,
        "question": ("task.asked" in events, "task.answered" in events) == (asks, asks),
        "outcome": events.count("task.finished") == 1,
        "last read": answered[-1]["method"] in ("tasks/result", "tasks/get"),
        "nothing of others": {each["task"] for each in records if "task" in each} == {task_id},
    }
    return {name for name, is_so in found.items() if not is_so}


@pytest.mark.parametrize("count", [8, pytest.param(1000, marks=pytest.mark.slow)])
def test_every_call_can_be_reassembled_from_the_logs(tasks: DeployedTasks, logged: Records, count: int) -> None:
    stories = [one_story(tasks, number) for number in range(count)]
    traces = reassembled(logged)

    missing = {
        trace: lacks
        for number, (trace, task_id) in enumerate(stories)
        if (lacks := lacking(traces[trace], task_id, asks=bool(number % 2)))
    }
    assert missing == {}
