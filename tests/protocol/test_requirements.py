"""Every requirement has a test or a reason; read from the source, so that it holds however few tests are run."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.protocol.requirements import LETTERS, MODULES, REQUIREMENTS, REVISIONS, WITHOUT_SUBJECT, is_here, requirement

HERE = Path(__file__).parent


def found() -> Iterator[ast.FunctionDef]:
    for path in sorted(HERE.rglob("test_*.py")):
        if path == Path(__file__):
            continue
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
    assert (name in CITED) != (bool(REQUIREMENTS[name].untested) or name in WITHOUT_SUBJECT)


@pytest.mark.parametrize("test", TESTS, ids=lambda test: test.name)
def test_every_test_of_a_revision_cites_rows_that_exist(test: ast.FunctionDef) -> None:
    assert cited_by(test)
    assert {row for row in cited_by(test) if is_here(row)} <= REQUIREMENTS.keys()


@pytest.mark.parametrize("letter", [*LETTERS, "Z"])
def test_an_unknown_row_cannot_be_cited(letter: str) -> None:
    if LETTERS.get(letter) not in (*REVISIONS, None):
        assert requirement(f"{letter}-NOPE-1")
        return
    with pytest.raises(ValueError, match=f"{letter}-NOPE-1"):
        requirement(f"{letter}-NOPE-1")


def test_every_row_says_where_it_is_written() -> None:
    begin = {letter: f"/specification/{revision[4:].replace('_', '-')}/" for letter, revision in LETTERS.items()}

    assert all(begin[name[0]] in row.link and row.link.startswith("https://") for name, row in REQUIREMENTS.items())


@pytest.mark.parametrize("revision", REVISIONS)
def test_the_rows_of_each_section_are_numbered_without_gaps(revision: str) -> None:
    module = MODULES[revision]
    sections: dict[str, list[int]] = {}
    for name in module.REQUIREMENTS:
        section, _, number = name.rpartition("-")
        sections.setdefault(section, []).append(int(number))

    assert all(numbers == list(range(1, len(numbers) + 1)) for numbers in sections.values())
    assert {name: len(numbers) for name, numbers in sections.items()} == module.SECTIONS
