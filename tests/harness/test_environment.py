"""What other threads see of the environment, while functions that machines bring have variables of their own."""

import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from mcp_tasks.testing.state_machines.environment import variables
from mcp_tasks.testing.state_machines.moto_services import once_for_each_service

OWN = {"BUCKET_OF_ONE": "files"}


@contextmanager
def switching_often() -> Iterator[None]:
    """Let threads take turns after each few instructions."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        yield
    finally:
        sys.setswitchinterval(before)


def test_a_client_is_not_made_while_a_function_has_its_own() -> None:
    seen: list[bool] = []

    def make(service: str) -> Any:
        seen.append("BUCKET_OF_ONE" in os.environ)

    client = once_for_each_service(make)
    thread = threading.Thread(target=lambda: client(service_name="sqs"))
    with variables(OWN):
        thread.start()
        thread.join(0.1)
    thread.join()

    assert seen == [False]


def test_no_other_variable_is_ever_gone() -> None:
    missed: list[str] = []
    over = threading.Event()

    def look() -> None:
        while not over.is_set():
            if "PATH" not in os.environ:
                missed.append("PATH")

    thread = threading.Thread(target=look)
    with switching_often():
        thread.start()
        for _ in range(1000):
            with variables(OWN):
                pass
        over.set()
        thread.join()

    assert missed == []
    assert "BUCKET_OF_ONE" not in os.environ


def test_what_was_set_before_is_set_again() -> None:
    with variables({"BUCKET_OF_ONE": "outer"}):
        with variables(OWN):
            assert os.environ["BUCKET_OF_ONE"] == "files"
        assert os.environ["BUCKET_OF_ONE"] == "outer"
