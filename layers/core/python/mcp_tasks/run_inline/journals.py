"""The journal of a call on its way to the process that runs it, and back; pure, no I/O."""

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Final

from mcp_tasks.authoring.replay_log import ReplayLog
from mcp_tasks.authoring.text import LEVELS
from mcp_tasks.engine.inline_journal import InlineJournal, LogMessage
from mcp_tasks.engine.suspension import check_requested
from mcp_tasks.limits.requests import MAX_URI_CHARACTERS
from mcp_tasks.limits.tools import MAX_LINE_CHARACTERS, MAX_NOTIFICATIONS, MAX_RESULT_CHARACTERS
from mcp_tasks.run_host.reading import PROGRESS
from mcp_tasks.run_host.shapes import (
    ANY,
    LINE,
    OBJECT,
    TEXTS,
    Shape,
    Shapes,
    every,
    fields,
    json_of,
    one_of,
    read_fields,
    text_of,
)
from mcp_tasks.tasks.json_values import mapping
from mcp_tasks.tasks.model import JSON, Progress

WANTED: Final = "wanted"
"""In place of a progress token, which is nothing to the code that runs."""


def document_of_journal(journal: InlineJournal) -> JSON:
    """Return what the run of a call needs of its journal."""
    return {
        "wants_progress": journal.progress_token is not None,
        "threshold": journal.threshold,
        "client_capabilities": sorted(journal.client_capabilities),
        "may_become_task": journal.may_become_task,
        "responses": journal.replay_log.responses,
        "steps": journal.replay_log.steps,
        "requested": journal.replay_log.requested,
    }


def journal_of(document: Mapping[str, JSON]) -> InlineJournal:
    """Return the journal for the run of a call."""
    return InlineJournal(
        progress_token=WANTED if document["wants_progress"] else None,
        threshold=document["threshold"],
        client_capabilities=frozenset(document["client_capabilities"]),
        may_become_task=document["may_become_task"],
        replay_log=ReplayLog(
            responses=dict(document["responses"]),
            steps=dict(document["steps"]),
            requested=list(document["requested"]),
        ),
    )


def document_of_changes(journal: InlineJournal, published: Sequence[str]) -> JSON:
    """Return what a run wrote into its journal, and which changes of resources it published."""
    return {
        "reported": [_document_of_notification(each) for each in journal.reported],
        "last_progress": journal.last_progress and asdict(journal.last_progress),
        "status_message": journal.status_message,
        "steps": journal.replay_log.steps,
        "requested": journal.replay_log.requested,
        "requested_so_far": journal.replay_log.requested_so_far,
        "published": published,
    }


def take_over(journal: InlineJournal, document: JSON) -> None:
    """Write into a journal what the run of its call wrote; raises `Unfit`, and then nothing is written."""
    changes = _CHANGES.read(json_of(2 * MAX_RESULT_CHARACTERS).at("all of it", document))
    journal.reported = deque(changes["reported"], maxlen=MAX_NOTIFICATIONS)
    journal.last_progress, journal.status_message = changes["last_progress"], changes["status_message"]
    journal.replay_log.go_on(
        steps=changes["steps"], requested=changes["requested"], requested_so_far=changes["requested_so_far"]
    )
    for uri in changes["published"]:
        journal.publish(uri)


def _document_of_notification(of: Progress | LogMessage) -> JSON:
    return {"progress": asdict(of)} if isinstance(of, Progress) else {"log": of._asdict()}


def _notification(document: JSON) -> Progress | LogMessage:
    if "progress" in mapping(document):
        return PROGRESS.at("progress", document["progress"])
    return LogMessage(**read_fields(read_fields(document, {"log": OBJECT})["log"], _LOG))


def _requested(value: JSON) -> tuple[str, ...]:
    requested = TEXTS.read(value)
    check_requested(requested)
    return requested


_LOG: Final[Shapes] = {
    "level": one_of(*LEVELS),
    "data": ANY,
    "logger": text_of(MAX_LINE_CHARACTERS).or_null(),
}
_PUBLISHED: Final = every("a list of URIs", text_of(MAX_URI_CHARACTERS))
_CHANGES: Final = fields(
    "a journal",
    {
        "reported": every("a list of notifications", Shape("progress or log", _notification)),
        "last_progress": PROGRESS.or_null(),
        "status_message": LINE.or_null(),
        "steps": OBJECT,
        "requested": TEXTS,
        "requested_so_far": Shape("a list of texts", _requested),
        "published": Shape("a list of URIs", lambda value: _PUBLISHED.read(value[:MAX_NOTIFICATIONS])),
    },
)
