"""`make serve`: the same door in one process, for those at this machine and nobody else."""

import os
import resource
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

import pytest

from local.emulator import ROOT
from local.issuer import Issuer
from tests.visitor import Visitor

PATH = os.pathsep.join(["layers/core/python", "layers/tools/python", "."])
START_CPU_SECONDS = 2
HELLO = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "tests", "version": "1.0"}}


@contextmanager
def serving(*options: str) -> Iterator[Mapping[str, str]]:
    """Serve on a free port; gives what is printed, up to the URL, and ends as by Ctrl-C."""
    command = [sys.executable, "-m", "local.serve", "--port", "0", *options]
    environment = os.environ | {"PYTHONPATH": PATH}
    with subprocess.Popen(
        command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout
        printed: dict[str, str] = {}
        for line in process.stdout:
            name, _, value = line.strip().partition("=")
            printed[name] = value
            if name == "url":
                break
        yield printed

        process.send_signal(signal.SIGINT)
        try:
            _, printed["complaints"] = process.communicate(timeout=10)
        finally:
            process.kill()
        assert process.returncode == 0


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with serving() as printed:
        yield printed["url"]


def test_it_starts_within_two_seconds() -> None:
    before = _spent_by_children()
    with serving() as printed:
        Visitor(printed["url"]).shake_hands()

    assert printed["complaints"] == ""

    assert _spent_by_children() - before < START_CPU_SECONDS


def test_anybody_at_this_machine_may_call_a_tool(url: str) -> None:
    somebody = Visitor(url)
    somebody.shake_hands()
    task_id = somebody.start("remind_me", after_seconds=1, about="tea")
    answer, _ = somebody.outcome(task_id)

    assert somebody.call("greet", name="Ada")["content"][0]["text"] == "Hello, Ada!"
    assert answer["result"]["content"][0]["text"] == "Reminder after 1 s: tea"


def test_other_tools_are_served_by_the_name_of_their_module() -> None:
    with serving("--tools", "tests.protocol.errands") as printed:
        somebody = Visitor(printed["url"])
        somebody.shake_hands()

        assert somebody.call("add", numbers=[1, 2])["structuredContent"] == {"total": 3}
        assert somebody.refused("tools/call", name="sleep", arguments={"seconds": 1}, task={})["code"] == -32602

    assert "sleep is left out" in printed["complaints"]


@pytest.mark.parametrize("host", ["attacker.example", "attacker.example:8000", "", "127.0.0.1.attacker.example:80"])
def test_a_page_that_made_its_name_lead_here_is_refused(url: str, host: str) -> None:
    assert Visitor(url).ask("initialize", HELLO, host=host).status == 403


def test_there_is_nothing_beside_the_door(url: str) -> None:
    assert Visitor(url).get("/").status == 404


def test_with_auth_a_token_is_needed() -> None:
    with serving("--auth") as printed:
        nobody = Visitor(printed["url"]).ask("initialize", HELLO)
        eve = Visitor(printed["url"], Issuer().token("acme", "eve", aud="https://elsewhere.invalid"))
        refused = eve.ask("initialize", HELLO)
        for token in (printed["token"], Issuer().token("globex", "bob")):
            friend = Visitor(printed["url"], token)
            friend.shake_hands()

            assert friend.call("greet", name="Bob")["content"][0]["text"] == "Hello, Bob!"

    assert (nobody.status, nobody.headers["www-authenticate"]) == (401, "Bearer")
    assert refused.status == 401


def _spent_by_children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
