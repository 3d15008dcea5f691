"""The glossary is short, and nearly all of its terms have a source outside of this repository."""

import re

import pytest

from local.emulator import ROOT

PAGE = ROOT / "docs/glossary.md"
MOST_TERMS, MOST_OURS = 40, 10
SOURCE = re.compile(r"MCP (2025-11-25|2026-07-28), .+|durable execution|AWS .+|ours")
ROWS = [
    tuple(cell.strip() for cell in line.strip("|").split("|"))
    for line in PAGE.read_text().splitlines()
    if line.startswith("|")
][2:]


def test_there_are_no_more_terms_than_one_reads() -> None:
    assert 0 < len(ROWS) <= MOST_TERMS


def test_few_of_them_are_ours() -> None:
    assert sum(source == "ours" for _, _, source in ROWS) <= MOST_OURS


@pytest.mark.parametrize(("term", "meaning", "source"), ROWS)
def test_a_term_has_a_meaning_and_a_source(term: str, meaning: str, source: str) -> None:
    assert term
    assert meaning
    assert SOURCE.fullmatch(source)


def test_no_term_is_explained_twice() -> None:
    terms = [term for row in ROWS for term in row[0].split(", ")]

    assert len(terms) == len(set(terms))


@pytest.mark.parametrize("page", ["README.md", "layers/core/DESIGN.md", "docs/input-requests.md"])
def test_other_pages_lead_to_it(page: str) -> None:
    assert "glossary.md)" in (ROOT / page).read_text()
