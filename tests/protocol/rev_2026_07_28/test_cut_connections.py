"""A response that carries an input request is lost: the same request, sent again, brings it again."""

from collections.abc import Callable, Mapping
from typing import Any, Final

import pytest

from tests.protocol.harness import Harness
from tests.protocol.input_responses import MOON, YES
from tests.protocol.requirements import requirement
from tests.protocol.rev_2026_07_28.client import ANSWERS, Client
from tests.protocol.rev_2026_07_28.responses import ZOE, text
from tests.protocol.rev_2026_07_28.task_input import open_requests, result_text, suspended, update

TIDES: Final = {"topic": "tides"}
DRAFTED: Final = "Moon, of a draft of tides: Accepted"


def listened(client: Client, task_id: str) -> Any:
    reply = client.send_request("subscriptions/listen", {"notifications": {"taskIds": [task_id]}})
    (told,) = reply.notifications("notifications/tasks")
    return told["inputRequests"]


WAYS: Final[Mapping[str, Callable[[Client, str], Any]]] = {"tasks/get": open_requests, "subscriptions/listen": listened}
"""The ways in which a client learns what its task asks."""


@requirement("B-TASK-13", "B-TASK-20", "B-TASK-27")
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("back", WAYS)
def test_what_a_task_asks_is_shown_again_after_a_response_was_lost(ada: Client, way: str, back: str) -> None:
    task_id = suspended(ada)
    lost = WAYS[way](ada, task_id)

    shown = WAYS[back](ada, task_id)

    assert shown == lost
    assert list(shown) == ["title"]
    update(ada, task_id, title=MOON)
    update(ada, task_id, consent=YES)
    assert result_text(ada, task_id) == DRAFTED


@requirement("B-TASK-21", "B-TASK-22")
def test_an_answer_whose_acknowledgement_was_lost_is_sent_again_without_effect(ada: Client) -> None:
    task_id = suspended(ada)
    update(ada, task_id, title=MOON)

    update(ada, task_id, title={"action": "decline"})

    update(ada, task_id, consent=YES)
    assert result_text(ada, task_id) == DRAFTED


@requirement("B-MRTR-1", "B-MRTR-10")
@pytest.mark.parametrize(
    ("tool", "arguments", "answers", "result"),
    [
        ("introduce", {}, {"name": ZOE}, "Hello, Zoë!"),
        ("publish", TIDES, {"title": MOON, "consent": YES}, DRAFTED),
    ],
)
def test_a_round_trip_whose_response_was_lost_is_made_again(
    harness: Harness, tool: str, arguments: Mapping[str, Any], answers: Mapping[str, Any], result: str
) -> None:
    bo = Client(harness, capabilities=ANSWERS)
    bo.call(tool, **arguments)
    shown = bo.call(tool, **arguments)
    for key, answer in answers.items():
        assert list(shown["inputRequests"]) == [key]
        lost, shown = (bo.retry(shown, tool, arguments, **{key: answer}) for _ in range(2))
        assert {**lost, "requestState": None} == {**shown, "requestState": None}

    assert text(shown) == result
