"""The claims that only AWS can prove: each live test is named beside one, and none is named that there is not."""

import ast
import re
from pathlib import Path

from tests.docs.blocks import ROOT

PAGE = (ROOT / "docs/limits.md").read_text()
CLAIMS = PAGE.partition("## What only AWS can prove")[2]
TESTED, _, LOOKED_AT = CLAIMS.partition("### What a person has to look at")
NAME = re.compile(r"`(test_\w+)`")
ROW = re.compile(r"^\|(?! ?-)(?! Claim )(.*)\|$", re.MULTILINE)


def live_tests(source: str) -> set[str]:
    """Return the names of the tests of a module."""
    return {
        each.name
        for each in ast.parse(source).body
        if isinstance(each, ast.FunctionDef) and each.name.startswith("test_")
    }


def modules() -> list[Path]:
    return sorted((ROOT / "tests/live").glob("test_*.py"))


def test_every_live_test_is_named_beside_a_claim_and_is_there() -> None:
    found = [name for path in modules() for name in live_tests(path.read_text())]

    assert len(found) == len(set(found))
    assert set(NAME.findall(TESTED)) == set(found)


def test_every_claim_has_a_live_test_or_is_a_persons_to_look_at() -> None:
    tested, looked_at = ([row.split(" | ") for row in ROW.findall(part)] for part in (TESTED, LOOKED_AT))

    assert [row for row in tested if not NAME.search(row[1])] == []
    assert {len(row) for row in tested} == {3}
    assert [row for row in looked_at if len(row) != 3 or not row[2].strip() or NAME.search(row[1])] == []


def test_what_a_live_test_relies_on_is_said() -> None:
    assert [
        path.name for path in modules() if "Relied on: " not in (ast.get_docstring(ast.parse(path.read_text())) or "")
    ] == ["test_deployed.py"]


def test_a_test_that_is_not_named_is_found() -> None:
    assert live_tests("def test_a(): ...\ndef helper(): ...") == {"test_a"}
