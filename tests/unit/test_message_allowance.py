"""The runs of a task may send their host so much and no more, in however many processes it runs."""

import re
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from mcp_tasks import tool
from mcp_tasks.ports.buckets import Rate
from mcp_tasks.run_host.server import HostServer
from mcp_tasks.tasks.model import JSON, State
from mcp_tasks.wiring import Wiring
from tests.unit.test_run_host import LONG, Stranger, job

REFUSED = (
    r"the runs of a task may send 50,000 messages at once and 20 a second after that, and 20,000 characters of "
    r"JSON count as one more: report less often, record less, or wait \d+ s"
)


def host_of(stranger: Stranger) -> HostServer:
    """Return a host in a process of its own."""
    return Wiring(ports=stranger.made.tasks.ports).host_server()


def until_refused(host: HostServer, ticket: object, **sent: JSON) -> tuple[int, Any]:
    """Send a message again and again; return how often it was answered, and how it was refused."""
    for number in range(100_000):
        answer = host.answer({"ticket": ticket, "does": "check", **sent})
        if "refused" in answer:
            return number, answer["refused"]
    raise AssertionError("it was never refused")


def use_up(stranger: Stranger) -> None:
    """Take all that the task's bucket holds, as other processes do."""
    rate = Rate(burst=50_000, per_second=20)
    owner_key, task = stranger.made.caller.owner_key, stranger.made.task
    stranger.made.tasks.ports.buckets.take(owner_key, f"run#{task.id}", 50_000, rate)


def test_a_run_that_reports_every_100_ms_for_14_minutes_goes_on() -> None:
    stranger = Stranger()

    for number in range(8_400):
        assert stranger.send("progressed", progress={"progress": number, "message": "on the way"}) == {}
        stranger.made.clock.advance(timedelta(milliseconds=100))

    progress = stranger.made.current().progress
    assert progress is not None
    assert progress.progress == 8_399


def test_a_run_that_reports_every_100_ms_goes_on_after_five_attempts_that_did_so_too() -> None:
    stranger = Stranger()
    host = host_of(stranger)

    for _ in range(42_000):
        assert host.answer({"ticket": stranger.run, "does": "check"}) == {}


def test_a_run_that_sends_in_a_loop_is_refused_in_words_that_name_the_limit() -> None:
    stranger = Stranger()

    answered, why = until_refused(host_of(stranger), stranger.run)

    assert answered == 50_000
    assert re.fullmatch(REFUSED, why)


def test_a_run_that_sends_megabytes_is_refused_after_a_gigabyte() -> None:
    stranger = Stranger()

    answered, why = until_refused(host_of(stranger), stranger.run, ignored=LONG)

    # Each counts as 251 messages, of which it sends some more than are left.
    assert 199 <= answered <= 204
    assert re.fullmatch(REFUSED, why)


def test_what_is_refused_counts_too() -> None:
    stranger = Stranger()
    host = host_of(stranger)
    use_up(stranger)
    message = {"ticket": stranger.run, "does": "published", "uri": LONG}
    refused = [host.answer(message)["refused"] for _ in range(5)]

    assert refused[3].startswith("uri should be a text of 4,000 characters at most, and is ")
    assert re.fullmatch(REFUSED, refused[-1])


def test_it_may_go_on_after_the_time_that_it_is_told() -> None:
    stranger = Stranger()
    host = host_of(stranger)
    use_up(stranger)
    _, why = until_refused(host, stranger.run, ignored=LONG)

    (seconds,) = re.findall(r"wait (\d+) s", why)
    stranger.made.clock.advance(timedelta(seconds=int(seconds) + 1))

    assert host.answer({"ticket": stranger.run, "does": "check"}) == {}


def test_neither_another_run_ticket_nor_loading_again_gives_more() -> None:
    stranger = Stranger()
    host = host_of(stranger)
    use_up(stranger)
    until_refused(host, stranger.run, ignored=LONG)
    tickets = stranger.made.runner.tickets
    another = tickets.for_run(tickets.read_start(stranger.start))

    assert another != stranger.run
    assert re.fullmatch(REFUSED, host.answer({"ticket": another, "does": "check"})["refused"])
    assert re.fullmatch(REFUSED, host.answer({"ticket": stranger.start, "does": "load", "run": "anew"})["refused"])


def test_a_process_more_serves_a_thousand_messages_and_no_more() -> None:
    stranger = Stranger()
    use_up(stranger)

    answered, _ = until_refused(host_of(stranger), stranger.run)

    assert answered == 1_000


def test_another_task_of_the_same_caller_is_served() -> None:
    stranger = Stranger()
    host = host_of(stranger)
    use_up(stranger)
    until_refused(host, stranger.run, ignored=LONG)
    made, tickets = stranger.made, stranger.made.runner.tickets
    other = made.tasks.start(made.caller, tool(name="job", description="A job.")(job), {})
    start = tickets.for_start(made.caller.owner_key, other.id, until=other.expires_at)

    assert host.answer({"ticket": tickets.for_run(tickets.read_start(start)), "does": "check"}) == {}


def test_a_task_whose_runs_send_a_thousand_messages_costs_no_write() -> None:
    class Counted:
        taken = 0

        def take(self, *_: Any, **__: Any) -> None:
            self.taken += 1

        def left(self, *_: Any) -> float:
            return 0

    stranger, buckets = Stranger(), Counted()
    host = Wiring(ports=replace(stranger.made.tasks.ports, buckets=buckets)).host_server()
    for _ in range(1_000):
        host.answer({"ticket": stranger.run, "does": "check"})
    assert buckets.taken == 0

    host.answer({"ticket": stranger.run, "does": "check"})
    assert buckets.taken == 1


@pytest.mark.parametrize("ticket", [None, "acme#ada:e30.e30"])
def test_a_message_without_a_ticket_is_nobodys(ticket: object) -> None:
    stranger = Stranger()
    host = host_of(stranger)
    for _ in range(210):
        host.answer({"ticket": ticket, "does": "check", "ignored": LONG})

    assert host.answer({"ticket": stranger.run, "does": "check"}) == {}
    assert stranger.made.current().state is State.WORKING
