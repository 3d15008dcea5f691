"""Cursors: opaque, signed, and valid for one caller, one list and a time."""

from datetime import timedelta
from typing import Any

import pytest

from tests.protocol.harness import Harness
from tests.protocol.requirements import requirement
from tests.protocol.rev_2025_11_25.client import Client

FORGED: list[Any] = [
    "bogus",
    "",
    "e30",
    "a.b.c",
    "x.y",
    "é",
    "W10.W10",
    "\x00",
    "z" * 1_000_000,
    "[" * 5_000 + ".",
    ".",
]


@requirement("A-PAG-2", "A-TASK-31")
@pytest.mark.parametrize("method", ["tools/list", "tasks/list"])
@pytest.mark.parametrize("cursor", FORGED, ids=lambda cursor: repr(cursor)[:9])
def test_a_forged_cursor_is_rejected(harness: Harness, ada: Client, method: str, cursor: str) -> None:
    before = harness.kept()

    error = ada.error(method, cursor=cursor)

    assert (error["code"], "cursor" in error["message"], harness.kept()) == (-32602, True, before)
    assert len(error["message"]) < 200


@requirement("A-PAG-2")
@pytest.mark.parametrize("cursor", [7, True, [], {}])
def test_what_is_no_text_is_no_cursor(ada: Client, cursor: Any) -> None:
    error = ada.error("tools/list", cursor=cursor)

    assert (error["code"], "cursor" in error["message"]) == (-32602, True)


@requirement("A-PAG-2")
def test_a_cursor_of_yesterday_is_rejected(harness: Harness, ada: Client) -> None:
    cursor = ada.result("tools/list")["nextCursor"]
    harness.clock.advance(timedelta(hours=13))
    assert ada.result("tools/list", cursor=cursor)["tools"]
    harness.clock.advance(timedelta(hours=11))

    error = ada.error("tools/list", cursor=cursor)

    assert (error["code"], "too old" in error["message"]) == (-32602, True)


@requirement("A-PAG-1", "A-PAG-2")
def test_a_cursor_of_one_list_is_none_of_another(ada: Client) -> None:
    cursor = ada.result("tools/list")["nextCursor"]

    assert ada.error("tasks/list", cursor=cursor)["code"] == -32602


@requirement("A-PAG-1")
def test_a_cursor_outlives_the_session(harness: Harness, ada: Client) -> None:
    cursor = ada.result("tools/list")["nextCursor"]
    again = Client(harness)
    again.initialize()

    assert again.result("tools/list", cursor=cursor) == ada.result("tools/list", cursor=cursor)
