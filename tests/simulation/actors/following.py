"""What a client of 2025-11-25 does with its streams in the end: it follows each."""

from collections.abc import Collection

from tests.simulation.actors.client_2025 import Client2025


def follow_all(client: Client2025, later: Collection[str]) -> None:
    """Resume each stream until it brings its answer: every task has ended, but those that end `later`."""
    for stream in [each for each in client.streams if each.request_id is not None]:
        for _ in range(3):
            if any(each is stream for each in client.streams):
                client.resume(stream)
        waits = any(each is stream for each in client.streams) and not {stream.task, *stream.call.tasks} & {*later}
        client.world.demand(not waits, f"{client.name} is not answered, and every task has ended")
