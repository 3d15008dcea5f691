"""A call is one trace, from its first request through runs, deaths, questions and answers to the last wait."""

import gc
import logging
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from mcp_tasks.testing.client import RESPONDS, Client
from mcp_tasks.testing.harness import client_module
from mcp_tasks.wire.http import HttpReply, HttpRequest
from tests.harness.logs import kept
from tests.harness.tasks import DeployedTasks

Records = list[Mapping[str, Any]]

AT_A_TIME = 20
"""Calls that are on their way."""


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


@dataclass(slots=True)
class Traced:
    """A client each of whose requests belongs to the trace that it is told."""

    tasks: DeployedTasks
    client: Client = field(init=False)
    trace: str = ""

    def __post_init__(self) -> None:
        """Connect by a gateway that adds the header."""
        module, gateway = client_module(self.tasks.revision), self.tasks.gateway()

        def send(request: HttpRequest) -> HttpReply:
            traced = {"traceparent": f"00-{self.trace}-{'1' * 16}-01"} if self.trace else {}
            return gateway.send(replace(request, headers={**request.headers, **traced}))

        sleep = self.tasks.harness.lambdas.clock.sleep
        self.client = module.Client(send, {**RESPONDS, **module.TASKS}, sleep=sleep)

    def of(self, trace: str) -> Client:
        """Return the client, whose next requests belong to a trace."""
        self.trace = trace
        return self.client


@dataclass(slots=True, kw_only=True)
class Story:
    """One call: its tool dies once, or asks, which another client answers under another trace."""

    number: int
    caller: Traced
    other: Traced
    task_id: str = ""

    @property
    def trace(self) -> str:
        return f"{self.number + 1:032x}"

    @property
    def asks(self) -> bool:
        return bool(self.number % 2)

    def start(self) -> None:
        tool, arguments = ("curious", {"batches": [["a"]]}) if self.asks else ("frail", {"deaths": 1})
        self.task_id = self.caller.of(self.trace).start_task(tool, arguments).id

    def answer(self) -> None:
        if self.asks:
            (question,) = self.other.of(f"{self.number + 1:031x}f").task(self.task_id).input_requests
            question.accept(said="yes")

    def read(self) -> None:
        assert not self.caller.of(self.trace).task_result(self.task_id).is_error


def told(tasks: DeployedTasks, count: int) -> Iterator[Story]:
    """Have so many calls made, and yield each once it has ended."""
    caller, other = Traced(tasks), Traced(tasks)
    for first in range(0, count, AT_A_TIME):
        numbers = range(first, min(first + AT_A_TIME, count))
        stories = [Story(number=number, caller=caller, other=other) for number in numbers]
        for part in (Story.start, Story.answer, Story.read):
            for story in stories:
                part(story)
            # Which is enough to run what died again.
            tasks.advance(minutes=1)
        yield from stories
        # What has ended slows down what follows: the harness reads the table, and each run collects garbage.
        tasks.advance(days=2)
        tasks.harness.expire()
        gc.freeze()


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
    stories = list(told(tasks, count))
    traces = reassembled(logged)

    missing = {
        story.number: lacks
        for story in stories
        if (lacks := lacking(traces[story.trace], story.task_id, asks=story.asks))
    }
    assert len(stories) == len({story.task_id for story in stories}) == count
    assert missing == {}
