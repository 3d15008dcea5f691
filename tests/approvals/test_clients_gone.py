"""Whatever is asked of others is answered after the client that asked is gone: all of it, in both revisions."""

from typing import Any, Final

import pytest

from mcp_tasks import Caller
from mcp_tasks.testing.client import Client
from mcp_tasks.testing.harness import REVISIONS, Harness
from mcp_tasks.wire.http import HttpReply, HttpRequest
from tests.approvals.people import ADA, CANNOT_BE_ASKED, FORM, GRACE, HEIDI, decide, inbox

QUESTIONS: Final = 99
APPROVERS: Final[dict[str, Caller]] = {"refund": GRACE, "ask_grace": GRACE, "ask_anyone": HEIDI}
"""Tools that ask a role, a subject and anybody, and one who may answer."""


def leave(client: Client) -> None:
    """Have a client end its session, if it has one, and send nothing more."""
    if session := getattr(client, "headers", None):
        assert client.transport(HttpRequest(method="DELETE", headers=session, body=b"")).status == 204

    def gone(request: HttpRequest) -> HttpReply:
        raise AssertionError("it is gone")

    client.transport = gone


@pytest.mark.parametrize("revision", REVISIONS)
@pytest.mark.parametrize("capabilities", [CANNOT_BE_ASKED, {"elicitation": {"form": {}}}], ids=["cannot", "can"])
def test_each_of_ninety_nine_questions_is_answered_once_its_client_is_gone(
    harness: Harness, revision: str, capabilities: Any
) -> None:
    asked = []
    for number in range(QUESTIONS):
        client = harness.client(revision, ADA, capabilities=capabilities)
        tool = [*APPROVERS][number % len(APPROVERS)]
        asked.append(client.start_task(tool, {"order": f"A{number}"} if tool == "refund" else {}).id)
        leave(client)
        harness.advance(minutes=5)
        (waiting,) = inbox(harness, APPROVERS[tool], revision)
        assert not decide(harness, APPROVERS[tool], revision, waiting["id"], "accept", content=FORM).is_error

    onlooker = harness.client(revision, ADA)
    assert len({*asked}) == QUESTIONS
    for number, task_id in enumerate(asked):
        who = APPROVERS[[*APPROVERS][number % len(APPROVERS)]].subject
        assert onlooker.task(task_id).wait().text == f"Accepted 7 by {who}"
