"""GET resumes streams, and is rejected where there is nothing to listen to."""

import pytest

from mcp_tasks.adapters.memory.keys import MemoryKeys
from mcp_tasks.security.signing import Signer
from tests.protocol.harness import Harness
from tests.protocol.requirements import requirement
from tests.protocol.rev_2025_11_25.client import Client


@requirement("A-GET-2", "A-HTTP-1")
@pytest.mark.parametrize("accept", ["text/event-stream", "text/*", "*/*", "application/json, text/event-stream", None])
def test_a_get_that_resumes_nothing_is_405(harness: Harness, ada: Client, accept: str | None) -> None:
    before = harness.kept()

    reply = ada.send("GET", accept=accept)

    assert (reply.status, reply.headers["allow"], harness.kept()) == (405, "POST, DELETE", before)


@requirement("A-GET-2", "A-GET-6")
def test_a_get_that_resumes_a_stream_is_one(ada: Client) -> None:
    place = ada.send_request("tasks/result", {"taskId": ada.start()}).last_event_id

    assert ada.resume(place).headers == {"content-type": "text/event-stream", "cache-control": "no-store"}


@requirement("A-GET-6")
def test_closing_one_stream_leaves_the_others_open(harness: Harness, ada: Client) -> None:
    task_id = ada.start()
    given_up, kept = (ada.send_request("tasks/result", {"taskId": task_id}, id=n).last_event_id for n in (50, 51))
    ada.send_notification("notifications/cancelled", {"requestId": 50})
    harness.run(task_id)

    assert ada.resume(given_up).status == 405
    assert ada.resume(kept).messages[-1]["id"] == 51


class CountingKeys(MemoryKeys):
    """Keys that count how often a signature is verified."""

    verified = 0

    def find(self, name: str) -> bytes | None:
        """Return the key."""
        self.verified += 1
        return super().find(name)


@requirement("A-GET-6")
def test_one_verification_finds_which_kind_of_stream_a_last_event_id_is_of(harness: Harness, ada: Client) -> None:
    keys = CountingKeys(b"secret")
    harness.change(signer=Signer(keys=keys, clock=harness.clock))
    response = ada.send_request("tasks/result", {"taskId": ada.start()}).last_event_id
    keys.verified = 0

    assert ada.resume(response).status == 200

    assert keys.verified == 1
