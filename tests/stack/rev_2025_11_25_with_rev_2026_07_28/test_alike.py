"""A task and its changes are the same to the clients of both revisions on the deployed stack."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from local.stack import Stack
from tests.protocol.rev_2025_11_25.over_http import Client as OldClient
from tests.protocol.rev_2026_07_28.over_http import Client as NewClient
from tests.stack.internals import execution_status
from tests.stack.work_folder import WorkFolder
from tests.timeout import until

pytestmark = pytest.mark.usefixtures("no_errors_logged")


def test_a_task_of_one_revision_is_one_of_the_other(
    stack: Stack, ada: OldClient, client_2026: NewClient, work_folder: WorkFolder
) -> None:
    theirs, ours = ada.start("toil", folder=work_folder.folder), client_2026.start("toil", folder=work_folder.folder)
    until(lambda: execution_status(stack, theirs) == execution_status(stack, ours) == "RUNNING")

    assert client_2026.result("tasks/cancel", taskId=theirs) == {"resultType": "complete"}
    assert ada.result("tasks/cancel", taskId=ours)["status"] == "cancelled"
    assert (
        client_2026.tasks_get(theirs)["status"]
        == ada.get_task(theirs).status
        == client_2026.tasks_get(ours)["status"]
        == "cancelled"
    )
    until(lambda: execution_status(stack, theirs) == execution_status(stack, ours) == "ABORTED")


def test_a_change_that_a_task_publishes_is_sent_in_both_revisions(
    ada: OldClient, client_2026: NewClient, subject: str
) -> None:
    uri = f"door://{subject}"
    ada.result("resources/subscribe", uri=uri)
    with ThreadPoolExecutor(1) as pool:
        wanted = {"notifications": {"resourceSubscriptions": [uri]}}
        listening = pool.submit(client_2026.send_request, "subscriptions/listen", wanted)
        # A listener is sent changes from then on, so the change is repeated until it was sent.
        until(lambda: ada.call("slam", name=subject) and listening.done())
        heard = ada.send("GET", accept="text/event-stream").notifications("notifications/resources/updated")

    assert [each["uri"] for each in listening.result().notifications("notifications/resources/updated")] == [uri]
    assert [each["uri"] for each in heard] == [uri]
