"""A function that gets tokens, in the emulator: it records them in a folder, and does what the event says."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from botocore.exceptions import ClientError
from botocore.session import get_session


def handler(event: Mapping[str, Any], context: object) -> None:
    """Record the token, then fail so many times, or send it back and record the response."""
    tokens = Path(event["folder"], "tokens")
    with tokens.open("a") as file:
        file.write(event["token"] + "\n")
    if len(tokens.read_text().splitlines()) <= event["failures"]:
        raise KeyError("no such table")
    if event["brings"]:
        Path(event["folder"], "said").write_text(_bring_back(event["token"]))


def _bring_back(token: str) -> str:
    try:
        get_session().create_client("stepfunctions").send_task_success(taskToken=token, output='"itself"')
    except ClientError as rejection:
        return str(rejection.response["Error"]["Code"])
    return "done"
