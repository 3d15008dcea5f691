"""Whose clients a story has: those that are drawn, and one of each owner that answers in the end."""

from typing import Any, Final

from tests.kit import ADA, BOB, EVE
from tests.simulation.actors.client_2025 import Client2025
from tests.simulation.actors.client_2026 import Client2026
from tests.simulation.laws.calls import Calls
from tests.simulation.laws.shown import Ledger
from tests.simulation.laws.streams import Streams
from tests.simulation.world import World

OWNERS: Final = ((ADA, "ada"), (BOB, "bob"), (EVE, "eve"))
KINDS: Final[tuple[type[Client2025 | Client2026], ...]] = (Client2025, Client2026)


def drawn_clients(world: World, ledger: Ledger, calls: Calls, streams: Streams) -> list[Client2025 | Client2026]:
    """Return clients of one to three owners, each of one revision or of both."""
    draw, clients = world.random.choice, list[Client2025 | Client2026]()
    for caller, owner in world.random.sample(OWNERS, draw([1, 1, 2, 3])):
        kinds = draw([KINDS[:1], KINDS[1:], KINDS])
        about: dict[str, Any] = {"world": world, "ledger": ledger, "caller": caller, "owner": owner}
        if Client2025 in kinds:
            waits = world.apart.choice([True, False])
            clients.append(Client2025(**about, sent=streams, tidies_up=draw([True, False]), declares_tasks=waits))
        if Client2026 in kinds:
            clients.append(Client2026(**about, calls=calls))
    return clients


def helpers(world: World, ledger: Ledger, calls: Calls) -> list[Client2026]:
    """Return a client of each owner."""
    about: dict[str, Any] = {"world": world, "ledger": ledger, "calls": calls}
    return [Client2026(caller=caller, owner=owner, **about) for caller, owner in OWNERS]


def answer_all(helper: Client2026) -> None:
    """Let a client see each task of its owner, and answer what that asks."""
    for owner_key, task in helper.world.store.tasks():
        if owner_key == helper.owner_key and helper.world.store.lives(task):
            helper.ledger.accept(owner_key, task.id)
            helper.get(task.id)
            if task.id in helper.requests:
                helper.update(task.id)
