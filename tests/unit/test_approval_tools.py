"""How the inbox is described to clients, what its tools take, and that each answers with what it is for."""

from datetime import datetime
from typing import Any

import pytest

from mcp_tasks import Caller, Context, Tool, role
from mcp_tasks.authoring.errors import BadArguments
from mcp_tasks.engine.approval_answers import history, linked, listed, page
from mcp_tasks.engine.approval_tools import approval_tools, inbox
from mcp_tasks.engine.built_in_tools import CANCELS, LINKS, READS
from mcp_tasks.features.tools import APPROVAL_DECIDE, APPROVAL_LINK, APPROVAL_LIST
from mcp_tasks.tasks.model import JSON
from mcp_tasks.testing.journal import NULL_JOURNAL
from tests.unit.offices import ACCEPT, GRACE, HEIDI, Office

ID = {"type": "string", "description": "As approval_list returns it."}


def address(caller: Caller, approval: str, until: datetime | None) -> str:
    return f"https://example.com/{caller.subject}/{approval}/{until}"


class Desk(Office):
    """A tenant with an inbox, and the tools of it."""

    def __init__(self) -> None:
        super().__init__()
        self.tools: dict[str, Tool] = {each.name: each for each in approval_tools(lambda: self.approvals, address)}

    def call(self, name: str, caller: Caller = GRACE, **arguments: JSON) -> Any:
        return self.tools[name].work.call(arguments, Context(caller=caller, journal=NULL_JOURNAL))


@pytest.fixture
def desk() -> Desk:
    return Desk()


@pytest.mark.parametrize(
    ("name", "title", "description", "annotations", "properties", "more"),
    [
        (
            APPROVAL_LIST,
            "List approvals",
            "List what waits for your user's decision.",
            READS,
            {
                "cursor": {"type": "string", "description": "next_cursor of the page before."},
                "state": {
                    "type": "string",
                    "enum": ["waiting", "decided"],
                    "default": "waiting",
                    "description": "decided: what people decided in the last day, and who.",
                },
                "id": {"type": "string", "description": "Of the one to list; else all."},
            },
            {},
        ),
        (
            APPROVAL_DECIDE,
            "Decide an approval",
            "Accept or decline what waits for a decision. Show it to the user first: the decision is theirs.",
            CANCELS,
            {
                "id": ID,
                "action": {"type": "string", "enum": ["accept", "decline"]},
                "content": {
                    "type": "object",
                    "description": "The form as filled in, to accept one that has fields.",
                },
            },
            {"required": ["id", "action"], "additionalProperties": False},
        ),
        (
            APPROVAL_LINK,
            "Link to an approval",
            "Make a link to one approval. Whoever opens it may decide as your user, so give it to nobody else.",
            LINKS,
            {
                "id": ID,
                "hours": {
                    "type": "integer",
                    "minimum": 1,
                    "maximum": 24,
                    "default": 24,
                    "description": "It is good for.",
                },
            },
            {"required": ["id"], "additionalProperties": False},
        ),
    ],
)
def test_a_tool_of_the_inbox_is_described_so(
    desk: Desk, name: str, title: str, description: str, annotations: Any, properties: Any, more: Any
) -> None:
    tool = desk.tools[name]

    assert (tool.title, tool.description, tool.annotations) == (title, description, annotations)
    assert tool.work.input_schema == {"type": "object", "properties": properties, **more}


def test_the_tools_are_three(desk: Desk) -> None:
    assert list(desk.tools) == [APPROVAL_LIST, APPROVAL_DECIDE, APPROVAL_LINK]


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        (APPROVAL_LIST, {}),
        (APPROVAL_LIST, {"cursor": "", "state": "waiting", "id": ""}),
        (APPROVAL_LIST, {"state": "decided"}),
        (APPROVAL_DECIDE, {"id": "", "action": "accept"}),
        (APPROVAL_DECIDE, {"id": "x", "action": "decline", "content": {}}),
        (APPROVAL_LINK, {"id": ""}),
        (APPROVAL_LINK, {"id": "x", "hours": 1}),
        (APPROVAL_LINK, {"id": "x", "hours": 24}),
        (APPROVAL_LINK, {"id": "x", "hours": 2.0}),
    ],
)
def test_these_arguments_fit(desk: Desk, name: str, arguments: dict[str, JSON]) -> None:
    assert desk.tools[name].work.check(arguments) == arguments


WANTS = {
    APPROVAL_LIST: "give perhaps an id, or state, waiting or decided, and as cursor the next_cursor of approval_list",
    APPROVAL_DECIDE: "give id, a string, action, accept or decline, perhaps content, an object, and nothing else",
    APPROVAL_LINK: "give id, a string, perhaps hours, 1 to 24, and nothing else",
}


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        (APPROVAL_LIST, {"cursor": 7}),
        (APPROVAL_LIST, {"id": None}),
        (APPROVAL_LIST, {"state": "Decided"}),
        (APPROVAL_LIST, {"state": ["decided"]}),
        (APPROVAL_DECIDE, {"action": "accept"}),
        (APPROVAL_DECIDE, {"id": "x"}),
        (APPROVAL_DECIDE, {"id": 7, "action": "accept", "content": {}}),
        (APPROVAL_DECIDE, {"id": "x", "action": "cancel"}),
        (APPROVAL_DECIDE, {"id": "x", "action": "accept", "content": "yes"}),
        (APPROVAL_DECIDE, {"id": "x", "action": "accept", "content": None}),
        (APPROVAL_DECIDE, {"id": "x", "action": "accept", "contents": {}}),
        (APPROVAL_LINK, {}),
        (APPROVAL_LINK, {"id": ["x"], "hours": 1}),
        (APPROVAL_LINK, {"id": "x", "hour": 1}),
        (APPROVAL_LINK, {"id": "x", "hours": 0}),
        (APPROVAL_LINK, {"id": "x", "hours": 25}),
        (APPROVAL_LINK, {"id": "x", "hours": 1.5}),
        (APPROVAL_LINK, {"id": "x", "hours": True}),
        (APPROVAL_LINK, {"id": "x", "hours": None}),
    ],
)
def test_no_others_do_and_what_would_is_said(desk: Desk, name: str, arguments: dict[str, JSON]) -> None:
    with pytest.raises(BadArguments) as raised:
        desk.tools[name].work.check(arguments)

    assert str(raised.value) == WANTS[name]


def test_what_waits_is_listed_unless_what_was_decided_is_asked_for(desk: Desk) -> None:
    first, second = desk.asked(role("finance")), desk.asked(role("finance"))
    desk.decide(HEIDI, first)
    waits = listed(desk.approvals, GRACE, {})
    past = history(desk.approvals, GRACE, {})

    assert desk.call(APPROVAL_LIST) == desk.call(APPROVAL_LIST, state="waiting") == waits
    assert desk.call(APPROVAL_LIST, state="decided") == past
    assert desk.call(APPROVAL_LIST, id=second.id) == listed(desk.approvals, GRACE, {"id": second.id})
    assert waits != past


def test_a_decision_is_taken(desk: Desk) -> None:
    item = desk.asked(role("finance"))

    returned = desk.call(APPROVAL_DECIDE, id=item.id, **ACCEPT)

    assert returned.result["structuredContent"]["is_over"] is True
    assert desk.approvals.page(GRACE, limit=9) == ([], None)


def test_a_link_is_made_for_its_caller(desk: Desk) -> None:
    item = desk.asked(role("finance"))

    returned = desk.call(APPROVAL_LINK, id=item.id, hours=1)

    assert returned == linked(desk.approvals, GRACE, {"id": item.id, "hours": 1}, address)
    assert returned.result["structuredContent"]["link"].startswith(f"https://example.com/grace/{item.id}/2026-01-01 13")


def test_the_resource_is_the_first_page_of_what_waits(desk: Desk) -> None:
    desk.asked(role("finance"))
    resource = inbox(lambda: desk.approvals)

    read = resource.work.read({}, Context(caller=GRACE, journal=NULL_JOURNAL))

    assert read == page(desk.approvals, GRACE)
    assert len(read["approvals"]) == 1
    assert (resource.uri, resource.name, resource.title) == ("approvals://inbox", "approvals", "Approvals")
    assert (resource.description, resource.mime_type) == ("What waits for your decision.", "application/json")


def test_the_resource_has_no_function_of_an_adopters_and_nothing_to_complete(desk: Desk) -> None:
    work = inbox(lambda: desk.approvals).work
    anything: Any = None

    assert work.complete("x", "", anything) == []
    with pytest.raises(TypeError, match=r"^this resource is built in$"):
        work.completed_by("x", anything)
    with pytest.raises(TypeError, match=r"^this resource is built in$"):
        _ = work.function
