"""The messages between a run and its host, as JSON; pure, no I/O.

    does                sent besides the ticket   answered
    load                run: its name             ticket and run, or seconds: the task is suspended for so long
    renew               -                         -
    check               -                         -
    progressed          progress                  -
    status_reported     status_message            -
    recall              step                      recorded, if there is something
    record              step, value               recorded
    count_steps         -                         steps
    response            key                       response, if there is one
    tenant_credentials  -                         credentials, if tools are granted anything of their tenant's own
    published           uri                       -
    request_input       input_requests            seconds
    expected            at                        nothing
    sleep               wakes_at                  seconds
    finish              outcome                   -

Each may be answered `{"not_wanted": true}` or `{"revoked": true}` instead.  A message comes from a process that runs
adopters' code, so what the host reads of it is checked here as if a stranger had sent it: `BadMessage`.
"""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import TypeVar

from mcp_tasks.limits.requests import MAX_URI_CHARACTERS
from mcp_tasks.limits.tools import (
    MAX_INPUT_REQUESTS_CHARACTERS,
    MAX_RUN_CHARACTERS,
    MAX_STEP_CHARACTERS,
    MAX_STEP_NAME_CHARACTERS,
)
from mcp_tasks.ports.run_host import LoadedRun
from mcp_tasks.run_host.reading import (
    UNREADABLE,
    read_input_requests,
    read_json,
    read_line,
    read_outcome,
    read_progress,
    read_text,
)
from mcp_tasks.security.credentials import Credentials
from mcp_tasks.tasks.documents import document_of_response, response_of
from mcp_tasks.tasks.json_values import Read, maybe, moment, text
from mcp_tasks.tasks.model import JSON, InputRequest, Outcome, Progress

T = TypeVar("T")


class BadMessage(Exception):
    """A run sent its host what no run sends."""


def document_of_run(run: LoadedRun) -> JSON:
    """Return the document of a loaded run."""
    return {
        "owner_key": run.owner_key,
        "task": run.task_id,
        "tool": run.tool,
        "tool_version": run.tool_version,
        "trace": run.trace,
        "arguments": run.arguments,
        "scopes": sorted(run.scopes),
        "actor": run.actor,
        "client_capabilities": sorted(run.client_capabilities),
        "requested": run.requested,
        "steps": run.steps,
        "responses": {key: document_of_response(response) for key, response in run.responses.items()},
        "ttl": run.ttl.total_seconds(),
        "expires_at": run.expires_at.isoformat(),
        "due_at": run.due_at.isoformat(),
        "attempt": run.attempt,
        "left": None if run.left is None else run.left.total_seconds(),
    }


def run_of(document: JSON) -> LoadedRun:
    """Return the loaded run in a document, which the host sent."""
    return LoadedRun(
        owner_key=document["owner_key"],
        task_id=document["task"],
        tool=document["tool"],
        # The host of another release may say none of these, while a deploy replaces the functions one by one.
        tool_version=document.get("tool_version"),
        trace=document.get("trace"),
        attempt=document.get("attempt"),
        left=maybe(document.get("left"), lambda left: timedelta(seconds=left)),
        arguments=document["arguments"],
        scopes=frozenset(document["scopes"]),
        actor=document["actor"],
        client_capabilities=frozenset(document["client_capabilities"]),
        requested=tuple(document["requested"]),
        steps=document["steps"],
        responses={key: response_of(each) for key, each in document["responses"].items()},
        ttl=timedelta(seconds=document["ttl"]),
        expires_at=datetime.fromisoformat(document["expires_at"]),
        due_at=datetime.fromisoformat(document["due_at"]),
    )


def credentials_of(document: JSON) -> Credentials:
    """Return the credentials in a document, of which the host of a newer release may say more."""
    return Credentials(
        access_key=document["access_key"],
        secret_key=document["secret_key"],
        session_token=document["session_token"],
    )


class Message:
    """What a run sent; each method reads one part of it, and raises `BadMessage`."""

    def __init__(self, sent: Mapping[str, JSON]) -> None:
        self._sent = sent

    @property
    def does(self) -> str:
        """What the run asks for."""
        return self._read("does", text)

    @property
    def ticket(self) -> object:
        """What should be a ticket."""
        return self._sent.get("ticket")

    @property
    def run(self) -> str:
        """The name of the run, empty where it has none: that of an earlier release."""
        return self._read("run", lambda run: read_text(run, MAX_RUN_CHARACTERS)) if "run" in self._sent else ""

    @property
    def progress(self) -> Progress:
        """The progress that the tool reports."""
        return self._read("progress", read_progress)

    @property
    def status_message(self) -> str:
        """The status message that the tool reports."""
        return self._read("status_message", read_line)

    @property
    def step(self) -> str:
        """The name of a step."""
        return self._read("step", lambda step: read_text(step, MAX_STEP_NAME_CHARACTERS))

    @property
    def value(self) -> JSON:
        """What a step returned, which may be null."""
        return self._read("value", lambda value: read_json(value, MAX_STEP_CHARACTERS))

    @property
    def key(self) -> str:
        """The key of an input request."""
        return self._read("key", lambda key: read_text(key, MAX_INPUT_REQUESTS_CHARACTERS))

    @property
    def uri(self) -> str:
        """The URI of a resource that changed."""
        return self._read("uri", lambda uri: read_text(uri, MAX_URI_CHARACTERS))

    @property
    def input_requests(self) -> tuple[InputRequest, ...]:
        """The input requests that the run ended with."""
        return self._read("input_requests", read_input_requests)

    @property
    def at(self) -> datetime:
        """When the work will be done."""
        return self._read("at", moment)

    @property
    def wakes_at(self) -> datetime:
        """When the task, which sleeps, wakes."""
        return self._read("wakes_at", moment)

    @property
    def outcome(self) -> Outcome:
        """The outcome of the task."""
        return self._read("outcome", read_outcome)

    def _read(self, name: str, read: Read[T]) -> T:
        try:
            return read(self._sent[name])
        except UNREADABLE:
            raise BadMessage(f"{name} is missing, does not fit, or is too large") from None
