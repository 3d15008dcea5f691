"""The log records of a function name its release, and those of a tool also it and its task, on AWS too."""

import json
import logging
import os
import subprocess
import sys
from collections.abc import Iterator

import pytest

from mcp_tasks import Context
from mcp_tasks.engine.current_run import current_run, mark_records, running, traced
from tests.unit.tool_run import tool_run


class Records(logging.Handler):
    """Keeps what it is given."""

    def __init__(self) -> None:
        super().__init__()
        self.kept: list[logging.LogRecord] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.kept.append(record)


@pytest.fixture
def records() -> Iterator[Records]:
    handler, root = Records(), logging.getLogger()
    root.addHandler(handler)
    mark_records()
    yield handler

    root.removeHandler(handler)


def test_what_a_tool_logs_has_its_name_and_its_task(records: Records) -> None:
    def job(context: Context) -> None:
        logging.getLogger("mine").warning("here")
        logging.getLogger("mine").warning("there", extra={"task": "own"})

    made = tool_run(job)
    made.run()
    logging.getLogger("mine").warning("outside")

    mine = [each.__dict__ for each in records.kept if each.name == "mine"]
    marks = [{name: each.get(name) for name in ("tool", "task")} for each in mine]
    assert marks == [
        {"tool": "job", "task": made.task.id},
        {"tool": "job", "task": "own"},
        {"tool": None, "task": None},
    ]
    assert current_run() == {}


def test_all_that_is_logged_of_a_traced_run_has_its_trace(records: Records) -> None:
    with traced("4bf92f3577b34da6a3ce929d0e0e4736"), running("job", "1"):
        logging.getLogger("mine").warning("here")
    with traced(None):
        assert current_run() == {}

    (mine,) = (each.__dict__ for each in records.kept if each.name == "mine")
    assert (mine["trace"], mine["tool"], mine["task"]) == ("4bf92f3577b34da6a3ce929d0e0e4736", "job", "1")


def test_an_audit_record_says_what_its_hash_is_of_and_no_more(records: Records) -> None:
    with running("job", "1"):
        logging.getLogger("audit").warning("read")

    (audited,) = (each.__dict__ for each in records.kept if each.name == "audit")
    assert not audited.keys() & {"tool", "task"}


def test_the_failure_of_a_tool_has_them_too(records: Records) -> None:
    def job() -> None:
        raise KeyError("lost")

    made = tool_run(job)
    made.run()

    (failed,) = [each.__dict__ for each in records.kept if each.exc_info]
    assert (failed["tool"], failed["task"]) == ("job", made.task.id)


FUNCTION = """
import logging
from aws_lambda_powertools import Logger
from mcp_tasks.engine.current_run import mark_records

logging.basicConfig(format="%(release)s")
logger = Logger(service="of_powertools")
mark_records()
logger.warning("by Powertools")
logging.getLogger("mine").warning("by the runtime")
logging.getLogger("mine").warning("by a tool", extra={"release": "its own"})
"""


def test_every_record_of_a_function_says_which_release_it_is_of() -> None:
    environment = {**os.environ, "RELEASE": "0a1b2c"}
    done = subprocess.run([sys.executable, "-c", FUNCTION], env=environment, capture_output=True, text=True, check=True)

    assert json.loads(done.stdout)["release"] == "0a1b2c"
    assert done.stderr.splitlines() == ["0a1b2c", "its own"]
