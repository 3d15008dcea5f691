"""OAuth scopes: which texts are one."""

import pytest

from mcp_tasks.security.scopes import check_scopes


@pytest.mark.parametrize("character", [chr(code) for code in range(0x21, 0x7F) if chr(code) not in '"\\'])
def test_a_scope_has_every_character_that_the_standard_allows(character: str) -> None:
    check_scopes("report", [character])


@pytest.mark.parametrize("character", [*map(chr, range(0x21)), '"', "\\", "\x7f", "\x80", "é", "\ud800"])
def test_a_scope_has_no_other_character(character: str) -> None:
    with pytest.raises(ValueError, match="is no scope"):
        check_scopes("report", [f"a{character}b"])
