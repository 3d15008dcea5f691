"""Converts approvals and decisions to JSON documents, which are stored and sent, and back; pure, no I/O.

What does not fit raises one of `json_values.READ_ERRORS`.
"""

from mcp_tasks.tasks.approvals import Approval, Audience, Decision, Kind
from mcp_tasks.tasks.json_values import flag, integer, list_of, mapping, maybe, moment, span, text
from mcp_tasks.tasks.model import JSON


def document_of_decision(decision: Decision) -> JSON:
    """Return the document of a decision."""
    actor = {} if decision.actor is None else {"actor": decision.actor}
    return {
        "subject": decision.subject,
        "at": decision.at.isoformat(),
        "action": decision.action,
        "channel": decision.channel,
        "digest": decision.digest,
        **actor,
    }


def decision_of(document: JSON) -> Decision:
    """Return the decision in a document."""
    return Decision(
        subject=text(document["subject"]),
        at=moment(document["at"]),
        action=text(document["action"]),
        channel=text(document["channel"]),
        digest=text(document["digest"]),
        actor=maybe(document.get("actor"), mapping),
    )


def decisions_of(documents: JSON) -> tuple[Decision, ...]:
    """Return the decisions in a list of documents."""
    return list_of(decision_of)(documents)


def document_of_approval(approval: Approval) -> JSON:
    """Return the document of an approval."""
    audience, shown = approval.audience, {} if approval.shown is None else {"shown": approval.shown}
    of = {"kind": audience.kind, "name": audience.name, "not_asker": audience.not_asker}
    remind = {} if approval.remind is None else {"remind": approval.remind.total_seconds()}
    return {"of": of, "quorum": approval.quorum, **shown, **remind}


def approval_of(document: JSON) -> Approval:
    """Return the approval in a document, which is checked as one that a tool makes."""
    of = document["of"]
    audience = Audience(kind=Kind(text(of["kind"])), name=text(of["name"]), not_asker=flag(of["not_asker"]))
    shown = maybe(document.get("shown"), text)
    remind = maybe(document.get("remind"), span)
    return Approval(audience=audience, quorum=integer(document["quorum"]), shown=shown, remind=remind)
