"""A page of an inbox on which all was skipped does not say that there is nothing, where another page follows."""

from collections.abc import Callable
from typing import Any

import pytest

from mcp_tasks import anyone, anyone_but_me
from mcp_tasks.engine.approval_answers import history, listed
from mcp_tasks.features.results import structured
from mcp_tasks.limits.tenants import MAX_INBOX_SCANNED, MAX_LISTED_APPROVALS
from mcp_tasks.tasks.model import JSON, Returned
from tests.kit import ADA
from tests.unit.offices import DECLINE, GRACE, HEIDI, Office

Take = Callable[..., Returned]


def office_of(own: int, *, others: bool, decided: bool) -> Office:
    """Return an office in which ada may not decide what she asked, but what somebody else did, which is read last."""
    office = Office()
    whose = [(ADA, anyone_but_me())] * own + [(GRACE, anyone())] * others
    for caller, audience in reversed(whose) if decided else whose:
        office.ask(audience, caller=caller)
    while decided and (waiting := office.approvals.page(HEIDI, limit=own + 1)[0]):
        for item in waiting:
            office.decide(HEIDI, item, DECLINE)
    return office


CASES = [(listed, False, "Nothing waits for you.")]
CASES += [(history, True, "Nothing that you may decide was decided in the last day.")]
in_both = pytest.mark.parametrize(("take", "decided", "nothing"), CASES)


@in_both
def test_what_is_skipped_for_a_page_hides_nothing_that_comes_after_it(take: Take, decided: bool, nothing: str) -> None:
    office = office_of(MAX_INBOX_SCANNED, others=True, decided=decided)

    empty = take(office.approvals, ADA, {})
    cursor: Any = empty.result["structuredContent"]["next_cursor"]
    following: Any = take(office.approvals, ADA, {"cursor": cursor}).result["structuredContent"]

    shown: dict[str, JSON] = {"approvals": [], "next_cursor": cursor}
    more = f"There may be more: call approval_list again, with the cursor {cursor}."
    assert empty == structured(f"Nothing on this page is for you to decide.\n{more}", shown)
    assert (len(following["approvals"]), following["next_cursor"]) == (1, None)


@in_both
def test_a_page_on_which_something_is_says_in_words_how_to_go_on(take: Take, decided: bool, nothing: str) -> None:
    office = office_of(0, others=True, decided=decided)
    alone: Any = take(office.approvals, ADA, {}).result["content"][0]["text"]
    for _ in range(MAX_LISTED_APPROVALS):
        office.ask(anyone(), caller=GRACE)
        if decided:
            office.decide(HEIDI, office.approvals.page(HEIDI, limit=1)[0][0], DECLINE)

    result: Any = take(office.approvals, ADA, {}).result

    cursor = result["structuredContent"]["next_cursor"]
    *_, last = result["content"][0]["text"].splitlines()
    assert last == f"There may be more: call approval_list again, with the cursor {cursor}."
    assert "cursor" not in alone


@in_both
def test_where_all_was_skipped_and_nothing_follows_there_is_nothing(take: Take, decided: bool, nothing: str) -> None:
    office = office_of(MAX_INBOX_SCANNED, others=False, decided=decided)

    assert take(office.approvals, ADA, {}) == structured(nothing, {"approvals": [], "next_cursor": None})
    assert take(office.approvals, HEIDI, {}) != take(office.approvals, ADA, {})


@in_both
def test_one_less_is_skipped_on_the_page_itself(take: Take, decided: bool, nothing: str) -> None:
    office = office_of(MAX_INBOX_SCANNED - 1, others=True, decided=decided)

    found: Any = take(office.approvals, ADA, {}).result["structuredContent"]

    assert (len(found["approvals"]), found["next_cursor"]) == (1, None)
