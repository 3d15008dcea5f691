"""A client of revision 2025-11-25 whose every answer is of the wrong kind: it is asked a few times, and no more."""

from collections import Counter

from tests.simulation.actors.client_2025 import Client2025
from tests.simulation.laws.carried import asked as asked_for
from tests.simulation.laws.messages import REJECTED
from tests.simulation.laws.stored import MOST_BAD


def answer_badly(client: Client2025) -> None:
    """Answer all that the client is asked; demand that it is told what was wrong, and is asked a few times at most."""
    asked = Counter[str]()
    _refuse_all(client)
    # In the end it is asked for nothing, unless it is asked without end.
    for _ in range(MOST_BAD + 2):
        for owner_key, task in client.world.store.tasks():
            if owner_key == client.owner_key and task.open_input_requests and client.ledger.lives(task.id):
                client.result(task.id)
        again = [each for request_id, each in client.input_requests.items() if asked[asked_for(request_id)]]
        for params in [each["params"] for each in again if "message" in each["params"]]:
            client.world.demand(REJECTED in params["message"], f"{client.name} is not told what was wrong: {params}")
        asked.update(asked_for(request_id) for request_id in client.input_requests)
        _refuse_all(client)
    most = max(asked.values(), default=0)
    client.world.demand(most <= MOST_BAD, f"{client.name} answers badly, and is asked the same {most} times")


def _refuse_all(client: Client2025) -> None:
    for request_id in list(client.input_requests):
        # A session that has ended takes them with it.
        if request_id in client.input_requests:
            client.respond(request_id, bad=True)
            client.input_requests.pop(request_id, None)
