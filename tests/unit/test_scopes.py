"""OAuth scopes: which texts are one, and which a stage asks for."""

import re

import pytest

from mcp_tasks.security.scopes import StageScopes, check_scopes


@pytest.mark.parametrize("character", [chr(code) for code in range(0x21, 0x7F) if chr(code) not in '"\\'])
def test_a_scope_has_every_character_that_the_standard_allows(character: str) -> None:
    check_scopes("report", [character])


@pytest.mark.parametrize("character", [*map(chr, range(0x21)), '"', "\\", "\x7f", "\x80", "é", "\ud800"])
def test_a_scope_has_no_other_character(character: str) -> None:
    with pytest.raises(ValueError, match="is no scope"):
        check_scopes("report", [f"a{character}b"])


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"calls": ["a"]}, "required_scopes has 'calls': requests are of the kinds call, read, cancel, answer"),
        ({"call": ["a b"]}, "required_scopes: call: 'a b' is no scope"),
    ],
)
def test_a_stage_asks_for_scopes_by_kinds_of_requests(given: dict[str, list[str]], says: str) -> None:
    with pytest.raises(ValueError, match=re.escape(says)):
        StageScopes.of(given)


def test_a_kind_of_request_needs_a_list_of_scopes() -> None:
    with pytest.raises(TypeError, match="required_scopes: read: scopes is a list"):
        StageScopes.of({"read": "all"})
