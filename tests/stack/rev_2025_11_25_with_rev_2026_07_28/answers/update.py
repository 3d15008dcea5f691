"""A new client that answers what a task asks: one of 2026-07-28, by `tasks/update`.

python -m (this module) URL TOKEN TASK
"""

import json
import sys
from datetime import UTC, datetime

from tests.protocol.rev_2026_07_28.over_http import client
from tests.timeout import until


def main(url: str, token: str, task_id: str) -> None:
    client_2026 = client(url, token)
    asked = client_2026.tasks_get(task_id)["inputRequests"]
    answered_at = datetime.now(UTC).isoformat()
    answers = {key: {"action": "accept", "content": {"really": True}} for key in asked}
    client_2026.result("tasks/update", taskId=task_id, inputResponses=answers)
    until(lambda: client_2026.tasks_get(task_id)["status"] == "completed")
    told = {
        "asked": [each["params"]["message"] for each in asked.values()],
        "answered_at": answered_at,
        "text": client_2026.tasks_get(task_id)["result"]["content"][0]["text"],
    }
    print(json.dumps(told))  # noqa: T201


if __name__ == "__main__":
    main(*sys.argv[1:])
