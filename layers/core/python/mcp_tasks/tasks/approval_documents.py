"""Converts approvals and decisions to JSON documents, which are stored and sent, and back; pure, no I/O.

What does not fit raises one of `json_values.READ_ERRORS`.
"""

from mcp_tasks.tasks.actors import actor_in
from mcp_tasks.tasks.approvals import Approval, Audience, Decision, Escalation, Kind
from mcp_tasks.tasks.json_values import flag, integer, list_of, mapping, maybe, moment, seconds, text
from mcp_tasks.tasks.model import JSON


def document_of_decision(decision: Decision) -> JSON:
    """Return the document of a decision."""
    actor = {} if decision.actor is None else {"actor": decision.actor}
    content = {} if decision.content is None else {"content": decision.content}
    return {
        "subject": decision.subject,
        "at": decision.at.isoformat(),
        "action": decision.action,
        "channel": decision.channel,
        "digest": decision.digest,
        **actor,
        **content,
    }


def decision_of(document: JSON) -> Decision:
    """Return the decision in a document."""
    return Decision(
        subject=text(document["subject"]),
        at=moment(document["at"]),
        action=text(document["action"]),
        channel=text(document["channel"]),
        digest=text(document["digest"]),
        actor=maybe(document.get("actor"), actor_in),
        content=maybe(document.get("content"), mapping),
    )


def decisions_of(documents: JSON) -> tuple[Decision, ...]:
    """Return the decisions in a list of documents."""
    return list_of(decision_of)(documents)


def document_of_approval(approval: Approval) -> JSON:
    """Return the document of an approval."""
    shown = {} if approval.shown is None else {"shown": approval.shown}
    remind = {} if approval.remind is None else {"remind": approval.remind.total_seconds()}
    return {"of": _document_of(approval.audience), "quorum": approval.quorum, **shown, **remind, **_escalate(approval)}


def approval_of(document: JSON) -> Approval:
    """Return the approval in a document, which is checked as one that a tool makes."""
    shown = maybe(document.get("shown"), text)
    remind = maybe(document.get("remind"), seconds)
    escalate = maybe(document.get("escalate"), _escalation_of)
    audience, quorum = _audience_of(document["of"]), integer(document["quorum"])
    return Approval(audience=audience, quorum=quorum, shown=shown, remind=remind, escalate=escalate)


def _document_of(audience: Audience) -> JSON:
    return {"kind": audience.kind, "name": audience.name, "not_asker": audience.not_asker}


def _audience_of(document: JSON) -> Audience:
    kind, name = Kind(text(document["kind"])), text(document["name"])
    return Audience(kind=kind, name=name, not_asker=flag(document["not_asker"]))


def _escalate(approval: Approval) -> dict[str, JSON]:
    if approval.escalate is None:
        return {}
    after = approval.escalate.after.total_seconds()
    return {"escalate": {"after": after, "of": _document_of(approval.escalate.audience)}}


def _escalation_of(document: JSON) -> Escalation:
    return Escalation(after=seconds(document["after"]), audience=_audience_of(document["of"]))
