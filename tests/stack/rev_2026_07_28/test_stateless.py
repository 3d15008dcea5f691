"""Revision 2026-07-28 on the deployed stack: nothing is remembered between requests but tasks."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from local.stack import Stack
from tests.protocol.rev_2026_07_28.client import ANSWERS
from tests.protocol.rev_2026_07_28.over_http import Client, client
from tests.stack.internals import execution
from tests.stack.work_folder import WorkFolder
from tests.timeout import until

pytestmark = pytest.mark.usefixtures("no_errors_logged")


@pytest.fixture
def novice(stack: Stack, subject: str) -> Client:
    """The same, by a client without tasks that can respond to input requests."""
    return client(stack.url, stack.token("acme", subject), ANSWERS)


def test_a_task_is_created_polled_and_has_its_result_within(client_2026: Client) -> None:
    task_id = client_2026.start("repeat", text="over and over")
    until(lambda: client_2026.tasks_get(task_id)["status"] == "completed")

    assert client_2026.tasks_get(task_id)["result"]["content"] == [{"type": "text", "text": "over and over"}]


def test_a_call_that_lasts_is_answered_with_a_task_handle_and_its_work_is_done_once(
    stack: Stack, client_2026: Client, novice: Client, work_folder: WorkFolder
) -> None:
    handed = novice.call("dawdle", folder=work_folder.folder)
    task_id = handed["structuredContent"]["task_id"]
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(novice.call, "task_result", task_id=task_id)
        work_folder.enough()
        fetched = waiting.result()

    assert fetched["content"][0]["text"] == "done at last"
    assert work_folder.beats() == 1
    assert execution(stack, task_id) is not None
    assert client_2026.tasks_get(task_id)["status"] == "completed"


def test_a_response_may_reach_any_process_and_a_recorded_step_is_not_repeated(novice: Client) -> None:
    pending = [novice.call("confirm") for _ in range(3)]
    answer = {"action": "accept", "content": {"really": True}}
    with ThreadPoolExecutor(3) as pool:
        ended = list(pool.map(lambda each: novice.retry(each, "confirm", really=answer), pending))

    assert [each["inputRequests"].keys() for each in pending] == [{"really"}] * 3
    assert all("really=True" in each["content"][0]["text"] for each in ended)


def test_a_file_of_the_tenants_is_a_resource_to_its_people_alone(stack: Stack, client_2026: Client) -> None:
    stack.client("s3").put_object(Bucket=stack.outputs["DataBucket"], Key="acme/birds.csv", Body=b"x\n1\n")
    stranger = client(stack.url, stack.token("globex", "eve"))

    assert client_2026.result("resources/read", uri="dataset://birds.csv")["contents"][0]["text"] == "x\n1\n"
    assert stranger.error("resources/read", uri="dataset://birds.csv")["code"] == -32602
    assert "profile_csv" in str(client_2026.result("prompts/get", name="look_into", arguments={"name": "birds.csv"}))


def test_a_listener_is_sent_a_task_that_ends(client_2026: Client, work_folder: WorkFolder) -> None:
    task_id = client_2026.start("dawdle", folder=work_folder.folder)
    with ThreadPoolExecutor(1) as pool:
        listening = pool.submit(
            client_2026.send_request, "subscriptions/listen", {"notifications": {"taskIds": [task_id]}}
        )
        work_folder.process()
        work_folder.enough()
        reply = listening.result()

    assert reply.notifications("notifications/tasks")[0]["status"] == "completed"


@pytest.mark.parametrize("method", ["tasks/get", "tasks/update", "tasks/cancel"])
def test_a_strangers_task_is_no_task(stack: Stack, client_2026: Client, method: str) -> None:
    task_id = client_2026.start("repeat", text="mine")
    stranger = client(stack.url, stack.token("globex", "eve"))
    theirs, nobodys = (
        stranger.send_request(method, {"taskId": each, "inputResponses": {}}, id=7).body.replace(each, "TASK")
        for each in (task_id, "0" * len(task_id))
    )

    assert theirs == nobodys
    assert "-32602" in theirs
