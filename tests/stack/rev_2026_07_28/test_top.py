"""`make top` of the deployed stack, and of a server that has one caller."""

import json
import os
import subprocess
import sys
from urllib.parse import urlsplit

import pytest

from local.emulator import ROOT
from local.stack import Stack
from tests.protocol.rev_2026_07_28.over_http import client
from tests.stack.work_folder import WorkFolder

pytestmark = pytest.mark.usefixtures("no_errors_logged")


def top(*arguments: str, token: str = "") -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "COLUMNS": "160", "TOKEN": token}
    command = [sys.executable, "-m", "local.top", "--once", *arguments]
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)


def test_a_stage_is_shown_with_what_its_tenants_do(stack: Stack, subject: str, work_folder: WorkFolder) -> None:
    ada = client(stack.url, stack.token("looked at", subject))
    ada.start("toil", folder=work_folder.folder)
    done = top("--stack", "McpTaskExamples-local", "--port", str(urlsplit(stack.url).port))

    assert done.returncode == 0, done.stderr
    (row,) = (line.split() for line in done.stdout.splitlines() if line.strip().startswith("looked%20at"))
    assert row[1:5] == ["1", "1", "0", "0"]
    assert "live tasks: " in done.stdout
    assert subject not in done.stdout
    assert json.dumps(str(work_folder.folder))[1:-1] not in done.stdout


def test_a_server_with_an_address_shows_its_callers_tasks(stack: Stack, subject: str, work_folder: WorkFolder) -> None:
    token = stack.token("looked at by one", subject)
    client(stack.url, token).start("toil", folder=work_folder.folder)
    done = top("--url", stack.url, token=token)

    assert done.returncode == 0, done.stderr
    (row,) = (line.split() for line in done.stdout.splitlines() if line.strip().startswith("(you)"))
    assert row[1:5] == ["1", "1", "0", "0"]


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["--stack", "nowhere"], "There is no stack nowhere"),
        (["--url", "http://127.0.0.1:1/mcp"], "The stage cannot be read"),
    ],
)
def test_what_cannot_be_read_is_said_in_a_sentence(stack: Stack, arguments: list[str], why: str) -> None:
    done = top(*arguments, "--port", str(urlsplit(stack.url).port))

    assert done.returncode == 1
    assert why in done.stderr
    assert "Traceback" not in done.stderr
