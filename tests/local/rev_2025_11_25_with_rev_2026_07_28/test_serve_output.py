"""What a tool prints, logs and raises appears in the terminal of `make serve`, and in `make logs`."""

import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from local.emulator import ROOT
from tests.protocol.rev_2025_11_25.over_http import client as old_client
from tests.protocol.rev_2026_07_28.over_http import client as new_client
from tests.serving import serving
from tests.timeout import until

TALKING = """
import logging
import sys
from mcp_tasks import tool


@tool(tasks="always")
def fails() -> str:
    '''Print, log and raise.'''
    print("printed", "with two words", end="")
    print("\\nand a second line", file=sys.stdout)
    print("complained", file=sys.stderr)
    logging.getLogger("mine").info("logged %s \\udcff", 1)
    raise KeyError("lost")


@tool(tasks="never")
def talks() -> str:
    '''Print without a task.'''
    print("talked")
    return "done"


TOOLS = [fails, talks]
"""


@contextmanager
def following(copy: Path) -> Iterator[None]:
    """Run `make logs` into a file."""
    with (
        copy.open("w") as output,
        subprocess.Popen(["make", "-s", "logs"], cwd=ROOT, stdout=output, start_new_session=True) as process,
    ):
        try:
            yield
        finally:
            os.killpg(process.pid, signal.SIGKILL)


def test_what_a_tool_prints_logs_and_raises_is_shown_with_tool_and_task(tmp_path: Path) -> None:
    (tmp_path / "talking_tools.py").write_text(TALKING)
    copy = tmp_path / "copy"
    with serving("--tools", "talking_tools", folder=tmp_path) as printed, following(copy):
        old, new = old_client(printed["url"]), new_client(printed["url"])
        old.initialize()
        tasks = old.start("fails"), new.start("fails")
        until(lambda: all(f"fails {task_id} | ERROR" in copy.read_text() for task_id in tasks))
        new.call("talks")
        until(lambda: "talks | talked" in copy.read_text())
        followed = copy.read_text()

    for shown in (printed["output"] + printed["complaints"], followed):
        lines = shown.splitlines()
        assert "talks | talked" in lines
        for task_id in tasks:
            assert f"fails {task_id} | printed with two words" in lines
            assert f"fails {task_id} | and a second line" in lines
            assert f"fails {task_id} | complained" in lines
            assert f"fails {task_id} | INFO:mine:logged 1 \\udcff" in lines
            assert f"fails {task_id} | ERROR:mcp_tasks.engine.tool_run:tool fails failed" in lines
        assert lines.count("KeyError: 'lost'") == 2


def test_there_is_nothing_to_follow_where_nothing_runs() -> None:
    command = ["make", "-s", "--no-print-directory", "logs", "LOGS=nothing"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)

    assert (done.stdout, done.stderr.splitlines()[0]) == ("", "Nothing runs: start make serve or make stack.")
