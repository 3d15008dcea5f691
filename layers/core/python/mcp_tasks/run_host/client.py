"""The host of a run as the run sees it, when it is in another process."""

import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime, timedelta
from typing import Any, TypeAlias, cast

from mcp_tasks.ports.run_host import LoadedRun, RunNotWanted, TicketRevoked
from mcp_tasks.run_host.messages import EXCHANGES
from mcp_tasks.run_host.shapes import OBJECT, read_fields
from mcp_tasks.security.credentials import Credentials
from mcp_tasks.tasks.documents import document_of, document_of_request
from mcp_tasks.tasks.model import JSON, InputRequest, InputResponse, Outcome, Progress

Send: TypeAlias = Callable[[Mapping[str, JSON]], Mapping[str, JSON]]
"""Sends a message to the host, and returns the answer."""


class RunTicketRevoked(Exception):
    """The key was retired during the run."""


class MessageRefused(Exception):
    """The host did not do what the run asked for; the text says why."""


@dataclass(slots=True, kw_only=True)
class RemoteHost:
    """Implements `RunHost` by messages; `ticket` is the start ticket, until the run is loaded, and `run` its name.

    By its name the host knows a run that asks twice, as after an answer that was lost.
    """

    send: Send
    ticket: str
    run: str = field(default_factory=lambda: secrets.token_urlsafe(9))

    def load(self) -> LoadedRun | timedelta:
        """Exchange the start ticket for a run ticket."""
        answer = self._ask("load", run=self.run)
        if "seconds" in answer:
            return cast(timedelta, answer["seconds"])
        self.ticket = answer["ticket"]
        return cast(LoadedRun, answer["run"])

    def renew(self) -> None:
        """Ask for the lease of the run anew."""
        self._ask("renew")

    def check(self) -> None:
        """Return if the run is still wanted."""
        self._ask("check")

    def progressed(self, progress: Progress) -> None:
        """Send progress."""
        self._ask("progressed", progress=asdict(progress))

    def status_reported(self, status_message: str) -> None:
        """Send a status message."""
        self._ask("status_reported", status_message=status_message)

    def expected(self, at: datetime) -> None:
        """Send when the work will be done."""
        self._ask("expected", at=at.isoformat())

    def recall(self, step: str) -> tuple[JSON] | None:
        """Ask for what a step recorded."""
        answer = self._ask("recall", step=step)
        return (answer["recorded"],) if "recorded" in answer else None

    def record(self, step: str, value: JSON) -> JSON:
        """Send the result of a step."""
        return self._ask("record", step=step, value=value)["recorded"]

    def count_steps(self) -> int:
        """Ask how many steps are recorded."""
        return int(self._ask("count_steps")["steps"])

    def response(self, key: str) -> InputResponse | None:
        """Ask for the response to an input request."""
        return cast("InputResponse | None", self._ask("response", key=key)["response"])

    def tenant_credentials(self) -> Credentials | None:
        """Ask for credentials for what is the tenant's own."""
        return cast("Credentials | None", self._ask("tenant_credentials")["credentials"])

    def published(self, uri: str) -> None:
        """Send the URI of a resource that changed."""
        self._ask("published", uri=uri)

    def request_input(self, input_requests: Sequence[InputRequest]) -> timedelta:
        """Send the input requests that the run ended with."""
        return self._suspended("request_input", input_requests=[document_of_request(each) for each in input_requests])

    def sleep(self, wakes_at: datetime) -> timedelta:
        """Send when the task wakes."""
        return self._suspended("sleep", wakes_at=wakes_at.isoformat())

    def finish(self, outcome: Outcome) -> None:
        """Send the outcome."""
        self._ask("finish", outcome=document_of(outcome))

    def _suspended(self, does: str, **sent: JSON) -> timedelta:
        return cast(timedelta, self._ask(does, **sent)["seconds"])

    def _ask(self, does: str, **sent: JSON) -> Mapping[str, Any]:
        answer = OBJECT.at("what the host answers", self.send({"ticket": self.ticket, "does": does, **sent}))
        if "refused" in answer:
            raise MessageRefused(answer["refused"])
        if answer.get("not_wanted"):
            raise RunNotWanted
        if answer.get("revoked"):
            # Of a run ticket, which the next attempt gets anew.
            raise TicketRevoked if does == "load" else RunTicketRevoked
        return read_fields(answer, EXCHANGES[does].answered)
