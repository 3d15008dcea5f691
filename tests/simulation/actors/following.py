"""What a client of 2025-11-25 does with its streams in the end: it sees what it is to be asked, and follows each."""

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager

from mcp_tasks.tasks.model import Task
from tests.chance import seeded
from tests.simulation.actors import Actor
from tests.simulation.actors.client_2025 import Client2025
from tests.simulation.chances import FOLLOWS, LEAVES, RESPONDS
from tests.simulation.laws.carried import asking
from tests.simulation.world import World


def see(world: World, clients: Sequence[Actor], machine: Actor, often: float) -> None:
    """Let each client of this revision that is to be asked something see it, so often; only runs act, and none fails.

    What is drawn for that is drawn apart, so that others draw what they would have drawn.
    """
    for client in clients:
        session = client.session if isinstance(client, Client2025) else None
        if not isinstance(client, Client2025) or session is None or not asking(_tasks_of(client, session)):
            continue
        if world.is_silent(client.owner_key, session):
            # A release before does not note that the client is initialized.
            continue
        if world.apart.random() < often:
            world.trace.say(f"{client.name} looks at its streams")
            with _quiet(world, machine):
                _see_all(client, session)


@contextmanager
def _quiet(world: World, machine: Actor) -> Iterator[None]:
    usual = world.random, world.rate, world.actors
    world.random, world.rate, world.actors = world.apart, 0.0, [machine]
    try:
        with seeded(world.apart):
            yield
    finally:
        world.random, world.rate, world.actors = usual


def _see_all(client: Client2025, session: str) -> None:
    """Follow and answer some tasks, give up to follow some, resume each stream and open another.

    Demand that all is sent by then that the session is to be asked.
    """
    store = client.world.store
    _follow_and_answer(client, session)
    before = asking(_tasks_of(client, session))
    for stream in [each for each in client.streams if each.task is not None]:
        if client.world.apart.random() < LEAVES:
            client.give_up(stream)
    for stream in client.world.apart.sample(client.streams, len(client.streams)):
        if any(each is stream for each in client.streams):
            client.resume(stream)
    resumed = len(client.streams)
    client.listen()
    # It may have been refused, as one stream too many.
    if client.session == session and len(client.streams) > resumed:
        lasting = before & asking([task for task in _tasks_of(client, session) if store.lives(task)])
        client.sent.over_time.demand_requests(session, lasting, client.streams)


def _follow_and_answer(client: Client2025, session: str) -> None:
    for task in _tasks_of(client, session):
        if task.open_input_requests and client.world.apart.random() < FOLLOWS:
            # As if it had listed its tasks.
            client.ledger.accept(client.owner_key, task.id)
            client.result(task.id)
    for request_id in list(client.input_requests):
        # A session that has ended takes them with it.
        if client.world.apart.random() < RESPONDS and request_id in client.input_requests:
            client.respond(request_id)


def _tasks_of(client: Client2025, session: str) -> list[Task]:
    """Return the tasks that the session started, and those that it follows on a stream which goes on."""
    followed = {each.about() for each in client.streams if each.request_id is not None and each.served}
    return [task for _, task in client.world.store.tasks() if task.session == session or task.id in followed]


def follow_all(client: Client2025, later: Collection[str]) -> None:
    """Resume each stream until it brings its answer: every task has ended, but those that end `later`."""
    for stream in [each for each in client.streams if each.request_id is not None]:
        for _ in range(3):
            if any(each is stream for each in client.streams):
                client.resume(stream)
        waits = any(each is stream for each in client.streams) and not {stream.task, *stream.call.tasks} & {*later}
        client.world.demand(not waits, f"{client.name} is not answered, and every task has ended")
