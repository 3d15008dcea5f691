"""What the tools of an inbox say and show, word for word, and what they note of it."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from mcp_tasks import anyone, anyone_but_me, role
from mcp_tasks.authoring.errors import BadArguments, ToolError
from mcp_tasks.engine.approval_answers import decided, explained, history, listed, page
from mcp_tasks.engine.current_call import noting
from mcp_tasks.features.results import structured
from mcp_tasks.limits.tenants import MAX_LISTED_APPROVALS
from mcp_tasks.security.tenancy import Caller
from mcp_tasks.tasks.approvals import Approval
from mcp_tasks.tasks.inbox import InboxItem
from mcp_tasks.tasks.model import JSON, Returned
from tests.kit import ADA
from tests.unit.jobs import COLOUR, COLOURS
from tests.unit.offices import ACCEPT, DECLINE, GRACE, HEIDI, Office

ASKED = "2026-01-01T12:00:00+00:00"
"""When, to the second; a task asks a millisecond later."""
EXPIRES = "2026-01-02T11:55:00+00:00"
FINANCE = Approval(audience=role("finance"))


def shown(item: InboxItem, **more: JSON) -> dict[str, JSON]:
    usual: dict[str, JSON] = {
        "id": item.id,
        "tool": "job",
        "message": "Which colour?",
        "form": COLOURS,
        "shown": None,
        "asked_at": ASKED,
        "deadline": EXPIRES,
        "quorum": 1,
        "accepted": 0,
        "for": "role finance",
        "decisions": [],
    }
    return usual | more


def said(returned: Returned) -> str:
    content: Any = returned.result["content"]
    return str(content[0]["text"])


def by(subject: str, action: str, **more: JSON) -> dict[str, JSON]:
    return {"subject": subject, "action": action, "at": ASKED, "channel": "page", **more}


# --- what waits


def test_what_waits_is_listed_with_all_that_is_to_be_decided() -> None:
    office = Office()
    first, second = office.asked(role("finance")), office.asked(anyone(), quorum=2)
    office.decide(replace(HEIDI, actor={"sub": "agent"}), second)

    says = (
        f"- {first.id}: job asks role finance: Which colour?\n- {second.id}: job asks anyone: Which colour?\n"
        "approval_decide takes an id."
    )
    accepted = shown(second, quorum=2, accepted=1, decisions=[by("heidi", "accept", actor="agent")]) | {"for": "anyone"}
    assert listed(office.approvals, GRACE, {}) == structured(
        says, {"approvals": [shown(first), accepted], "next_cursor": None}
    )


def test_an_empty_inbox_says_so() -> None:
    assert listed(Office().approvals, GRACE, {}) == structured(
        "Nothing waits for you.", {"approvals": [], "next_cursor": None}
    )


@pytest.mark.parametrize("by_link", [True, False])
def test_one_is_shown_by_its_id_or_by_the_link_that_is_for_it_and_noted(by_link: bool) -> None:
    office = Office()
    item, _ = office.asked(role("finance")), office.asked(role("finance"))
    caller = replace(GRACE, approval=item.id) if by_link else GRACE

    with noting() as noted:
        returned = listed(office.approvals, caller, {} if by_link else {"id": item.id})
    assert returned.result["structuredContent"] == {"approvals": [shown(item)], "next_cursor": None}
    assert noted.happened == {("approval.read", item.id): {"task": item.task_id, "shown": item.digest}}


def test_a_message_is_one_line_whatever_it_quotes() -> None:
    office = Office()
    office.message = "Pay?\n- role:finance#1: job asks\tanyone"
    item = office.asked(role("finance"))

    assert said(listed(office.approvals, GRACE, {})).split("\n") == [
        f"- {item.id}: job asks role finance: Pay? - role:finance#1: job asks anyone",
        "approval_decide takes an id.",
    ]


def test_a_page_has_so_many_and_a_cursor_goes_on_after_them() -> None:
    office = Office()
    items = [office.asked(role("finance")) for _ in range(MAX_LISTED_APPROVALS + 1)]

    first = page(office.approvals, GRACE)
    assert (len(first["approvals"]), first["next_cursor"]) == (MAX_LISTED_APPROVALS, items[-2].place)
    rest: Any = listed(office.approvals, GRACE, {"cursor": first["next_cursor"]}).result["structuredContent"]
    assert [each["id"] for each in rest["approvals"]] == [items[-1].id]


@pytest.mark.parametrize("cursor", ["x", "1", "~", "1767268800001-" + "g" * 32, "1767268800001-" + "a" * 33])
def test_a_cursor_that_is_none_is_rejected(cursor: str) -> None:
    for read in (listed, history):
        with pytest.raises(BadArguments, match=r"^the cursor is none of approval_list: list again from the start"):
            read(Office().approvals, GRACE, {"cursor": cursor})


# --- what was decided


def test_what_was_decided_is_listed_with_who_decided_it() -> None:
    office = Office()
    item = office.asked(role("finance"), quorum=2)
    office.decide(GRACE, item)
    office.clock.advance(timedelta(hours=1))
    office.decide(HEIDI, item, DECLINE)

    at = "2026-01-01T13:00:00+00:00"
    line = f"- {item.id}: job asks role finance: Which colour? (accept by grace at {ASKED}, decline by heidi at {at})"
    past = {
        "id": item.id,
        "tool": "job",
        "message": "Which colour?",
        "asked_at": ASKED,
        "quorum": 2,
        "for": "role finance",
        "outcome": "decline",
        "decided_at": at,
        "decisions": [by("grace", "accept"), by("heidi", "decline") | {"at": at}],
    }
    assert history(office.approvals, GRACE, {}) == structured(line, {"approvals": [past], "next_cursor": None})
    assert history(office.approvals, GRACE, {"cursor": item.place}) == structured(
        "Nothing that you may decide was decided in the last day.", {"approvals": [], "next_cursor": None}
    )


def test_of_what_was_decided_a_page_has_so_many_too() -> None:
    office = Office()
    items = [office.asked(role("finance")) for _ in range(MAX_LISTED_APPROVALS + 1)]
    for item in items:
        office.decide(GRACE, item)

    first: Any = history(office.approvals, GRACE, {}).result["structuredContent"]
    assert (len(first["approvals"]), first["next_cursor"]) == (MAX_LISTED_APPROVALS, items[1].place)
    *lines, more = said(history(office.approvals, GRACE, {})).split("\n")
    assert more == f"There may be more: call approval_list again, with the cursor {items[1].place}."
    assert [line.split(": ")[0] for line in lines] == [f"- {each.id}" for each in reversed(items[1:])]


# --- decisions


def decision(office: Office, caller: Caller, item: InboxItem, **more: JSON) -> Returned:
    return decided(office.approvals, caller, {"id": item.id, **ACCEPT, **more})


def test_who_decides_is_told_what_became_of_it() -> None:
    office = Office()
    item = office.asked(role("finance"), quorum=2)
    told = [
        (GRACE, "accept: noted, 1 of 2 have accepted.", 1, False),
        (GRACE, "accept: you had decided so before, and nothing of that has changed, 1 of 2 have accepted.", 1, False),
        (HEIDI, "accept: noted.", 2, True),
        (HEIDI, "accept: you had decided so before, and nothing of that has changed.", 2, True),
    ]
    for caller, message, accepted, is_over in told:
        counted = {"accepted": accepted, "quorum": 2, "is_over": is_over}
        assert decision(office, caller, item) == structured(
            message, {"id": item.id, "action": "accept", **counted, "message": message}
        )


@pytest.mark.parametrize(("by_link", "channel"), [(True, "link"), (False, "approval_decide")])
def test_a_decision_is_kept_with_the_way_that_it_came(by_link: bool, channel: str) -> None:
    office = Office()
    item = office.asked(role("finance"))
    decision(office, replace(GRACE, approval=item.id) if by_link else GRACE, item)

    response = office.tasks.ports.tasks.response(ADA.owner_key, item.task_id, "colour")
    assert response is not None
    assert (response.result, [each.channel for each in response.decisions]) == (ACCEPT, [channel])


def test_a_decision_that_does_not_fit_says_why() -> None:
    office = Office()
    item = office.asked(role("finance"))

    with pytest.raises(ToolError, match=r"^This decision does not fit: .+\.$"):
        decision(office, GRACE, item, content={"value": "green"})
    assert office.approvals.find(GRACE, item.id) == item


def test_why_there_is_nothing_to_decide_is_said_and_noted() -> None:
    office = Office()
    own, over = office.asked(anyone_but_me()), office.asked(role("finance"))
    office.decide(HEIDI, over, DECLINE)
    unknown = "it never existed, or it is over, or others decide it; approval_list lists what does."
    for caller, item_id, reason, says in (
        (GRACE, "role:finance#1", "unknown_approval", f"Nothing 'role:finance#1' waits for you: {unknown}"),
        (ADA, own.id, "own_approval", "You asked this yourself: somebody else has to decide it."),
        (GRACE, over.id, "decided_already", f"heidi has decided this already, at {ASKED}: decline."),
    ):
        with noting() as noted, pytest.raises(ToolError) as error, explained(item_id):
            office.approvals.find(caller, item_id)
        assert (str(error.value), noted) == (says, {"reason": reason})
    for ask in (listed, decided):
        with pytest.raises(ToolError, match=r"^Nothing 'x' waits for you"):
            ask(office.approvals, GRACE, {"id": "x", **ACCEPT})


@pytest.mark.parametrize("count", [1, 2, 3])
def test_all_who_acted_for_one_who_decides_are_shown_before_and_after(count: int) -> None:
    names = ["tool", "planner", "assistant"][:count]
    actor: Any = None
    for name in reversed(names):
        actor = {"sub": name, "email": "a@example.com"} | ({} if actor is None else {"act": actor})
    office = Office()
    item = office.asked(role("finance"), quorum=2)
    office.decide(replace(GRACE, actor=actor), item)
    waits: Any = listed(office.approvals, HEIDI, {}).result["structuredContent"]
    office.decide(HEIDI, item)
    past: Any = history(office.approvals, HEIDI, {}).result["structuredContent"]

    told = by("grace", "accept", actor="tool", **({"actors": names} if count > 1 else {}))
    assert (waits["approvals"][0]["decisions"], past["approvals"][0]["decisions"]) == (
        [told],
        [told, by("heidi", "accept")],
    )


def test_why_a_decision_does_not_fit_shows_what_is_not_seen() -> None:
    office = Office()
    form = {"type": "object", "properties": {"a\u202eb": {"type": "string", "title": "c\u2066d"}}}
    office.ask_so(replace(COLOUR, params={**COLOUR.params, "requestedSchema": form}, approval=FINANCE))
    (item,) = office.approvals.page(GRACE, limit=9)[0]

    with pytest.raises(ToolError) as error:
        decision(office, GRACE, item, content={"a\u202eb": 7})
    assert str(error.value) == "This decision does not fit: a[U+202E]b should be a text, not 7."
