"""Rows and tests, counted both ways; read from the source, so that it holds however few tests are run."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.protocol.requirements import REQUIREMENTS, REVISIONS, requirement

HERE = Path(__file__).parent


def found() -> Iterator[ast.FunctionDef]:
    for folder in (*REVISIONS, "both"):
        for path in sorted((HERE / folder).rglob("test_*.py")):
            for node in ast.parse(path.read_text()).body:
                if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                    yield node


def cited_by(test: ast.FunctionDef) -> set[str]:
    calls = [each for each in test.decorator_list if isinstance(each, ast.Call)]
    named = [each for each in calls if isinstance(each.func, ast.Name) and each.func.id == "requirement"]
    return {argument.value for each in named for argument in each.args if isinstance(argument, ast.Constant)}  # type: ignore[misc]


TESTS = list(found())
CITED = {row for test in TESTS for row in cited_by(test)}


@pytest.mark.parametrize("name", REQUIREMENTS)
def test_every_row_has_either_a_test_or_a_reason_why_not(name: str) -> None:
    assert (name in CITED) != bool(REQUIREMENTS[name].untested)


@pytest.mark.parametrize("test", TESTS, ids=lambda test: test.name)
def test_every_test_of_a_revision_cites_rows_that_exist(test: ast.FunctionDef) -> None:
    assert cited_by(test)
    assert cited_by(test) <= REQUIREMENTS.keys()


def test_an_unknown_row_cannot_be_cited() -> None:
    with pytest.raises(ValueError, match="A-NOPE-1"):
        requirement("A-BASE-1", "A-NOPE-1")


def test_every_row_says_where_it_is_written() -> None:
    begin = {"A": "/specification/2025-11-25/", "B": "/specification/2026-07-28/"}

    assert all(begin[name[0]] in row.link and row.link.startswith("https://") for name, row in REQUIREMENTS.items())


def test_the_rows_of_each_section_are_numbered_without_gaps() -> None:
    sections: dict[str, list[int]] = {}
    for name in REQUIREMENTS:
        section, _, number = name.rpartition("-")
        sections.setdefault(section, []).append(int(number))

    assert all(numbers == list(range(1, len(numbers) + 1)) for numbers in sections.values())
    assert {name: len(numbers) for name, numbers in sections.items()} == {
        **{"A-BASE": 9, "A-LIFE": 14, "A-HTTP": 15, "A-SSE": 20, "A-GET": 6, "A-SESS": 9, "A-TOOL": 10},
        **{"A-RES": 5, "A-PRM": 2, "A-CPL": 2, "A-TASK": 44, "A-PROG": 4, "A-CANC": 4, "A-LOG": 3, "A-PAG": 2},
        **{"A-INP": 11, "A-TREQ": 6, "A-ELI": 9, "A-SAM": 4, "A-ROOT": 2},
        **{"B-BASE": 10, "B-META": 9, "B-ERR": 10, "B-RT": 2, "B-VER": 8, "B-DUAL": 15, "B-HTTP": 16, "B-HDR": 11},
        **{"B-DISC": 5, "B-CACHE": 5, "B-TOOL": 8, "B-RSC": 3, "B-PRM": 1, "B-CPL": 1, "B-PAG": 1, "B-MRTR": 10},
        **{"B-ELI": 2, "B-SAM": 1, "B-ROOT": 1, "B-SUB": 7, "B-PROG": 1, "B-CANC": 2, "B-LOG": 2, "B-AUTH": 6},
        **{"B-TASK": 32},
    }
