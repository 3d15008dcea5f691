"""What the host of runs does for whoever holds a ticket, and what it refuses however it is asked."""

import json
from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from mcp_tasks import Context, tool
from mcp_tasks.engine.runner import RunInterrupted
from mcp_tasks.limits.requests import MAX_URI_CHARACTERS
from mcp_tasks.limits.tools import (
    MAX_ERROR_CHARACTERS,
    MAX_INPUT_REQUESTS,
    MAX_INPUT_REQUESTS_CHARACTERS,
    MAX_LINE_CHARACTERS,
    MAX_LOADED_CHARACTERS,
    MAX_RESULT_CHARACTERS,
    MAX_STEP_CHARACTERS,
    MAX_STEP_NAME_CHARACTERS,
)
from mcp_tasks.limits.waits import KEPT
from mcp_tasks.ports.run_host import LoadedRun, TicketRevoked
from mcp_tasks.run_host.client import RemoteHost
from mcp_tasks.run_host.loaded_runs import LOADED_RUN, document_of_run
from mcp_tasks.tasks.model import JSON, Failed, Returned, State
from tests.isolation.messages import MESSAGES
from tests.unit.tool_run import ToolRun, text, tool_run

ROOTS = {"key": "roots", "method": "roots/list", "params": {}}
LONG = "x" * 5_000_000


def job(context: Context) -> str:
    return "done"


class Stranger:
    """Somebody who holds the tickets of one run, and sends what they like."""

    def __init__(self) -> None:
        self.made: ToolRun = tool_run(job, client_capabilities=frozenset({"roots"}))
        tickets = self.made.runner.tickets
        task = self.made.task
        self.start = tickets.for_start(self.made.caller.owner_key, task.id, until=task.expires_at)
        self.run = tickets.for_run(tickets.read_start(self.start))

    def send(self, does: Any, **sent: JSON) -> Any:
        return self.send_with(self.run, does, **sent)

    def send_with(self, ticket: object, does: Any, **sent: JSON) -> Any:
        message = {"ticket": ticket, "does": does, **sent}
        return self.made.runner.runner.send(message)


EVERYTHING: Mapping[str, Mapping[str, JSON]] = {does: sent for does, sent in MESSAGES.items() if does != "load"}


@pytest.mark.parametrize("does", ["load", *EVERYTHING])
@pytest.mark.parametrize("ticket", [None, "", "acme#ada:e30.e30", 7])
def test_without_a_ticket_nothing_is_done(does: str, ticket: object) -> None:
    stranger = Stranger()
    before = stranger.made.current()

    kind = "start" if does == "load" else "run"
    answer = stranger.send_with(ticket, does, **EVERYTHING.get(does, {}))
    assert answer == {"refused": f"this is no {kind} ticket"}
    assert stranger.made.current() == before


@pytest.mark.parametrize("does", EVERYTHING)
def test_a_start_ticket_is_good_for_loading_alone(does: str) -> None:
    stranger = Stranger()

    assert stranger.send_with(stranger.start, does, **EVERYTHING[does]) == {"refused": "this is no run ticket"}


def test_a_run_ticket_loads_no_further_run() -> None:
    stranger = Stranger()

    assert stranger.send("load") == {"refused": "this is no start ticket"}


@pytest.mark.parametrize("does", EVERYTHING)
def test_a_ticket_reaches_its_own_task_whatever_else_a_message_names(does: str) -> None:
    stranger = Stranger()
    other = stranger.made.tasks.start(stranger.made.caller, tool(name="job", description="A job.")(job), {})
    names = {"task": other.id, "task_id": other.id, "owner_key": "rival#eve", "scope": "rival#eve"}

    assert "not_wanted" not in stranger.send(does, **EVERYTHING[does], **names)
    assert stranger.made.tasks.get(stranger.made.caller, other.id) == other


@pytest.mark.parametrize("end", ["cancelled", "expired", "finished"])
@pytest.mark.parametrize("does", ["load", *EVERYTHING])
def test_nothing_more_is_done_for_a_task_that_is_over(does: str, end: str) -> None:
    stranger = Stranger()
    if end == "cancelled":
        stranger.made.cancel()
    elif end == "finished":
        stranger.send("finish", **EVERYTHING["finish"])
    else:
        stranger.made.clock.advance(stranger.made.task.ttl)

    ticket = stranger.start if does == "load" else stranger.run
    assert stranger.send_with(ticket, does, **EVERYTHING.get(does, {})) == {"not_wanted": True}


BAD: list[tuple[Any, dict[str, JSON]]] = [
    (None, {}),
    (7, {}),
    ("", {}),
    ("cancel", {}),
    ("_host", {}),
    ("progressed", {}),
    ("progressed", {"progress": 1}),
    ("progressed", {"progress": {"progress": "1"}}),
    ("progressed", {"progress": {"progress": float("nan")}}),
    ("progressed", {"progress": {"progress": 1, "total": float("inf")}}),
    ("progressed", {"progress": {"progress": 10**400}}),
    ("status_reported", {"status_message": None}),
    ("recall", {"step": 1}),
    ("recall", {"step": "x" * (MAX_STEP_NAME_CHARACTERS + 1)}),
    ("record", {"step": "s"}),
    ("record", {"step": "s", "value": float("nan")}),
    ("record", {"step": "s", "value": "x" * MAX_STEP_CHARACTERS}),
    ("response", {"key": None}),
    ("published", {"uri": "x" * (MAX_URI_CHARACTERS + 1)}),
    ("request_input", {"input_requests": []}),
    ("request_input", {"input_requests": {}}),
    ("request_input", {"input_requests": [ROOTS, ROOTS]}),
    ("request_input", {"input_requests": [{**ROOTS, "method": "tools/call"}]}),
    ("request_input", {"input_requests": [{**ROOTS, "timeout": -1}]}),
    ("request_input", {"input_requests": [{**ROOTS, "key": f"k{n}"} for n in range(MAX_INPUT_REQUESTS + 1)]}),
    ("request_input", {"input_requests": [{**ROOTS, "params": {"p": "x" * MAX_INPUT_REQUESTS_CHARACTERS}}]}),
    ("sleep", {"wakes_at": "2026-01-01T12:30:00"}),
    ("sleep", {"wakes_at": 1}),
    ("expected", {"at": "2026-01-01T12:30:00"}),
    ("expected", {"at": None}),
    ("finish", {"outcome": None}),
    ("finish", {"outcome": {"returned": {"result": []}}}),
    ("finish", {"outcome": {"returned": {"result": {"n": float("inf")}}}}),
    ("finish", {"outcome": {"returned": {"result": {"text": "x" * MAX_RESULT_CHARACTERS}}}}),
    ("finish", {"outcome": {"faulted": {"code": "1", "message": ""}}}),
    ("finish", {"outcome": {"faulted": {"code": 1, "message": "", "data": "x" * MAX_RESULT_CHARACTERS}}}),
]


@pytest.mark.parametrize(("does", "sent"), BAD, ids=lambda each: f"{str(each)[:60]!a}")
def test_what_no_run_sends_is_refused(does: Any, sent: dict[str, JSON]) -> None:
    stranger = Stranger()
    before = stranger.made.current()

    assert stranger.send(does, **sent).keys() == {"refused"}
    assert stranger.made.current() == before


def test_what_people_read_is_cut_and_can_be_sent() -> None:
    stranger = Stranger()

    stranger.send("status_reported", status_message=LONG)
    assert len(stranger.made.current().status_message or "") == MAX_LINE_CHARACTERS
    stranger.send("progressed", progress={"progress": 1, "message": "\ud800" + LONG})
    assert stranger.made.current().status_message == "?" + "x" * (MAX_LINE_CHARACTERS - 1)
    stranger.send("finish", outcome={"faulted": {"code": 1, "message": LONG}})
    assert stranger.made.tasks.outcome(stranger.made.caller, stranger.made.task.id) == Failed(
        code=1, message="x" * MAX_ERROR_CHARACTERS
    )


def test_progress_never_falls() -> None:
    stranger = Stranger()

    for amount in (2, 1, 2):
        stranger.send("progressed", progress={"progress": amount})
    progress = stranger.made.current().progress
    assert progress is not None
    assert progress.progress == 2


def test_no_task_is_expected_to_end_after_it_expires() -> None:
    stranger = Stranger()
    stranger.send("expected", at="9999-12-31T23:59:59+00:00")

    assert stranger.made.current().expected_at == stranger.made.task.expires_at


def test_no_task_is_expected_to_end_before_it_began() -> None:
    stranger = Stranger()
    stranger.send("expected", at="0001-01-01T00:00:00+00:00")

    task = stranger.made.current()
    assert task.expected_at == task.created_at
    assert stranger.made.tasks.poll_interval(stranger.made.caller, task) == timedelta(seconds=0.5)


def test_no_task_sleeps_until_it_expires() -> None:
    stranger = Stranger()
    stranger.send("sleep", wakes_at="9999-12-31T00:00:00+00:00")

    assert stranger.made.current().wakes_at == stranger.made.task.expires_at - KEPT


def test_the_first_outcome_stays() -> None:
    stranger = Stranger()
    stranger.send("finish", outcome={"returned": {"result": {"first": True}}})

    assert stranger.send("finish", outcome={"returned": {"result": {}}}) == {"not_wanted": True}
    assert stranger.made.current().state is State.FINISHED
    assert stranger.made.tasks.outcome(stranger.made.caller, stranger.made.task.id) == Returned(result={"first": True})


def test_a_loaded_run_arrives_as_it_was_sent() -> None:
    made = tool_run(job, client_capabilities=frozenset({"roots", "sampling"}), note="ä")
    ticket = made.runner.tickets.for_start(made.caller.owner_key, made.task.id, until=made.task.expires_at)

    run = RemoteHost(send=made.runner.runner.send, ticket=ticket).load()
    assert isinstance(run, LoadedRun)
    assert run.arguments == {"note": "ä"}
    assert run.ttl == made.task.ttl
    assert run.client_capabilities == {"roots", "sampling"}
    acted_for = replace(run, actor={"sub": "agent", "act": {"sub": "ä"}})
    for each in (run, acted_for):
        assert LOADED_RUN.read(json.loads(json.dumps(document_of_run(each)))) == each


def test_a_run_that_a_host_of_the_release_before_sends_has_no_version() -> None:
    loaded = RemoteHost(send=(stranger := Stranger()).made.runner.runner.send, ticket=stranger.start).load()
    assert isinstance(loaded, LoadedRun)

    document = json.loads(json.dumps(document_of_run(loaded)))
    assert document.pop("tool_version") == loaded.tool_version is not None
    assert LOADED_RUN.read(document) == replace(loaded, tool_version=None)


def test_a_step_records_any_json() -> None:
    stranger = Stranger()
    deep: JSON = None
    for _ in range(900):
        deep = [deep]

    assert stranger.send("recall", step="deep") == {}
    assert stranger.send("record", step="deep", value=deep) == {"recorded": deep}
    assert stranger.send("record", step="nothing", value=None) == {"recorded": None}
    assert stranger.send("recall", step="nothing") == {"recorded": None}


def test_what_does_not_fit_into_a_loaded_run_is_asked_for_when_it_is_needed() -> None:
    def job(context: Context) -> list[str]:
        drawn = [context.step(f"draw {n}", lambda: "x" * (MAX_LOADED_CHARACTERS // 2)) for n in range(4)]
        said = context.sample("Hi", max_tokens=9, key="said").text
        return [each[:1] for each in (*drawn, said)]

    made = tool_run(job, client_capabilities=frozenset({"sampling"}))
    made.wait()
    long = "y" * MAX_LOADED_CHARACTERS
    made.answer(said={"role": "assistant", "content": {"type": "text", "text": long}, "model": "m"})
    sent: list[str] = []
    send = made.runner.runner.send

    def counted(message: Mapping[str, JSON]) -> Mapping[str, JSON]:
        sent.append(message["does"])
        return send(message)

    runner = replace(made.runner, runner=replace(made.runner.runner, send=counted))
    runner.run(made.caller.owner_key, made.task.id)

    assert made.tasks.outcome(made.caller, made.task.id) == job_returned(["x", "x", "x", "x", "y"])
    assert sent == ["load", "recall", "recall", "recall", "response", "finish"]


def job_returned(value: list[str]) -> Returned:
    return text(json.dumps(value, separators=(",", ":")))


@pytest.mark.parametrize("at_the_beginning", [True, False])
def test_a_run_whose_key_is_retired_is_repeated_with_another_ticket_if_it_could_not_begin(
    at_the_beginning: bool,
) -> None:
    """A definition of 0.3 retries only what is interrupted."""

    def works(context: Context) -> str:
        context.step("work", lambda: "done")
        return "done"

    made = tool_run(works)
    host = made.runner.runner

    def send(message: Mapping[str, JSON]) -> Mapping[str, JSON]:
        refused = (message["does"] == "load") == at_the_beginning
        return {"revoked": True} if refused else host.send(message)

    runner = replace(made.runner, runner=replace(host, send=send))
    with pytest.raises(TicketRevoked if at_the_beginning else RunInterrupted):
        runner.run(made.caller.owner_key, made.task.id)
