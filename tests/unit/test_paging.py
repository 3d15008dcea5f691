"""Pagination: every entry once and in order, with cursors that are valid for one caller and one list."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_tasks.security.tenancy import Caller
from mcp_tasks.tasks.model import JSON
from mcp_tasks.wire.jsonrpc import INVALID_PARAMS, RpcError
from mcp_tasks.wire.paging import next_cursor, page, place
from mcp_tasks.wire.revision import Server
from tests.kit import ADA, BOB, EVE, FixedClock
from tests.unit.servers import server

LETTERS = {letter: letter.upper() for letter in "abcdefg"}
LIST = "tools/list"


def pages(of: Server, entries: Mapping[str, Any]) -> list[list[Any]]:
    """Return all pages, as a client that follows the cursors sees them."""
    found: list[list[Any]] = []
    params: Mapping[str, JSON] = {}
    while len(found) <= len(entries):
        shown, more = page(of, ADA, LIST, params, entries)
        found.append(shown)
        if not more:
            return found
        params = {"cursor": more["nextCursor"]}
    raise AssertionError(f"no end after {found}")


def first_cursor(of: Server, caller: Caller = ADA, method: str = LIST) -> str:
    _, more = page(of, caller, method, {}, LETTERS)
    return str(more["nextCursor"])


def rejection(of: Server, params: Mapping[str, JSON], caller: Caller = ADA, method: str = LIST) -> str:
    with pytest.raises(RpcError) as error:
        page(of, caller, method, params, LETTERS)
    assert error.value.code == INVALID_PARAMS
    return error.value.message


def test_pages_follow_each_other_to_the_end() -> None:
    assert pages(server(page_size=3), LETTERS) == [["A", "B", "C"], ["D", "E", "F"], ["G"]]


@pytest.mark.parametrize("size", [7, 8, 1000])
def test_what_fits_on_a_page_has_no_next_one(size: int) -> None:
    assert page(server(page_size=size), ADA, LIST, {}, LETTERS) == (list("ABCDEFG"), {})


def test_nothing_is_one_empty_page() -> None:
    assert page(server(), ADA, LIST, {}, {}) == ([], {})


@given(st.lists(st.text(max_size=5), unique=True, max_size=12), st.integers(1, 5))
def test_every_entry_is_on_one_page_and_no_page_is_empty(names: list[str], size: int) -> None:
    found = pages(server(page_size=size), {name: name for name in names})

    assert [entry for shown in found for entry in shown] == names
    assert all(found) or not names
    assert all(len(shown) == size for shown in found[:-1])


def test_a_list_that_lost_entries_goes_on_behind_the_last_one_seen() -> None:
    of = server(page_size=3)
    rest = {name: entry for name, entry in LETTERS.items() if name not in "ab"}

    assert page(of, ADA, LIST, {"cursor": first_cursor(of)}, rest)[0] == ["D", "E", "F"]


def test_a_list_that_lost_the_last_one_seen_starts_again() -> None:
    of = server(page_size=3)
    rest = {name: entry for name, entry in LETTERS.items() if name != "c"}

    assert page(of, ADA, LIST, {"cursor": first_cursor(of)}, rest)[0] == ["A", "B", "D"]


@pytest.mark.parametrize("caller", [BOB, EVE])
def test_a_cursor_is_good_for_its_caller_alone(caller: Caller) -> None:
    of = server(page_size=3)

    assert rejection(of, {"cursor": first_cursor(of)}, caller) == rejection(of, {"cursor": "x"})


def test_a_cursor_is_good_for_its_list_alone() -> None:
    of = server(page_size=3)

    assert rejection(of, {"cursor": first_cursor(of)}, method="prompts/list") == (
        "The cursor is none of prompts/list, or too old: list again from the start."
    )


def test_a_cursor_is_good_for_a_day() -> None:
    of = server(page_size=3)
    cursor, clock = first_cursor(of), FixedClock()
    later = replace(of, signer=replace(of.signer, clock=clock))
    clock.advance(timedelta(days=1) - timedelta(seconds=1))
    assert page(later, ADA, LIST, {"cursor": cursor}, LETTERS)[0] == ["D", "E", "F"]
    clock.advance(timedelta(seconds=1))

    assert "too old" in rejection(later, {"cursor": cursor})


@pytest.mark.parametrize("cursor", ["", "c", "3", "e30.e30", ".", "x" * 10_000, "é", "\0"])
def test_a_cursor_that_was_not_made_here_is_rejected(cursor: str) -> None:
    assert rejection(server(), {"cursor": cursor}).startswith("The cursor is none of tools/list")


@pytest.mark.parametrize("cursor", [7, True, {}, ["x"]])
def test_a_cursor_that_is_no_text_is_rejected(cursor: JSON) -> None:
    assert rejection(server(), {"cursor": cursor}).startswith("Invalid params: cursor should be a string")


def test_a_cursor_that_is_null_is_none() -> None:
    assert page(server(page_size=3), ADA, LIST, {"cursor": None}, LETTERS)[0] == ["A", "B", "C"]
    assert place(server(), ADA, LIST, {}) is None


def test_a_place_survives_the_journey_and_the_end_has_none() -> None:
    of = server()

    assert next_cursor(of, ADA, LIST, None) == {}
    made = next_cursor(of, ADA, LIST, "é\0 x")
    assert place(of, ADA, LIST, {"cursor": made["nextCursor"]}) == "é\0 x"
    assert "é" not in made["nextCursor"]
