"""A responder may run an input request as a task of its client, which the server then polls."""

from typing import Any

from mcp_tasks.testing.client import RESPONDS, InputRequest
from mcp_tasks.testing.harness import Harness

CAN_RUN = {**RESPONDS, "tasks": {"requests": {"elicitation": {"create": {}}}}}


def test_polling_the_clients_task_does_not_reject_its_earlier_response(harness: Harness) -> None:
    methods: list[str] = []

    def respond(request: InputRequest) -> Any:
        methods.append(request.method)
        polls = methods.count("tasks/get")
        task = {"taskId": "mine", "status": "completed" if polls == 2 else "working", "ttl": None}
        dates = {"createdAt": "2026-01-01T12:00:00Z", "lastUpdatedAt": "2026-01-01T12:00:00Z"}
        match request.method:
            case "elicitation/create":
                return {"task": task | dates}
            case "tasks/get":
                return task | dates
            case _:
                return {"action": "accept", "content": {"approved": True}}

    client = harness.client("2025-11-25", capabilities=CAN_RUN, tasks=False, responder=respond)

    assert client.call_tool("publish", {"title": "tides"}).text == "published"
    assert methods == ["elicitation/create", "tasks/get", "tasks/get", "tasks/result"]
