"""What a tenant's plan limits in this revision alone: connections that listen."""

from tests.protocol.harness import Harness
from tests.protocol.requirements import requirement
from tests.protocol.rev_2026_07_28.client import Client


@requirement("B-ERR-10")
def test_who_listens_over_the_limit_of_connections_is_told_when_to_try_again(harness: Harness, ada: Client) -> None:
    task_id = ada.start()
    harness.limit(held_waits=0)

    reply = ada.send_request("subscriptions/listen", {"notifications": {"taskIds": [task_id]}})

    assert (reply.status, reply.headers["retry-after"]) == (200, "5")
    assert reply.error["data"] == {"reason": "held_waits", "limit": 0, "remaining": 0, "retryAfter": 5}
    assert harness.waiter.pauses == 0


@requirement("B-ERR-10")
def test_who_listens_within_the_limit_is_counted_until_that_ends(harness: Harness, ada: Client) -> None:
    task_id = ada.start()
    harness.limit(held_waits=1)
    held: list[int] = []
    harness.waiter.meanwhile = lambda: held.append(harness.ports.held_waits.count("acme"))

    ada.send_request("subscriptions/listen", {"notifications": {"taskIds": [task_id]}})

    assert set(held) == {1}
    assert harness.ports.held_waits.count("acme") == 0
