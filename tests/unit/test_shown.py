"""The hash that is kept with a decision is of what that person was shown, by the channel that was used."""

import hashlib
import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from mcp_tasks import anyone, role
from mcp_tasks.engine.approval_answers import decided, listed
from mcp_tasks.engine.suspension import Suspension
from mcp_tasks.security.tenancy import Caller
from mcp_tasks.tasks.approvals import Approval, Decision
from mcp_tasks.tasks.inbox import InboxItem
from mcp_tasks.tasks.model import InputRequest, InputResponse
from tests.kit import ADA, NOON
from tests.unit.jobs import COLOUR
from tests.unit.offices import ACCEPT, GRACE, Office
from tests.unit.one_task import suspended

FORM: dict[str, Any] = {"type": "object", "properties": {"amount": {"type": "integer"}}}
ITEM = InboxItem(
    place="1767268800000-0123456789abcdef0123456789abcdef",
    owner_key=ADA.owner_key,
    task_id="task",
    tool="refund",
    input_request=InputRequest(
        key="refund",
        method="elicitation/create",
        params={"mode": "form", "message": "Refund order A7?", "requestedSchema": FORM},
    ),
    approval=Approval(audience=role("finance"), quorum=2, shown="# Order A7\n\nBob\u202e 9001"),
    asked_at=NOON,
    deadline=NOON + timedelta(days=1),
)
# By sha256sum, of the JSON that docs/input-requests.md describes.
DIGEST = "7c303ff156b5042bcb4e7f41c6b4f621b7b4dc585af5b0fc6464b8cc10832ce2"
COLOUR_DIGEST = "18d1e6b916da7f50a8c4ef45752c007756979c402cd61e353f983c2fd4b88e27"
STATE = {"accepted", "answers", "decisions"}
"""What the inbox shows of others' decisions, which changes while somebody looks."""


def asking(**params: Any) -> InboxItem:
    return replace(ITEM, input_request=replace(ITEM.input_request, params={**ITEM.input_request.params, **params}))


def approved(**changes: Any) -> InboxItem:
    return replace(ITEM, approval=replace(ITEM.approval, **changes))


def form(**field: Any) -> InboxItem:
    return asking(requestedSchema={**FORM, "properties": {"amount": {"type": "integer", **field}}})


ALTERED = {
    "id": [replace(ITEM, place=ITEM.place[:-1] + "e")],
    "tool": [replace(ITEM, tool="Refund")],
    "message": [asking(message="Refund order A7? "), asking(message="Refund\u200b order A7?")],
    "form": [
        *(form(title="Amount"), form(description="In EUR"), form(default=7), form(maximum=9), form(type="number")),
        asking(requestedSchema={**FORM, "required": ["amount"]}),
        asking(requestedSchema={**FORM, "properties": {"Amount": {"type": "integer"}}}),
        asking(requestedSchema={**FORM, "properties": {**FORM["properties"], "note": {"type": "string"}}}),
    ],
    "shown": [approved(shown=None), approved(shown=""), approved(shown="# Order A7\n\nBob 9001")],
    "asked_at": [replace(ITEM, asked_at=NOON + timedelta(seconds=1))],
    "deadline": [replace(ITEM, deadline=NOON)],
    "quorum": [approved(quorum=3)],
    "for": [approved(audience=role("Finance")), approved(audience=anyone())],
}


def test_the_hash_is_of_what_is_shown() -> None:
    assert ITEM.digest == DIGEST


@pytest.mark.parametrize("part", ALTERED)
def test_each_part_that_changes_changes_the_hash(part: str) -> None:
    found = {ITEM.digest, *(each.digest for each in ALTERED[part])}

    assert len(found) == len(ALTERED[part]) + 1


def test_all_parts_that_an_inbox_shows_are_altered_here() -> None:
    office = Office()
    office.asked(role("finance"), quorum=2)
    returned: Any = listed(office.approvals, GRACE, {}).result

    (shown,) = returned["structuredContent"]["approvals"]
    assert shown.keys() - STATE == ALTERED.keys()


def leaves(value: Any, *path: Any) -> Iterator[tuple[Any, ...]]:
    """Yield the places of all parts of a JSON document."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for name, each in inner:
        yield from leaves(each, *path, name)
    yield path


def test_each_part_of_an_elicitation_that_changes_changes_the_hash_of_the_client() -> None:
    digests = {decision_of_client(COLOUR.params).digest}
    altered = [path for path in leaves(COLOUR.params) if path]
    for path in altered:
        params = json.loads(json.dumps(COLOUR.params))
        place = params
        for name in path[:-1]:
            place = place[name]
        place[path[-1]] = ["several"] if isinstance(place[path[-1]], list) else "altered"
        digests.add(decision_of_client(params).digest)

    assert len(altered) > 8
    assert len(digests) == len(altered) + 1


def decision_of_client(params: Any, shown: str | None = "# Why") -> Decision:
    """Return the decision of ada's own client, which was asked so, and declines."""
    made = suspended(replace(COLOUR, params=params, approval=Approval(audience=anyone(), shown=shown)))
    made.answer(colour=InputResponse(result={"action": "decline"}))
    response = made.response("colour")
    assert response is not None
    (decision,) = response.decisions
    return decision


def test_a_client_that_was_asked_itself_was_shown_the_elicitation_alone() -> None:
    for shown in ("# Why", "# Something else", None):
        made = decision_of_client(COLOUR.params, shown)
        assert (made.channel, made.digest) == ("client", COLOUR_DIGEST)


def test_decision_of_the_asking_client_is_of_who_acts_now_and_not_of_who_acted_as_it_was_asked() -> None:
    asked_by, now = {"sub": "assistant"}, {"sub": "helper", "act": {"sub": "planner"}}
    office = Office()
    approval = Approval(audience=anyone(), shown="# Why")
    task = office.ask_so(replace(COLOUR, approval=approval), replace(ADA, actor=asked_by))
    office.clock.advance(timedelta(minutes=1))
    Suspension(tasks=office.tasks).answer(replace(ADA, actor=now), task.id, {"colour": InputResponse(result=ACCEPT)})

    at = NOON + timedelta(minutes=1, milliseconds=1)
    made = Decision(subject="ada", at=at, action="accept", channel="client", digest=COLOUR_DIGEST, actor=now)
    response = office.tasks.ports.tasks.response(ADA.owner_key, task.id, "colour")
    assert response == InputResponse(result=ACCEPT, decisions=(made,))


@pytest.mark.parametrize(("by_link", "channel"), [(False, "approval_decide"), (True, "link")])
def test_who_decides_by_the_inbox_or_a_link_was_shown_the_item(by_link: bool, channel: str) -> None:
    office = Office()
    item = office.asked(role("finance"))
    caller: Caller = replace(GRACE, approval=item.id) if by_link else GRACE
    returned: Any = listed(office.approvals, caller, {"id": item.id}).result
    (shown,) = returned["structuredContent"]["approvals"]

    decided(office.approvals, caller, {"id": item.id, **ACCEPT})

    constant = {name: value for name, value in shown.items() if name not in STATE}
    written = json.dumps(constant, sort_keys=True, separators=(",", ":"))
    response = office.tasks.ports.tasks.response(ADA.owner_key, item.task_id, "colour")
    assert response is not None
    (made,) = response.decisions
    assert (made.channel, made.digest) == (channel, hashlib.sha256(written.encode()).hexdigest())
