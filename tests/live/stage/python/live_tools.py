"""Tools of the stage that live tests look at: each brings about one thing that only AWS does as AWS does."""

import json
import os
import random
import signal
import time
import uuid
from datetime import timedelta
from typing import Final

from botocore.exceptions import ClientError

from mcp_tasks import Context, Form, tool

TIMEOUT = timedelta(minutes=2)
DAY = timedelta(days=1)
PROCESS: Final = uuid.uuid4().hex
"""Of this process, or of the snapshot that it began from."""


class Consent(Form):
    """What the user says."""

    really: bool


@tool(tasks="always", timeout=TIMEOUT)
def fill(characters: int = 10) -> str:
    """Return a text of this length."""
    return "x" * characters


@tool(machine="direct", tasks="always", timeout=TIMEOUT)
def fill_directly() -> str:
    """Return a text a moment later, without a state machine."""
    time.sleep(2)
    return "filled"


@tool(tasks="always", timeout=TIMEOUT)
def ask(context: Context) -> str:
    """Ask the user one thing, and say which process that was known to before."""
    asked_by = context.step("process", os.getpid)
    return f"{context.elicit('Really?', Consent, key='really', default=Consent(really=False))} asked by {asked_by}"


@tool(tasks="always", timeout=TIMEOUT)
def die() -> str:
    """End the process at each attempt."""
    os.kill(os.getpid(), signal.SIGKILL)
    return "still here"


@tool(tasks="never", scopes=["live:sealed"])
def sealed() -> str:
    """Return a text to whoever has the scope."""
    return "unsealed"


@tool(tasks="never")
def actor(context: Context) -> str:
    """Say who acts on behalf of the caller, as JSON."""
    return json.dumps(context.caller.actor)


@tool(tasks="never")
def tenant_tag(context: Context) -> str:
    """Say by which tag AWS knows the caller's tenant."""
    return context.caller.tenant_tag


@tool(tasks="always", timeout=TIMEOUT)
def reach(context: Context, bucket: str, folder: str) -> str:
    """Write and read below a folder of a bucket, as the caller's tenant; says what AWS says to that."""
    s3, key = context.aws("s3"), f"{folder}/note.txt"
    try:
        s3.put_object(Bucket=bucket, Key=key, Body=b"a note")
        return str(s3.get_object(Bucket=bucket, Key=key)["Body"].read().decode())
    except ClientError as rejection:
        return str(rejection.response["Error"]["Code"])


@tool(tasks="never")
def process() -> str:
    """Say which process this is, what random number it draws, and what time it has."""
    return _process()


@tool(tasks="always", timeout=TIMEOUT)
def process_of_task() -> str:
    """Say the same from the function that runs the tools of tasks."""
    return _process()


def _process() -> str:
    return json.dumps({"process": PROCESS, "random": random.getrandbits(64), "time": time.time()})


@tool(machine="waits", tasks="always", timeout=DAY)
def wait_an_hour() -> str:
    """Return after an hour, which no test waits for."""
    return "an hour later"


@tool(machine="too_slow", tasks="always", timeout=DAY)
def exceed() -> str:
    """Return after a minute, which the whole execution does not have."""
    return "in time"


@tool(machine="theirs", tasks="always", timeout=DAY)
def wait_for_theirs() -> str:
    """Have a state machine that exists already wait for an hour."""
    return "not called"


@tool(machine="own_function", tasks="always", timeout=DAY)
def doubled(number: int) -> int:
    """Have the machine's own function double a number."""
    return number


def double(event: dict[str, int], context: object) -> int:
    """Double the number of an event: the handler of a function that a state machine's file adds."""
    return 2 * event["number"]


TOOLS = [fill, fill_directly, ask, die, sealed, actor, tenant_tag, reach, process, process_of_task]
TOOLS += [wait_an_hour, exceed, wait_for_theirs, doubled]
