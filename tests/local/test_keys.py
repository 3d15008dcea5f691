"""What the commands that rotate keys say where they cannot."""

import socket
import subprocess
import sys
from typing import Any

import pytest

from local.emulator import ROOT
from local.keys import NoTable, table_of


class Stacks:
    """CloudFormation, with the outputs of some stacks."""

    def __init__(self, **tables: str | None) -> None:
        self.tables = tables

    def describe_stacks(self, **named: str) -> dict[str, Any]:
        names = [named["StackName"]] if named else list(self.tables)
        return {"Stacks": [{"StackName": name, **self._outputs(name)} for name in names]}

    def _outputs(self, name: str) -> dict[str, Any]:
        table = self.tables[name]
        url = {"OutputKey": "Url", "OutputValue": "https://example.com"}
        return {"Outputs": [url, {"OutputKey": "TableName", "OutputValue": table}]} if table else {}


def test_the_table_is_that_of_the_stack_or_of_the_one_there_is() -> None:
    assert table_of(Stacks(one="t1", two="t2"), "two") == "t2"
    assert table_of(Stacks(one="t1", toolkit=None), None) == "t1"


@pytest.mark.parametrize("stacks", [Stacks(), Stacks(one=None), Stacks(one="t1", two="t2")])
def test_which_table_is_meant_has_to_be_said_where_it_is_not_clear(stacks: Stacks) -> None:
    with pytest.raises(NoTable, match="TABLE=its-name"):
        table_of(stacks, None)


def test_without_a_stack_it_says_so_in_a_sentence() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        command = [sys.executable, "-m", "local", "keys", "revoke", "--port", str(free.getsockname()[1])]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60)

    assert done.returncode == 1
    assert done.stderr.startswith("The keys cannot be rotated: nothing answers at http://127.0.0.1:")
    assert "Traceback" not in done.stderr
