"""A new user's first day: what the pages say to write and to type works, and prints what they show."""

import os
import signal
import subprocess
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from tests.checkout import as_repository, link_environments
from tests.first_day.pages import Typed, files, typed

SERVERS = {"make serve": "url", "make stack": "token"}
"""The commands that go on until they are interrupted, and the last thing that each prints before it is ready."""


@pytest.mark.slow
def test_the_first_day_goes_as_the_pages_say(tmp_path: Path) -> None:
    environment = os.environ | {"REPOSITORY": str(as_repository(tmp_path / "origin")), "PORT": "0"}
    environment.pop("PYTHONPATH", None)
    clone, demo, remove, *rest = typed()
    folder = tmp_path / "tasks"

    type_in(clone, tmp_path, environment)
    link_environments(folder)
    type_in(demo, folder, environment)
    type_in(remove, folder, environment)
    for name, code in files().items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(code)
    work(rest, folder, environment)


def work(day: Iterable[Typed], folder: Path, environment: Mapping[str, str]) -> None:
    """Type what the day consists of; each server runs until the next is started."""
    with ExitStack() as server:
        for each in day:
            if each.command.strip() in SERVERS:
                server.close()
                printed = server.enter_context(running(each.command.strip(), folder, environment))
                environment = {**environment, "URL": printed["url"], "TOKEN": printed.get("token", "none")}
            else:
                type_in(each, folder, environment)


def type_in(typed: Typed, folder: Path, environment: Mapping[str, str]) -> None:
    """Type a block of commands, and compare what they print."""
    done = subprocess.run(
        ["bash", "-e", "-c", typed.command], cwd=folder, env=environment, capture_output=True, text=True, timeout=600
    )
    assert done.returncode == 0, f"{typed.command}{done.stdout[-4000:]}{done.stderr[-4000:]}"
    if typed.prints is not None:
        assert done.stdout == typed.prints


@contextmanager
def running(command: str, folder: Path, environment: Mapping[str, str]) -> Iterator[Mapping[str, str]]:
    """Run a server, give what it prints until it is ready, and end it as Ctrl-C does."""
    with subprocess.Popen(
        command.split(), cwd=folder, env=environment, stdout=subprocess.PIPE, text=True, start_new_session=True
    ) as process:
        assert process.stdout
        printed = {}
        for line in process.stdout:
            name, _, value = line.strip().partition("=")
            printed[name] = value
            if name == SERVERS[command]:
                break
        try:
            yield printed
        finally:
            os.killpg(process.pid, signal.SIGINT)
