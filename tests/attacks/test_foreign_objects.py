"""Whatever a caller names that is somebody else's, the server does what it does for what never existed."""

from collections.abc import Iterator
from itertools import groupby
from operator import attrgetter

import pytest

from mcp_tasks.testing.harness import REVISIONS
from tests.attacks import bench, docs
from tests.attacks.identities import STRANGERS
from tests.attacks.server import AttackedServer, Visitor, cases_of
from tests.attacks.ways import Case, Seen
from tests.slow import one_in


def tried(visitor: Visitor, cases: list[Case]) -> Iterator[tuple[Case, Seen, Seen]]:
    """Try all cases, and yield with each what became of it, and what becomes of what never existed."""
    for way, ours in groupby(cases, attrgetter("way")):
        if way.writes:
            # How long such tasks took is read by the first request, and believed for a minute.
            visitor.never(way)
        never = visitor.never(way)
        for case in ours:
            yield case, visitor.named(case), never


def offences(visitor: Visitor, cases: list[Case]) -> dict[str, object]:
    """Return what is wrong, by case: what differs from what never existed, or should not have been done."""
    wrong: dict[str, object] = {}
    for case, found, never in tried(visitor, cases):
        if differing := differences(found, never):
            wrong[case.name] = differing
        if done := visitor.offences(case.way, found):
            wrong[case.name] = done
    return wrong


def differences(found: Seen, never: Seen) -> list[object]:
    return [(name, one, other) for name, one, other in zip(Seen._fields, found, never, strict=True) if one != other]


@pytest.mark.parametrize("stranger", [pytest.param(name, marks=marks) for name, marks in one_in(5, STRANGERS)])
def test_what_is_somebody_elses_looks_as_if_it_never_existed(server: AttackedServer, stranger: str) -> None:
    """Byte for byte, and call for call: the time that it takes tells nothing either."""
    visitor = server.visitor(STRANGERS[stranger])

    assert offences(visitor, server.cases) == {}
    assert (visitor.touched, visitor.before.changed()) == (set(), set())


def test_its_owner_is_answered_otherwise(server: AttackedServer) -> None:
    """What no owner could use in a way would be found by no stranger either."""
    same = {case.name for case, found, never in tried(server.owned(), server.cases) if found.reply == never.reply}

    assert same == {case.name for case in server.cases if not case.concerns_its_owner}


@pytest.mark.parametrize("revision", REVISIONS)
def test_there_are_as_many_cases_as_are_told(revision: str) -> None:
    names = [case.name for case in cases_of(revision)]

    assert len(set(names)) == len(names)
    assert len(STRANGERS) * len(names) >= 2_352
    assert docs.says(f"{len(STRANGERS)} callers")
    assert docs.says(f"{len(names)} requests of each in {revision}")


def test_how_long_a_refusal_takes_is_measured_for_all_requests_that_write_nothing(server: AttackedServer) -> None:
    measured = list(bench.taken(server, rounds=1))

    assert len(measured) == sum(not case.way.writes for case in server.cases)
    assert all(min(times) > 0 for times in measured)
