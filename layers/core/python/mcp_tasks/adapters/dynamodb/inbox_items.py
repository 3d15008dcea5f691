"""The items of the inbox on DynamoDB, and the actions by which a task's transition writes them; pure, no I/O.

inbox#<audience>#<place>    the tenant   an open input request for others: what is shown, and where the answer goes;
                                         what escalates has one for each audience, from the beginning
decided#<audience>#<place>  the tenant   what it was and who decided it, for a day: for those who come too late
link#<id>                   the tenant   a link that a tab exchanged, when, and the hash of its nonce
"""

import json
from collections.abc import Mapping
from datetime import datetime, timedelta

from mcp_tasks.adapters.dynamodb.items import (
    Item,
    epoch,
    expires_at,
    expiry_attributes,
    from_epoch,
    primary_key,
)
from mcp_tasks.adapters.dynamodb.reading import Fields, from_json, integer_attribute, string_attribute
from mcp_tasks.adapters.dynamodb.table import putting
from mcp_tasks.limits.waits import CLOCK_SKEW, DECIDED_KEPT, EXCHANGE_REPEATED
from mcp_tasks.security.tenancy import tenant_of
from mcp_tasks.tasks.actors import actor_in
from mcp_tasks.tasks.approval_documents import (
    approval_of,
    decision_of,
    document_of_approval,
    document_of_decision,
)
from mcp_tasks.tasks.approvals import Approval
from mcp_tasks.tasks.documents import document_of_request, input_request_of
from mcp_tasks.tasks.hashing import hashed
from mcp_tasks.tasks.inbox import DecidedItem, Decisions, InboxItem, change_of, decided_item, for_audience
from mcp_tasks.tasks.json_values import list_of, moment, text
from mcp_tasks.tasks.model import JSON, InputResponse, Task


def inbox_actions(
    owner_key: str, before: Task, after: Task, responses: Mapping[str, InputResponse], now: datetime
) -> list[Item]:
    """Return the actions that keep the inbox as a transition leaves it, none for a task that asks nobody else.

    They fail where somebody accepted what this transition decides without knowing of it.
    """
    change = change_of(owner_key, before, after, responses)
    if change is None:
        return []
    tenant = tenant_of(owner_key)
    actions = [putting(_item(tenant, item)) for item in change.new]
    actions += [{"Delete": {"Key": inbox_key(tenant, item.id)}} for item in change.ended]
    for item, decisions in change.decided:
        actions += [_removing(tenant, item, len(decisions) - 1), putting(_decided(tenant, item, decisions, now))]
    return actions


def inbox_key(tenant: str, item_id: str) -> Item:
    """Return the key of an open item."""
    return primary_key(tenant, "inbox", item_id)


def decided_key(tenant: str, item_id: str) -> Item:
    """Return the key of what is kept of an item that was decided."""
    return primary_key(tenant, "decided", item_id)


def link_key(tenant: str, link: str) -> Item:
    """Return the key of what is kept of a link that was exchanged."""
    return primary_key(tenant, "link", link)


def used_link(tenant: str, link: str, nonce: str, until: datetime, now: datetime) -> Item:
    """Return what is kept of a link, for as long as anything may take the link for good."""
    kept = {"nonce": {"S": hashed(nonce)}, "at": epoch(now)}
    return {**link_key(tenant, link), **expiry_attributes(until + CLOCK_SKEW), **kept}


def is_repeated(item: Mapping[str, JSON], nonce: str, now: datetime) -> bool:
    """Return whether a link was just exchanged with this nonce."""
    fields = Fields.of(item)
    at = fields.required("at", from_epoch)
    return fields.required("nonce", string_attribute) == hashed(nonce) and now < at + EXCHANGE_REPEATED


def inbox_item_of(item: Mapping[str, JSON]) -> InboxItem:
    """Return the open item that is stored; raises `UnreadableItem`."""
    fields, asked = Fields.of(item), Fields.of(item).document("asked")
    input_request, audience = asked.required("request", input_request_of), item["SK"]["S"].split("#")[1]
    approval, escalates = asked.required("request", lambda document: _asked_of(document, audience))
    return InboxItem(
        place=item["SK"]["S"].rpartition("#")[2],
        owner_key=fields.required("owner", string_attribute),
        task_id=fields.required("task", string_attribute),
        tool=asked.required("tool", text),
        input_request=input_request,
        approval=approval,
        asked_at=asked.required("at", moment),
        deadline=expires_at(item),
        actor=asked.optional("actor", actor_in, None),
        accepted=fields.required("accepted", lambda attribute: list_of(decision_of)(from_json(attribute))),
        notices=fields.optional("notices", integer_attribute, 0),
        again=fields.optional("again", from_epoch, None),
        escalates=escalates,
    )


def decisions_of(item: Mapping[str, JSON]) -> Decisions:
    """Return the decisions of an item that was decided; raises `UnreadableItem`."""
    return Fields.of(item).required("accepted", lambda attribute: list_of(decision_of)(from_json(attribute)))


def decided_item_of(item: Mapping[str, JSON]) -> DecidedItem | None:
    """Return what is kept of an item that was decided, None of one that an older release kept.

    That did not say whose task had asked, which some of its audience may not decide, and so not see.
    """
    if "asked" not in item:
        return None
    fields, asked = Fields.of(item), Fields.of(item).document("asked")
    return DecidedItem(
        place=item["SK"]["S"].rpartition("#")[2],
        owner_key=fields.required("owner", string_attribute),
        tool=asked.required("tool", text),
        message=asked.required("message", text),
        approval=asked.required("approval", approval_of),
        asked_at=asked.required("at", moment),
        decisions=decisions_of(item),
        actor=asked.optional("actor", actor_in, None),
    )


def accepted_attributes(accepted: Decisions) -> Item:
    """Return the attributes for what was accepted so far: their number is what writes are conditional on."""
    decisions = json.dumps([document_of_decision(each) for each in accepted], separators=(",", ":"))
    return {"accepts": {"N": str(len(accepted))}, "accepted": {"S": decisions}}


def _item(tenant: str, item: InboxItem) -> Item:
    actor = {} if item.actor is None else {"actor": item.actor}
    asked = {
        "tool": item.tool,
        "request": document_of_request(item.input_request),
        "at": item.asked_at.isoformat(),
        **actor,
    }
    return {
        **inbox_key(tenant, item.id),
        **expiry_attributes(item.deadline),
        "owner": {"S": item.owner_key},
        "task": {"S": item.task_id},
        "asked": {"S": json.dumps(asked, separators=(",", ":"))},
        **accepted_attributes(item.accepted),
        **({"opensAt": epoch(item.opens_at)} if item.escalates else {}),
    }


def _removing(tenant: str, item: InboxItem, accepts: int) -> Item:
    # Absent where the release before suspended the task, which knows no inbox.
    return {
        "Delete": {
            "Key": inbox_key(tenant, item.id),
            "ConditionExpression": "attribute_not_exists(accepts) OR accepts = :accepts",
            "ExpressionAttributeValues": {":accepts": {"N": str(accepts)}},
        }
    }


def _decided(tenant: str, item: InboxItem, decisions: Decisions, now: datetime) -> Item:
    kept = decided_item(item, decisions)
    asked = {
        "tool": kept.tool,
        "message": kept.message,
        "approval": document_of_approval(kept.approval),
        "at": kept.asked_at.isoformat(),
        **({} if kept.actor is None else {"actor": kept.actor}),
    }
    return {
        **decided_key(tenant, item.id),
        **expiry_attributes(now + DECIDED_KEPT),
        "owner": {"S": kept.owner_key},
        "asked": {"S": json.dumps(asked, separators=(",", ":"))},
        **accepted_attributes(decisions),
    }


def _asked_of(document: JSON, audience: str) -> tuple[Approval, timedelta]:
    approval = input_request_of(document).approval
    if approval is None:
        raise ValueError
    return for_audience(approval, audience)
