"""Reads the JSON log records of a stack's functions."""

import json
from collections.abc import Iterator, Mapping
from typing import Any


def records(logs: Any) -> Iterator[Mapping[str, Any]]:
    """Yield every JSON record of every log group, with the group's name as `group`; `logs` is a boto3 client."""
    for group in logs.describe_log_groups()["logGroups"]:
        pages = logs.get_paginator("filter_log_events").paginate(logGroupName=group["logGroupName"])
        for event in (event for page in pages for event in page["events"]):
            if event["message"].startswith("{"):
                yield {**json.loads(event["message"]), "group": group["logGroupName"]}


def who_woke(logs: Any, task_id: str) -> list[str]:
    """Return what ended each wait for a task: "stream", "poll" or "deadline"."""
    return [each["woken_by"] for each in records(logs) if "woken_by" in each and each.get("task") == task_id]
