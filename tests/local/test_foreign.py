"""Web pages of other machines, and what a browser sends for them to the ports of this one."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from os import environ

import pytest

from local.emulator import PYTHON_PATH, ROOT
from local.foreign import HERE, PAGE_HERE
from local.http_server import Head, Reply
from tests.foreign_requests import (
    FOREIGN_HOSTS,
    FOREIGN_ORIGINS,
    LOCAL_HOSTS,
    LOCAL_ORIGINS,
    VISIT,
    accepted,
    foreign_requests,
    local_pages,
    ports_of,
    raw,
    status,
)
from tests.local.raw import RecordingHandler, served


def test_a_host_that_looks_like_this_machine_is_foreign() -> None:
    assert [host for host in FOREIGN_HOSTS if HERE.fullmatch(host)] == []
    assert [origin for origin in FOREIGN_ORIGINS if PAGE_HERE.fullmatch(origin)] == []


def test_every_spelling_of_this_machine_is_local() -> None:
    assert [host for host in LOCAL_HOSTS if not HERE.fullmatch(host)] == []
    assert [origin for origin in LOCAL_ORIGINS if not PAGE_HERE.fullmatch(origin)] == []


def test_a_foreign_request_reaches_no_handler() -> None:
    handler = RecordingHandler()
    with served(handler) as port:
        assert accepted(port, foreign_requests()) == []

    assert handler.heads == []


def test_the_body_of_a_foreign_request_is_no_request_of_its_own() -> None:
    handler, smuggled = RecordingHandler(), raw("GET", "/smuggled", "Host: localhost").decode()
    with served(handler) as port:
        assert status(port, raw("POST", "/", "Host: localhost", "Origin: https://evil.test", body=smuggled)) == 403

    assert handler.heads == []


@pytest.mark.parametrize("host", LOCAL_HOSTS)
def test_a_program_may_name_this_machine_in_each_way(host: str) -> None:
    with served(lambda head: Reply(status=204)) as port:
        assert status(port, raw("POST", "/mcp", f"Host: {host}", body="{}")) == 204


def test_pages_of_this_machine_and_a_visit_from_elsewhere_are_admitted() -> None:
    def answer(head: Head) -> Reply:
        return Reply(status=204)

    with served(answer) as port:
        assert {status(port, each) for each in local_pages()} == {204}
        assert status(port, raw("GET", "/?code=1&state=2", "Host: localhost", *VISIT)) == 204


@contextmanager
def command(*arguments: str, lines: int) -> Iterator[int]:
    """Run a command until it has printed some lines; yields its process."""
    environment = environ | {"PYTHONPATH": PYTHON_PATH, "TOKEN": "t-1"}
    with subprocess.Popen(
        [sys.executable, "-m", *arguments],
        cwd=ROOT,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as process:
        assert process.stdout
        try:
            assert all(process.stdout.readline() for _ in range(lines))
            yield process.pid
        finally:
            process.kill()


@pytest.mark.parametrize(
    ("arguments", "lines", "ports"),
    [
        (["local", "serve", "--port", "0", "--tools", "examples", "--machines", "layers.examples.machines"], 3, 1),
        (
            [
                "local",
                "serve",
                "--port",
                "0",
                "--tools",
                "examples",
                "--machines",
                "layers.examples.machines",
                "--auth",
            ],
            3,
            2,
        ),
        (["local.proxy", "http://127.0.0.1:9/mcp", "--port", "0"], 2, 1),
    ],
    ids=["serve", "serve --auth", "proxy"],
)
def test_no_port_of_a_command_accepts_a_foreign_request(arguments: list[str], lines: int, ports: int) -> None:
    with command(*arguments, lines=lines) as process:
        found = ports_of(process)

        assert len(found) == ports
        for path in ("/", "/mcp", "/.well-known/oauth-protected-resource/mcp", "/.well-known/jwks.json"):
            assert [each for port in found for each in accepted(port, foreign_requests(path))] == []
