"""How often a client resumes a stream, how long it is held, and how late it learns of something, in simulated time."""

import sys
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import pairwise
from typing import Any

import pytest

from mcp_tasks.features.listing import Features
from mcp_tasks.limits.pace import HOLD_UNTIL_AGE, MAX_EARLY_INTERVAL, MAX_INTERVAL, MAX_LISTENING_RETRY
from mcp_tasks.tasks.model import InputRequest, Returned
from mcp_tasks.testing.replies import Reply
from mcp_tasks.wire.rev_2025_11_25.event_ids import PURPOSE
from tests.kit import ADA
from tests.protocol import prompts_and_resources
from tests.protocol.harness import Harness
from tests.protocol.requirements import requirement
from tests.protocol.rev_2025_11_25.client import Client

SECOND, MINUTE, HOUR, DAY = (timedelta(**{each: 1}) for each in ("seconds", "minutes", "hours", "days"))

FORM = {"type": "object", "properties": {"name": {"type": "string"}}}
NAME = InputRequest(
    key="name", method="elicitation/create", params={"mode": "form", "message": "Name?", "requestedSchema": FORM}
)


@dataclass(kw_only=True)
class Watcher:
    """A client that resumes a stream as it is told, and counts."""

    harness: Harness
    client: Client
    place: str
    replies: list[tuple[datetime, Reply]] = field(default_factory=list)
    held: timedelta = timedelta()

    def watch(self, duration: timedelta) -> "Watcher":
        """Resume the stream for so long, or until its response comes."""
        clock = self.harness.clock
        until = clock.now() + duration
        while clock.now() < until:
            began = clock.now()
            reply = self.client.resume(self.place)
            self.held += clock.now() - began
            self.replies.append((clock.now(), reply))
            self.place = reply.last_event_id
            if any("result" in each for each in reply.messages):
                break
            self.client.sleep(reply.retry)
        return self

    def times_of(self, method: str) -> list[datetime]:
        return [at for at, reply in self.replies for _ in reply.notifications(method)]


def for_two_days(ada: Client, **meta: Any) -> str:
    call = {
        "_meta": meta,
        "name": "ponder",
        "arguments": {"question": "?"},
        "task": {"ttl": 2 * DAY // timedelta(milliseconds=1)},
    }
    task_id: str = ada.send_request("tools/call", call).response["result"]["task"]["taskId"]
    return task_id


def waiting(harness: Harness, ada: Client, task_id: str) -> Watcher:
    first = ada.send_request("tasks/result", {"taskId": task_id})
    ada.sleep(first.retry)
    return Watcher(harness=harness, client=ada, place=first.last_event_id)


@requirement("A-SSE-5", "A-SSE-3", "A-TASK-24")
def test_a_client_waits_for_a_day_in_one_request_with_less_than_400_connections(harness: Harness, ada: Client) -> None:
    task_id = for_two_days(ada)
    watcher = waiting(harness, ada, task_id).watch(DAY)
    assert len(watcher.replies) < 400
    assert watcher.held <= HOLD_UNTIL_AGE

    harness.finish(task_id, Returned(result={"content": []}))
    ended = harness.clock.now()
    watcher.watch(2 * HOUR)

    at, last = watcher.replies[-1]
    assert "result" in last.messages[-1]
    assert at - ended <= MAX_INTERVAL
    assert len(watcher.replies) < 400


@requirement("A-PROG-2", "A-PROG-4", "A-SSE-5")
@pytest.mark.parametrize("plain", [False, True])
def test_a_client_that_asked_for_progress_hears_some_every_45_seconds_and_always_more(
    harness: Harness, ada: Client, plain: bool
) -> None:
    if plain:
        ada = Client(harness)
        ada.initialize({"tasks": {}})
        harness.idle = True
        params = {"name": "hike", "arguments": {"steps": [1.0]}, "_meta": {"progressToken": 7}}
        watcher = Watcher(harness=harness, client=ada, place=ada.send_request("tools/call", params).last_event_id)
        task_id = next(iter(harness.executor.started))
    else:
        task_id = for_two_days(ada, progressToken=7)
        watcher = waiting(harness, ada, task_id)
    began = harness.clock.now()

    watcher.watch(3 * MINUTE)
    harness.progress(task_id, 50)
    watcher.watch(3 * HOUR)
    harness.progress(task_id, 50.5)
    watcher.watch(10 * MINUTE)

    heard = [began, *watcher.times_of("notifications/progress")]
    assert max(later - before for before, later in pairwise(heard)) <= 45 * SECOND
    told = [each["progress"] for _, reply in watcher.replies for each in reply.notifications("notifications/progress")]
    assert told == sorted(set(told))
    # Nobody takes the work to be further than it is.
    assert {round(each, 9) for each in told} == {0, 50, 50.5}


@requirement("A-PROG-2")
def test_repeated_progress_never_passes_its_total(harness: Harness, ada: Client) -> None:
    task_id = ada.start(_meta={"progressToken": 7})
    harness.progress(task_id, 100)

    watcher = waiting(harness, ada, task_id).watch(5 * MINUTE)

    shown = [each for _, reply in watcher.replies for each in reply.notifications("notifications/progress")]
    assert len(shown) > 5
    assert all(each["progress"] <= each.get("total", 101) for each in shown)


@requirement("A-PROG-2", "A-SSE-5")
def test_progress_beyond_which_there_is_no_number_is_not_repeated(harness: Harness, ada: Client) -> None:
    task_id = ada.start(_meta={"progressToken": 7})
    watcher = waiting(harness, ada, task_id)
    harness.progress(task_id, sys.float_info.max)

    watcher.watch(5 * MINUTE)

    shown = [each for _, reply in watcher.replies for each in reply.notifications("notifications/progress")]
    assert [each["progress"] for each in shown] == [sys.float_info.max]
    assert {reply.status for _, reply in watcher.replies} == {200}


@requirement("A-PROG-1")
def test_a_client_that_did_not_ask_hears_no_progress(harness: Harness, ada: Client) -> None:
    task_id = ada.start()
    watcher = waiting(harness, ada, task_id).watch(2 * MINUTE)
    harness.progress(task_id, 10)

    assert watcher.watch(5 * MINUTE).times_of("notifications/progress") == []


@requirement("A-INP-5", "A-SSE-5")
@pytest.mark.parametrize(("asked_after", "late"), [(20 * SECOND, SECOND), (10 * MINUTE, MAX_EARLY_INTERVAL)])
def test_a_client_that_waits_is_asked_at_once_while_it_is_held_and_else_at_its_next_look(
    harness: Harness, ada: Client, asked_after: timedelta, late: timedelta
) -> None:
    ada = Client(harness)
    ada.initialize({"elicitation": {}, "tasks": {}})
    task_id = ada.start()
    watcher, asked = waiting(harness, ada, task_id), harness.clock.now() + asked_after

    def ask() -> None:
        if harness.clock.now() >= asked:
            harness.waiter.meanwhile = lambda: None
            harness.request_input(task_id, NAME)

    harness.waiter.meanwhile = ask
    watcher.watch(asked_after + MINUTE)

    at = next(at for at, reply in watcher.replies if reply.input_requests)
    assert at - asked <= late
    # The client answers soon, and what comes of that is waited for.
    reply = next(reply for _, reply in watcher.replies if reply.input_requests)
    assert reply.retry < SECOND


@requirement("A-SSE-5")
def test_an_event_id_of_an_earlier_release_is_resumed(harness: Harness, ada: Client) -> None:
    place = waiting(harness, ada, ada.start(_meta={"progressToken": 1})).watch(2 * MINUTE).place
    signer, of = harness.server.signer, {"purpose": PURPOSE, "owner_key": ADA.owner_key}
    value = dict(signer.verify(place, **of))
    del value["since"]

    # What such a release does not know lies beside the position: it reads one of this release, too.
    assert set(value) == {"kind", "position", "salt"}
    known = "session request_id task_id reported_version reported_progress plain began_at max_wait token delivered"
    assert set(value["position"]) == {*known.split(), "resumptions", "ended"}
    assert ada.resume(signer.sign(value, **of, lifetime=HOUR)).status == 200


def listening(harness: Harness, *, subscribed: bool) -> Watcher:
    harness.change(features=Features.of(prompts_and_resources.TOOLS, [], prompts_and_resources.RESOURCES))
    client = Client(harness)
    client.initialize({"elicitation": {}})
    if subscribed:
        client.result("resources/subscribe", uri="weather://now")
    first = client.resume(None)
    client.sleep(first.retry)
    return Watcher(harness=harness, client=client, place=first.last_event_id)


@requirement("A-GET-3", "A-GET-5")
def test_an_hour_of_listening_takes_a_tenth_of_the_connections_of_one_that_comes_every_five_seconds(
    harness: Harness,
) -> None:
    first_hour = listening(harness, subscribed=False).watch(HOUR)

    assert len(first_hour.replies) <= HOUR / (5 * SECOND) / 10
    assert first_hour.held == timedelta()


@requirement("A-GET-3", "A-RES-4")
def test_a_listener_that_watches_is_held_while_there_was_a_change_of_late(harness: Harness) -> None:
    watcher = listening(harness, subscribed=True).watch(HOUR)
    assert watcher.held <= HOLD_UNTIL_AGE
    assert len(watcher.replies) <= 75

    watcher.client.call("report", uri="weather://now")
    changed = harness.clock.now()
    watcher.watch(2 * MINUTE)
    (told,) = watcher.times_of("notifications/resources/updated")
    assert told - changed <= MAX_LISTENING_RETRY
    assert watcher.held >= HOLD_UNTIL_AGE - 2 * SECOND
