"""Cursors: opaque, signed, and valid for one caller, one list and a time."""

from datetime import timedelta
from typing import Any

import pytest

from mcp_tasks.security.tenancy import Caller
from tests.kit import BOB, EVE
from tests.protocol.all_features import ALL
from tests.protocol.harness import Harness
from tests.protocol.requirements import requirement
from tests.protocol.rev_2026_07_28.client import Client

LISTS: dict[str, list[str]] = {
    "tools/list": [each.name for each in ALL.tools],
    "prompts/list": [each.name for each in ALL.prompts],
    "resources/list": [each.name for each in ALL.resources.listed(templates=False)],
    "resources/templates/list": [each.name for each in ALL.resources.listed(templates=True)],
}
FORGED = ["bogus", "", "e30", "a.b.c", "x.y", "é", "W10.W10", "\x00", "z" * 100_000, "[" * 5_000 + ".", "."]


@requirement("B-PAG-1", "B-TOOL-2")
@pytest.mark.parametrize("method", LISTS)
@pytest.mark.parametrize("size", [1, 2, 3, 5, 100])
def test_the_pages_of_a_list_hold_everything_once_and_in_order(
    harness: Harness, ada: Client, method: str, size: int
) -> None:
    harness.change(page_size=size)
    first = ada.result(method)

    assert [each["name"] for each in ada.list_all(method)] == LISTS[method]
    assert ("nextCursor" in first) == (len(LISTS[method]) > size)


@requirement("B-PAG-1")
@pytest.mark.parametrize("method", LISTS)
@pytest.mark.parametrize("cursor", FORGED, ids=lambda cursor: repr(cursor)[:9])
def test_a_forged_cursor_is_rejected(harness: Harness, ada: Client, method: str, cursor: str) -> None:
    before = harness.kept()

    error = ada.error(method, cursor=cursor)

    assert (error["code"], "cursor" in error["message"], harness.kept()) == (-32602, True, before)
    assert len(error["message"]) < 200


@requirement("B-PAG-1")
@pytest.mark.parametrize("cursor", [7, True, [], {}])
def test_what_is_no_text_is_no_cursor(ada: Client, cursor: Any) -> None:
    error = ada.error("prompts/list", cursor=cursor)

    assert (error["code"], "cursor" in error["message"]) == (-32602, True)


@requirement("B-PAG-1")
def test_a_cursor_of_yesterday_or_of_another_list_is_rejected(harness: Harness, ada: Client) -> None:
    cursor = ada.result("tools/list")["nextCursor"]
    assert ada.error("prompts/list", cursor=cursor)["code"] == -32602
    harness.clock.advance(timedelta(hours=23))
    assert ada.result("tools/list", cursor=cursor)["tools"]
    harness.clock.advance(timedelta(hours=1))

    assert "too old" in ada.error("tools/list", cursor=cursor)["message"]


@requirement("B-PAG-1", "B-CACHE-4")
@pytest.mark.parametrize("stranger", [BOB, EVE])
def test_another_callers_cursor_is_no_cursor(harness: Harness, ada: Client, stranger: Caller) -> None:
    cursor = ada.result("tools/list")["nextCursor"]
    other = Client(harness, stranger)

    assert other.error("tools/list", cursor=cursor) == other.error("tools/list", cursor="forged")
