"""`make top` sends a terminal nothing of what others wrote but characters that it shows."""

import io
import json
from datetime import UTC, datetime
from typing import Any

import pytest
from rich.console import Console

from local.top_data import Frame, TenantRow
from local.top_records import seen_in
from local.top_served import frame_of
from local.top_view import shown

NOW = datetime(2026, 11, 26, tzinfo=UTC)
HOSTILE = [
    "\x1b[2J\x1b[H",
    "\x1b]0;all is well\x07",
    "\x9b31m",
    "\x1b[8m",
    "a\rb",
    "a\nb",
    "a\bb",
    "\u202egnp",
    "[red]x[/red]",
]


def printed(frame: Frame) -> str:
    """Return what is written to a terminal that shows no colours, so that no escape sequence is our own."""
    out = io.StringIO()
    Console(file=out, force_terminal=True, color_system=None, no_color=True, width=200).print(shown(frame))
    assert all(line.isprintable() for line in out.getvalue().splitlines())
    return out.getvalue()


def plain(text: str) -> str:
    return "".join(each if each.isprintable() else "?" for each in text)


@pytest.mark.parametrize("text", HOSTILE)
def test_a_task_of_another_server_is_shown_as_text(text: str) -> None:
    at = NOW.isoformat()
    task = {"tool": text, "task_id": f"id {text}", "status": "failed", "created_at": at, "updated_at": at}

    frame = frame_of([task], more=False, now=NOW)

    (seen,) = frame.errors
    assert seen.error == f"a task failed: {plain(text)} id {plain(text)}"
    assert seen.error in printed(frame)


@pytest.mark.parametrize("damage", [{"status": "500"}, {"status": None}, {"tenant": "\ud800"}, {"tenant": ["acme"]}])
def test_a_record_of_a_log_that_is_damaged_is_counted_all_the_same(damage: dict[str, Any]) -> None:
    record = {"message": "answered", "method": "tools/call", "status": 200, "tenant": "acme", **damage}

    (seen,) = seen_in({"timestamp": 0, "message": json.dumps(record)})

    assert seen.kinds == ("request",)


def test_what_cannot_be_shown_is_counted_in_words() -> None:
    frame = Frame(
        at=NOW, live=1, more_tasks=False, behind=False, left_out=2, tenants=[], more_tenants=0, rates={}, errors=[]
    )

    assert "2 tasks or tenants cannot be shown: what is stored of them is damaged." in printed(frame)


@pytest.mark.parametrize("text", HOSTILE)
def test_a_record_of_a_log_is_shown_as_text(text: str) -> None:
    record: dict[str, Any] = {"level": "ERROR", "message": text, "tool": text, "task": text, "tenant": text}
    (seen,) = seen_in({"timestamp": 0, "message": json.dumps(record)})
    row = TenantRow(name=seen.tenant, active=1, running=0, queued=0, suspended=0, oldest=None, requests=0)
    frame = Frame(
        at=NOW, live=1, more_tasks=False, behind=False, tenants=[row], more_tenants=0, rates={}, errors=[seen]
    )

    assert seen.error == " ".join([plain(text)] * 3)
    assert seen.tenant.isascii()
    assert seen.error in printed(frame)
