"""Those who wait on one task: all of them are answered, and soon."""

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta

import pytest

from mcp_tasks.wire.http import HttpReply, HttpRequest
from tests.protocol.rev_2025_11_25.over_http import Client
from tests.stack.work_folder import WorkFolder
from tests.timeout import until

SOON = timedelta(seconds=1)
IDS = ["one", "two", 3, 4]


def outcome(ada: Client, task_id: str, request_id: object) -> tuple[object, str, datetime]:
    """Wait for a task; returns under which id which answer came, and when."""
    answer, _ = ada.outcome(task_id, id=request_id)
    return answer["id"], answer["result"]["content"][0]["text"], datetime.now(UTC)


@pytest.mark.usefixtures("no_errors_logged")
@pytest.mark.parametrize("resumed", [2, 3, 4])
def test_four_who_wait_for_one_task_are_all_answered_within_a_second_of_its_end(
    ada: Client, work_folder: WorkFolder, resumed: int
) -> None:
    sent: list[str] = []
    transport = ada.transport

    def counting(request: HttpRequest) -> HttpReply:
        sent.append(request.method)
        return transport(request)

    ada.transport = counting
    task_id = ada.start("toil", folder=work_folder.folder)
    work_folder.process()
    with ThreadPoolExecutor(len(IDS)) as threads:
        waiting = [threads.submit(outcome, ada, task_id, request_id) for request_id in IDS]
        # From the second connection on, everybody's function is warm.
        until(lambda: sent.count("GET") >= resumed * len(IDS))
        work_folder.enough()
        answers = [each.result(timeout=30) for each in waiting]
    ended = datetime.fromisoformat(ada.result("tasks/get", taskId=task_id)["lastUpdatedAt"])

    delays = [answered - ended for *_, answered in answers]
    print("answered after", *(f"{delay / timedelta(milliseconds=1):.0f}" for delay in delays), "ms")  # noqa: T201
    assert [request_id for request_id, *_ in answers] == IDS
    assert {text for _, text, _ in answers} == {"attempt 1"}
    assert max(delays) < SOON
