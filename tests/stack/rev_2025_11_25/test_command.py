"""`make stack`: up until it is interrupted, and then gone."""

import os
import signal
import subprocess
import sys
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from local.emulator import PYTHON_PATH, ROOT
from local.http_client import HttpClient
from local.stack import Stack
from mcp_tasks import page
from mcp_tasks.wire.http import HttpRequest
from tests.foreign_requests import accepted, foreign_requests, ports_of
from tests.protocol.rev_2025_11_25.over_http import client
from tests.stack.test_browsers import HEADERS, PING
from tests.timeout import until

TOOLS = """
import logging

from mcp_tasks import tool


@tool(tasks="always")
def fails() -> str:
    '''Print, log and raise.'''
    print("printed \\udcff")
    logging.getLogger("mine").warning("logged")
    raise KeyError("lost")


@tool(tasks="never")
def talks() -> str:
    '''Print without a task.'''
    print("talked")
    return "done"


TOOLS = [fails, talks]
"""


def test_it_prints_where_it_is_what_tools_print_and_leaves_nothing_behind(stack: Stack, tmp_path: Path) -> None:
    (tmp_path / "talking_tools.py").write_text(TOOLS)
    command = [sys.executable, "-m", "local", "stack", "--port", "0", "--tools", "talking_tools"]
    command += ["--origins", "https://a.example https://b.example"]
    # Nothing may be written in the home directory, which can be read-only.
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([PYTHON_PATH, str(tmp_path)]), "HOME": "/dev/null"}
    terminal = tmp_path / "terminal"
    with (
        terminal.open("w") as errors,
        subprocess.Popen(
            command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=errors, text=True
        ) as process,
    ):
        try:
            assert process.stdout
            printed = dict(process.stdout.readline().strip().split("=", 1) for _ in range(4))
            ada = client(printed["url"], printed["token"])
            ada.initialize()
            pages = [
                ada.send_request("ping", origin=origin).status
                for origin in ("https://b.example", "http://localhost:6274")
            ]
            console, at_console = urlsplit(printed["page"]), HttpClient(f"{printed['page']}mcp")
            shown = at_console.get(console.path).body
            own = f"{console.scheme}://{console.netloc}"
            pages.append(
                at_console.send(HttpRequest(method="POST", headers=HEADERS | {"origin": own}, body=PING)).status
            )
            ada.call("talks")
            ports = ports_of(process.pid)
            foreign = [each for port in ports for each in accepted(port, foreign_requests())]
            task_id = ada.start("fails")
            until(lambda: "KeyError: 'lost'" in terminal.read_text())
            process.send_signal(signal.SIGINT)
            ended = process.wait(timeout=30)
        finally:
            process.kill()

    lines = terminal.read_text().splitlines()
    expected = ["talks | talked", f"fails {task_id} | printed \\udcff", f"fails {task_id} | WARNING:mine:logged"]
    expected.append(f"fails {task_id} | ERROR:mcp_tasks.engine.tool_run:tool fails failed")
    assert [line for line in lines if line in expected] == expected
    assert pages == [200, 403, 200]
    # Those of the emulator, the issuer and the console, and one for each process of a function.
    assert (len(ports) > 4, foreign) == (True, [])
    assert shown == page.console()
    # Of any two starts; only the ports differ.
    assert urlsplit(printed["url"]).path == urlsplit(stack.url).path
    assert ended == 0
    assert not os.path.exists(printed["log"])
    with pytest.raises(ConnectionRefusedError):
        HTTPConnection(urlsplit(printed["url"]).netloc).connect()
