"""Whoever holds a ticket reaches what its task and its owner name, whatever they send and whichever check fails.

Recorded is what botocore is asked for, by the host of runs on its own adapters.
"""

from collections.abc import Iterator, Mapping
from contextlib import suppress

import pytest

from mcp_tasks.run_host.server import HostServer
from mcp_tasks.tasks.model import JSON, Task
from tests.cloud import cloud
from tests.isolation.holder import LARGE, Holder, Reach
from tests.isolation.lies import FORGERY, LIES, Lie, every_condition_holds
from tests.isolation.messages import MESSAGES, ROOTS, variants
from tests.kit import ADA, EVE
from tests.slow import one_in


@pytest.fixture
def holder() -> Iterator[Holder]:
    with cloud() as aws:
        yield Holder.of(aws)


def reached(holder: Holder, task: Task, message: Mapping[str, JSON]) -> Reach:
    """Send a message with the ticket that it needs, and return what a new process of the host asked for."""
    ticket = holder.start_ticket(task) if message["does"] == "load" else holder.run_ticket(task)
    with holder.recorded() as reach:
        holder.host.answer({**message, "ticket": ticket})
    return reach


def tried(holder: Holder, does: str) -> int:
    """Send every variant of a message, each for a task that runs, and return how many there are."""
    host, task, sent = holder.host, holder.task(), 0
    for message in variants(does, holder.identifiers()):
        task = task if holder.runs(task) else holder.task()
        ticket = holder.start_ticket(task) if does == "load" else holder.run_ticket(task)
        with holder.recorded() as reach:
            host.answer({**message, "ticket": ticket})
        assert reach.beyond(ADA.owner_key, task.id) == set(), message
        sent += 1
    return sent


@pytest.mark.parametrize("does", MESSAGES)
def test_no_message_leads_beyond_the_task_of_its_ticket(holder: Holder, does: str) -> None:
    assert tried(holder, does) > 15


def test_all_of_a_run_is_in_these_items(holder: Holder) -> None:
    """What the tests here call its own is all that a run comes by, and nothing of it is missed."""
    task, both = holder.task(LARGE), {"input_requests": [ROOTS]}
    does = {"load", "check", "progressed", "recall", "record", "published", "status_reported"}
    found = [reached(holder, task, {"does": each, **MESSAGES[each]}) for each in sorted(does)]
    found.append(reached(holder, task, {"does": "record", "step": "large", "value": LARGE}))
    found.append(reached(holder, task, {"does": "request_input", **both}))
    holder.suspend(task)
    found.append(reached(holder, task, {"does": "load"}))
    found.append(reached(holder, task, {"does": "finish", **MESSAGES["finish"]}))

    kinds = {kind for each in found for kind in each.kinds}
    assert kinds == {"task", "args", "step", "result", "asks", "quota", "using", "changed", "key"}
    assert len({name for each in found for name in each.objects}) == 2
    assert [each.beyond(ADA.owner_key, task.id) for each in found] == [set()] * len(found)


def test_a_response_is_read_from_its_own_item(holder: Holder) -> None:
    task = holder.task()
    reached(holder, task, {"does": "request_input", "input_requests": [{**ROOTS, "timeout": 0}]})
    holder.suspend(task)
    reach = reached(holder, task, {"does": "load"})

    assert "reply" in reach.kinds
    assert reach.beyond(ADA.owner_key, task.id) == set()


def test_credentials_are_those_of_the_owners_tenant(holder: Holder) -> None:
    reach = reached(holder, holder.task(), {"does": "tenant_credentials"})

    assert reach.tenants == {ADA.tenant}


def forged(ticket: str, holder: Holder) -> Iterator[object]:
    """Yield the ticket as another one's, and what is no ticket."""
    signed = ticket.partition(":")[2]
    payload, signature = signed.split(".")
    for caller, task in holder.others:
        yield f"{caller.owner_key}-:{signed}"
        yield f"{caller.tenant}:{signed}"
        yield f"{caller.owner_key}:{task.id}"
        if caller != ADA:
            yield f"{caller.owner_key}:{signed}"
            yield f"{caller.owner_key}:{ticket}"
    yield from (f":{signed}", f"!:{signed}", signed, f"{ticket}.", ticket[:-1], ticket.upper(), payload, signature)


@pytest.mark.parametrize("does", MESSAGES)
def test_a_ticket_that_is_changed_leads_to_the_signing_key_alone(holder: Holder, does: str) -> None:
    task = holder.task()
    ticket = holder.start_ticket(task) if does == "load" else holder.run_ticket(task)
    tickets, host = list(forged(ticket, holder)), holder.host
    with holder.recorded() as reach:
        for each in tickets:
            refused = host.answer({"does": does, **MESSAGES[does], "ticket": each})
            assert refused in ({"refused": "this is no start ticket"}, {"refused": "this is no run ticket"})

    assert len(tickets) > 15
    assert reach.kinds == {"key"}
    assert (reach.objects, reach.tenants, reach.others) == (set(), set(), set())


def lied_to(holder: Holder, task: Task, host: HostServer) -> int:
    """Send all messages for one task, whatever they do to it, and return how many there are."""
    tickets, sent = {True: holder.start_ticket(task), False: holder.run_ticket(task)}, 0
    for message in (each for does in MESSAGES for each in variants(does, holder.identifiers()[::4])):
        # Whatever a lie breaks may fail, but not lead to anybody else's.
        with holder.recorded() as reach, suppress(Exception):
            host.answer({**message, "ticket": tickets[message["does"] == "load"]})
        assert reach.beyond(ADA.owner_key, task.id) == set(), message
        sent += 1
    return sent


@pytest.mark.parametrize("lie", [pytest.param(lie, marks=marks) for lie, marks in one_in(4, LIES)])
def test_a_check_that_lies_leads_nowhere_else(holder: Holder, monkeypatch: pytest.MonkeyPatch, lie: str) -> None:
    task = holder.task()
    tell(monkeypatch, LIES[lie])

    assert lied_to(holder, task, holder.host) > 300


def test_conditions_that_always_hold_lead_nowhere_else(holder: Holder) -> None:
    events, task = holder.aws.dynamodb.meta.events, holder.task()
    events.register("provide-client-params.dynamodb", every_condition_holds)
    try:
        assert lied_to(holder, task, holder.host) > 300
    finally:
        events.unregister("provide-client-params.dynamodb", every_condition_holds)


def test_a_signature_is_the_one_check_that_all_rests_on(holder: Holder, monkeypatch: pytest.MonkeyPatch) -> None:
    """And what leads to others is seen by these tests."""
    signed = holder.run_ticket(holder.task()).partition(":")[2]
    (theirs,) = [task for caller, task in holder.others if caller == EVE]
    host = holder.host
    tell(monkeypatch, FORGERY)
    with holder.recorded() as reach, suppress(Exception):
        host.answer({"does": "check", "ticket": f"{EVE.owner_key}:{signed}"})

    assert {owner for owner, _ in reach.items} >= {EVE.owner_key}
    assert reach.beyond(ADA.owner_key, theirs.id) != set()


def tell(monkeypatch: pytest.MonkeyPatch, lie: Lie) -> None:
    for name, instead in lie.items():
        monkeypatch.setattr(name, instead)
