"""Tools that do as the test says: they and the test talk through files in a folder that both of them see."""

import os
import signal
import time
from datetime import timedelta
from pathlib import Path

from botocore.exceptions import ClientError
from botocore.session import get_session

from mcp_tasks import Context, tool
from tools import TOOLS as EXAMPLES

BEAT_SECONDS = 0.05
PATIENCE = timedelta(minutes=2)


@tool(tasks="always", timeout=PATIENCE)
def toil(context: Context, folder: str) -> str:
    """Work on and on, with a beat and a report each round, until there is a file `enough`."""
    room = Path(folder)
    done = 0
    try:
        while not (room / "enough").exists():
            _append(room / "beats", f"{os.getpid()} {context.attempt}")
            context.report_progress(done, message=f"round {done}")
            time.sleep(BEAT_SECONDS)
            done += 1
    finally:
        _append(room / "left", str(context.attempt))
    return f"attempt {context.attempt}"


@tool(tasks="always", timeout=PATIENCE)
def perish(context: Context, folder: str) -> str:
    """Die at each attempt."""
    _append(Path(folder) / "beats", f"{os.getpid()} {context.attempt}")
    os.kill(os.getpid(), signal.SIGKILL)
    return "still here"


@tool(timeout=PATIENCE)
def repeat(text: str) -> str:
    """Return what was given."""
    return text


@tool(timeout=PATIENCE)
def trespass(table: str) -> str:
    """Read a whole table, which nobody granted; says what AWS says to that."""
    try:
        found = get_session().create_client("dynamodb").scan(TableName=table)
    except ClientError as refusal:
        return str(refusal)
    return f"{len(found['Items'])} items"


def _append(file: Path, line: str) -> None:
    with file.open("a") as opened:
        opened.write(line + "\n")


TOOLS = [*EXAMPLES, toil, perish, repeat, trespass]
