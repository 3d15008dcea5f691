"""Tools that do as the test says: they and the test talk through files in a folder that both of them see."""

import json
import os
import signal
import time
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

from botocore.exceptions import ClientError
from botocore.session import get_session

from examples import PROMPTS
from examples import RESOURCES as RESOURCES_OF_EXAMPLES
from examples import TOOLS as EXAMPLES
from mcp_tasks import Context, Declined, Form, resource, tool
from tests.stack.hostile_tools import TOOLS as HOSTILE

__all__ = ["PROMPTS", "RESOURCES", "TOOLS"]

BEAT_SECONDS = 0.05
TIMEOUT = timedelta(minutes=2)


@tool(tasks="always", timeout=TIMEOUT)
def toil(context: Context, folder: str) -> str:
    """Work on and on, with a beat and a progress report in each iteration, until the file `enough` exists."""
    room = Path(folder)
    done = 0
    try:
        while not (room / "enough").exists():
            _append(room / "beats", f"{os.getpid()} {context.attempt}")
            context.report_progress(done, message=f"iteration {done}")
            time.sleep(BEAT_SECONDS)
            done += 1
    finally:
        _append(room / "left", str(context.attempt))
    return f"attempt {context.attempt}"


toil_direct = replace(toil, name="toil_direct", machine="direct")


@tool(tasks="always", timeout=TIMEOUT)
def perish(context: Context, folder: str) -> str:
    """Die at each attempt."""
    _append(Path(folder) / "beats", f"{os.getpid()} {context.attempt}")
    os.kill(os.getpid(), signal.SIGKILL)
    return "still here"


@tool(timeout=TIMEOUT, handle_after=timedelta())
def repeat(text: str) -> str:
    """Return what was given."""
    return text


@tool(timeout=TIMEOUT, scopes=["archive:write", "archive:seal"])
def seal(name: str) -> str:
    """Seal what nobody may change any more."""
    return f"{name} is sealed"


@tool(timeout=TIMEOUT)
def represent(context: Context) -> str:
    """Say who acts on behalf of the caller."""
    return json.dumps(context.caller.actor)


@tool(timeout=TIMEOUT)
def trespass(table: str) -> str:
    """Read a whole table, which nobody granted; says what AWS says to that."""
    try:
        found = get_session().create_client("dynamodb").scan(TableName=table)
    except ClientError as rejection:
        return str(rejection)
    return f"{len(found['Items'])} items"


@tool(timeout=TIMEOUT)
def eavesdrop(stream: str) -> str:
    """Look at the stream of all tenants' tasks, which nobody granted; says what AWS says to that."""
    try:
        get_session().create_client("dynamodbstreams").describe_stream(StreamArn=stream)
    except ClientError as rejection:
        return str(rejection)
    return "nothing was said to that"


@tool(timeout=TIMEOUT, handle_after=timedelta())
def reach(context: Context, bucket: str, folder: str) -> str:
    """Write and read below a folder of a bucket, as the caller's tenant; says as whom, or what AWS says to that."""
    key, s3 = f"{folder}/note.txt", context.aws("s3")
    try:
        s3.put_object(Bucket=bucket, Key=key, Body=b"a note")
        read = s3.get_object(Bucket=bucket, Key=key)["Body"].read().decode()
    except ClientError as rejection:
        return str(rejection.response["Error"]["Code"])
    return f"{read} of {context.aws('sts').get_caller_identity()['Arn']}"


@tool(timeout=TIMEOUT, handle_after=timedelta())
def reach_as_itself(bucket: str, folder: str) -> str:
    """Read below a folder of a bucket by the role of the function; says what AWS says to that."""
    try:
        get_session().create_client("s3").get_object(Bucket=bucket, Key=f"{folder}/note.txt")
    except ClientError as rejection:
        return str(rejection.response["Error"]["Code"])
    return "it is open to all tenants"


def _append(file: Path, line: str) -> None:
    with file.open("a") as opened:
        opened.write(line + "\n")


@tool(timeout=TIMEOUT, inline_wait=timedelta(seconds=1))
def dawdle(context: Context, folder: str) -> str:
    """Work until there is a file `enough`."""
    room = Path(folder)
    _append(room / "beats", f"{os.getpid()} {context.attempt}")
    while not (room / "enough").exists():
        time.sleep(BEAT_SECONDS)
    return "done at last"


class Confirmation(Form):
    """The content of a response to an input request."""

    really: bool


@tool(tasks="never")
def confirm(context: Context) -> str:
    """Record this process's id in a step, ask, and return both the recorded id and the response."""
    recorded = context.step("note", os.getpid)
    return f"{recorded}: {context.elicit('Really?', Confirmation, key='really')}"


@tool(tasks="always", timeout=TIMEOUT)
def await_consent(context: Context, seconds: float = 3600) -> str:
    """Record this process's id in a step, ask with this timeout, and return both ids and the response."""
    recorded = context.step("note", os.getpid)
    timeout = timedelta(seconds=seconds)
    answer = context.elicit("Really?", Confirmation, key="really", timeout=timeout, default=Declined())
    return f"{recorded} {os.getpid()} {answer}"


@resource("door://{name}", subscribable=True)
def door(name: str) -> str:
    """Describe a door."""
    return f"The door {name} is open."


@tool()
def slam(name: str, context: Context) -> str:
    """Publish that a door changed, from the function that runs the tools of tasks."""
    context.resource_updated(f"door://{name}")
    return "slammed"


REACHING = [trespass, eavesdrop, reach, reach_as_itself, *HOSTILE]
TOOLS = [*EXAMPLES, *REACHING, toil, toil_direct, perish, repeat, seal, dawdle, confirm, await_consent, slam, represent]
RESOURCES = [*RESOURCES_OF_EXAMPLES, door]
