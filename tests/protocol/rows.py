"""Reads the tables of requirements that each revision fills in and tests cite by id."""

import textwrap
from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Requirement:
    """One requirement of a specification.

    `level` is the specification's word; PRAC marks what real clients, JSON-RPC or HTTP need in addition.  `untested`
    is the reason why no test cites the row.
    """

    level: str
    sentence: str
    link: str
    untested: str | None = None


def rows(specification: str, table: Mapping[str, str]) -> dict[str, Requirement]:
    """Read a table, whose parts are each about one page of the specification.

    A line is a row: id | level | sentence | the reason why no test cites it, if there is one
    """
    found: dict[str, Requirement] = {}
    for page, lines in table.items():
        for line in textwrap.dedent(lines).strip().splitlines():
            name, level, sentence, *untested = (part.strip() for part in line.split("|"))
            assert name not in found, f"{name} is there twice"
            why = untested[0] if untested else None
            found[name] = Requirement(level=level, sentence=sentence, link=f"{specification}/{page}", untested=why)
    return found
