"""A ticket is good for its owner, task, kind and time, and for nothing else."""

from datetime import timedelta

import pytest

from mcp_tasks.adapters.memory.keys import MemoryKeys
from mcp_tasks.limits.waits import LONGEST_RUN
from mcp_tasks.ports.run_host import TicketRevoked
from mcp_tasks.security.signing import Signer
from mcp_tasks.security.tenancy import Caller
from mcp_tasks.security.tickets import START, TicketExpired, TicketRejected, Tickets
from tests.kit import ADA, BOB, NOON, FixedClock

DAY = timedelta(days=1)
ODD = Caller(tenant="a:b#c", subject="d.e:f")


def tickets(clock: FixedClock | None = None, secret: bytes = b"secret") -> Tickets:
    return Tickets(signer=Signer(keys=MemoryKeys(secret), clock=clock or FixedClock()))


class NoKeys(MemoryKeys):
    """The keys once all there were are retired."""

    def __init__(self) -> None:
        super().__init__(b"another")

    def find(self, name: str) -> None:
        return None


def start(owner_key: str = ADA.owner_key, task_id: str = "t1") -> str:
    return tickets().for_start(owner_key, task_id, until=NOON + DAY)


def run() -> str:
    return tickets().for_run(tickets().read_start(start()))


@pytest.mark.parametrize("caller", [ADA, ODD], ids=str)
def test_a_ticket_says_whose_task_it_is_for(caller: Caller) -> None:
    read = tickets().read_start(start(caller.owner_key))

    assert (read.owner_key, read.task_id, read.run) == (caller.owner_key, "t1", "")


def test_each_run_gets_a_ticket_of_its_own() -> None:
    first, second = tickets().read_run(run()), tickets().read_run(run())

    assert (first.owner_key, first.task_id) == (ADA.owner_key, "t1")
    assert first.run != second.run


def test_the_start_ticket_of_a_task_is_the_same_text_each_time() -> None:
    clock = FixedClock()
    first = tickets(clock).for_start(ADA.owner_key, "t1", until=NOON + DAY)
    clock.advance(timedelta(hours=1))

    assert tickets(clock).for_start(ADA.owner_key, "t1", until=NOON + DAY) == first


def test_one_kind_is_not_taken_for_the_other() -> None:
    with pytest.raises(TicketRejected):
        tickets().read_run(start())
    with pytest.raises(TicketRejected):
        tickets().read_start(run())


@pytest.mark.parametrize(
    "text",
    [
        None,
        7,
        {"owner_key": ADA.owner_key},
        "",
        ":",
        ADA.owner_key,
        start().replace(ADA.owner_key, BOB.owner_key),
        start().replace(ADA.owner_key, ""),
        start() + "x",
        start()[:-1],
        start().partition(":")[2],
        "\ud800:" + start().partition(":")[2],
        start() * 1_000,
    ],
    ids=lambda text: f"{str(text)[:20]!a}",
)
def test_what_was_changed_or_made_up_is_rejected(text: object) -> None:
    with pytest.raises(TicketRejected):
        tickets().read_start(text)


def test_a_ticket_signed_with_another_key_is_rejected() -> None:
    with pytest.raises(TicketRejected):
        tickets(secret=b"another").read_start(start())


def test_a_ticket_whose_key_is_not_accepted_any_more_is_revoked() -> None:
    """Its execution is given another one; with a key that there never was, it may as well ask for one."""
    retired = Tickets(signer=Signer(keys=NoKeys(), clock=FixedClock()))

    with pytest.raises(TicketRevoked):
        retired.read_start(start())
    with pytest.raises(TicketRevoked):
        retired.read_run(run())


def test_a_start_ticket_expires_with_its_task() -> None:
    clock = FixedClock()
    text = tickets(clock).for_start(ADA.owner_key, "t1", until=NOON + DAY)
    clock.advance(DAY - timedelta(seconds=1))
    tickets(clock).read_start(text)

    clock.advance(timedelta(seconds=1))
    with pytest.raises(TicketExpired):
        tickets(clock).read_start(text)


def test_a_run_ticket_outlives_any_run_and_not_by_much() -> None:
    clock = FixedClock()
    text = tickets(clock).for_run(tickets().read_start(start()))
    clock.advance(LONGEST_RUN + timedelta(minutes=2))
    tickets(clock).read_run(text)

    clock.advance(timedelta(minutes=1))
    with pytest.raises(TicketExpired):
        tickets(clock).read_run(text)


@pytest.mark.parametrize("said", [{}, {"task": "t1"}, {"later": 1}])
def test_a_ticket_of_a_newer_release_that_says_something_else_is_rejected_in_words(said: dict[str, str]) -> None:
    signer = tickets().signer
    text = f"{ADA.owner_key}:" + signer.sign(said, purpose=START, owner_key=ADA.owner_key, lifetime=DAY)

    with pytest.raises(TicketRejected, match="this is no start ticket"):
        tickets().read_start(text)
