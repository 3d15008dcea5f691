"""`make stack`: up until it is interrupted, and then gone."""

import os
import signal
import subprocess
import sys
from http.client import HTTPConnection
from urllib.parse import urlsplit

import pytest

from local.emulator import ROOT
from local.stack import Stack
from tests.protocol.rev_2025_11_25.over_http import client

PATH = os.pathsep.join(["layers/core/python", "layers/tools/python", "."])


def test_it_prints_where_it_is_and_how_to_get_in_and_leaves_nothing_behind(stack: Stack) -> None:
    command = [sys.executable, "-m", "local.stack", "--port", "0", "--tools", "tests.stack.sample_tools"]
    command += ["--origins", "https://a.example https://b.example"]
    # Nothing may be written in the home directory, which can be read-only.
    environment = os.environ | {"PYTHONPATH": PATH, "HOME": "/dev/null"}
    with subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        printed = dict(process.stdout.readline().strip().split("=", 1) for _ in range(3))
        ada = client(printed["url"], printed["token"])
        ada.initialize()
        pages = [
            ada.send_request("ping", origin=origin).status for origin in ("https://b.example", "http://localhost:6274")
        ]
        names = [tool["name"] for tool in ada.result("tools/list")["tools"]]
        process.send_signal(signal.SIGINT)
        ended = process.wait(timeout=30)

    assert "repeat" in names
    assert pages == [200, 403]
    # Of any two starts; only the ports differ.
    assert urlsplit(printed["url"]).path == urlsplit(stack.url).path
    assert ended == 0
    assert not os.path.exists(printed["log"])
    with pytest.raises(ConnectionRefusedError):
        HTTPConnection(urlsplit(printed["url"]).netloc).connect()
