"""A new client that responds to a task's input requests: one of 2026-07-28, by `tasks/update`.

python -m (this module) URL TOKEN TASK
"""

import json
import sys
from datetime import UTC, datetime

from tests.protocol.rev_2026_07_28.over_http import client
from tests.timeout import until


def main(url: str, token: str, task_id: str) -> None:
    client_2026 = client(url, token)
    input_requests = client_2026.tasks_get(task_id)["inputRequests"]
    answered_at = datetime.now(UTC).isoformat()
    answers = {key: {"action": "accept", "content": {"really": True}} for key in input_requests}
    client_2026.result("tasks/update", taskId=task_id, inputResponses=answers)
    until(lambda: client_2026.tasks_get(task_id)["status"] == "completed")
    report = {
        "asked": [each["params"]["message"] for each in input_requests.values()],
        "answered_at": answered_at,
        "text": client_2026.tasks_get(task_id)["result"]["content"][0]["text"],
    }
    print(json.dumps(report))  # noqa: T201


if __name__ == "__main__":
    main(*sys.argv[1:])
