"""Delivery of an input request to the client of a session: a series of attempts, each a JSON-RPC request on one stream.

"The server MUST send each of its JSON-RPC messages on only one of the connected streams": the first stream that claims
an attempt carries it, and sends it again only to a client that resumes before it.  The server cannot see that a
connection broke, so a claim has a term: short until the client resumes after the request, which proves that it has read
it, and longer from then on.  After the term the next stream carries the request, under the same id.  Each attempt is
kept by a conditional write, so that of two streams, or of two responses, the second one changes nothing.
    -- 2025-11-25, Transports, Multiple Connections
"""

import hashlib
from collections.abc import Container, Mapping
from dataclasses import replace
from datetime import timedelta
from typing import Any, NamedTuple, Self

from mcp_tasks.limits.pace import MAX_INTERVAL
from mcp_tasks.limits.waits import LATE_RESPONSES, MAX_WRITE_ATTEMPTS
from mcp_tasks.records import record
from mcp_tasks.security.signing import BadSignature
from mcp_tasks.security.tenancy import Caller
from mcp_tasks.tasks.model import JSON, Task
from mcp_tasks.wire.jsonrpc import INVALID_REQUEST, Response, RpcError
from mcp_tasks.wire.rev_2025_11_25.server import SessionServer
from mcp_tasks.wire.rev_2025_11_25.sessions import Attempt, Session

PURPOSE = "2025-11-25 question"
"""As it was in 0.1: another would make the ids of all requests that are under way at a deploy unknown."""

REPEAT_AFTER = timedelta(minutes=1)
"""How long a stream alone carries a request that its client may never have read: a client that has resumes at once."""

READ_TERM = 2 * MAX_INTERVAL
"""The same for a request that the client has read: longer than the longest pause before it resumes the stream again."""


class OutgoingRequest(NamedTuple):
    """A request to the client; the stream that carries it keeps its digest once it is sent."""

    digest: str
    request: Mapping[str, JSON]

    @classmethod
    def of(cls, request: Mapping[str, JSON]) -> Self:
        """Return the request with the digest of its id."""
        return cls(digest(request["id"]), request)


class RequestReference(NamedTuple):
    """The content of a request's id; `session` and `input_request` are digests, of the session's id and of the key."""

    session: str
    task_id: str
    input_request: str
    kind: str | None


@record
class Delivery:
    """The delivery of an input request to a session; both are digests, of the key and of the session's id."""

    server: SessionServer
    caller: Caller
    task: Task
    session: str
    input_request: str

    @classmethod
    def to(cls, server: SessionServer, caller: Caller, session: Session, task: Task, key: str) -> Self:
        """Return the delivery of the input request with this key."""
        return cls(server=server, caller=caller, task=task, session=digest(session.id), input_request=digest(key))

    def attempt(self) -> Attempt | None:
        """Return the last attempt, if there was any."""
        return self.server.sessions.load_attempt(self.caller, self._name)

    def is_claimable(self, attempt: Attempt) -> bool:
        """Return whether any stream may carry the attempt now: none does, or the term of the one that does is over.

        Nor does any where the key that signed the request's id is over: the stream's own events were signed with it.
        """
        is_over = attempt.not_before is not None and self.server.tasks.now() >= attempt.not_before
        if attempt.stream is None:
            return is_over or attempt.not_before is None
        is_lost = is_over or not self._can_be_answered(attempt)
        return is_lost or not self.server.sessions.is_open(self.caller, attempt.stream)

    def claim(self, attempt: Attempt, stream: str, read: Container[str]) -> Attempt | None:
        """Return the attempt that this stream carries, which it starts if it may; None if another stream carries it.

        `read` are the digests of the requests after which the client has resumed this stream.
        """
        is_read = attempt.client_task is None and digest(str(attempt.request_id)) in read
        if self.is_claimable(attempt):
            started = self.start(attempt, stream)
            # The client may have resumed this stream twice at once: the other response claimed the request, then.
            return self._carried_by(stream) if started is None and is_read else started
        if attempt.stream != stream:
            if attempt.stream is not None and attempt.not_before is None:
                # The release before gave its claims no term: it begins now.
                self._set_term(attempt, REPEAT_AFTER)
            return None
        return self._set_term(attempt, READ_TERM) if is_read else attempt

    def start(self, before: Attempt, stream: str, **changes: Any) -> Attempt | None:
        """Start the next attempt, on a stream; returns None if another process did first, or the task expired.

        It has the id of the attempt before if it sends the same request: a client that did read it knows it again.
        """
        term = self.server.tasks.now() + REPEAT_AFTER
        attempt = replace(before, number=before.number + 1, stream=stream, not_before=term, **changes)
        if attempt.client_task is not None or not self._can_be_answered(attempt):
            attempt = replace(attempt, request_id=self._request_id(attempt))
        return attempt if self._keep(attempt) else None

    def schedule_next(self, before: Attempt, **changes: Any) -> None:
        """Let the next stream start an attempt with these changes, unless another request was sent meanwhile."""
        following = replace(before, stream=None, request_id=None, **{"not_before": None} | changes)
        current: Attempt | None = before
        for _ in range(MAX_WRITE_ATTEMPTS):
            if current is None or current.request_id != before.request_id:
                return
            if self._keep(replace(following, number=current.number + 1)):
                return
            # A stream may have written since that it carries the same request on.
            current = self.attempt()

    def _carried_by(self, stream: str) -> Attempt | None:
        """Return the last attempt if this stream carries it."""
        attempt = self.attempt()
        return attempt if attempt is not None and attempt.stream == stream else None

    def _set_term(self, attempt: Attempt, term: timedelta) -> Attempt:
        """Return the attempt, which no other stream carries for so long; written again after a quarter of that."""
        now = self.server.tasks.now()
        if attempt.not_before is not None and attempt.not_before - now > term * 3 / 4:
            return attempt
        extended = replace(attempt, number=attempt.number + 1, not_before=now + term)
        return extended if self._keep(extended) else attempt

    def _can_be_answered(self, attempt: Attempt) -> bool:
        if attempt.request_id is None:
            return False
        try:
            _verified(self.server, self.caller, attempt.request_id)
        except BadSignature:
            return False
        return True

    def _keep(self, attempt: Attempt) -> bool:
        return self.server.sessions.save_attempt(self.caller, self._name, attempt, self.task.expires_at)

    def _request_id(self, attempt: Attempt) -> str:
        # Short keys, since ids of more than 256 characters are not accepted when they come back; ids that are out
        # with clients were signed with these keys, so that they stay.
        value = {"way": self._name, "turn": attempt.number} | ({} if attempt.kind is None else {"step": attempt.kind})
        lifetime = self.task.expires_at - self.server.tasks.now() + LATE_RESPONSES
        return self.server.signer.sign(value, purpose=PURPOSE, owner_key=self.caller.owner_key, lifetime=lifetime)

    @property
    def _name(self) -> str:
        return f"{self.session}:{self.task.id}:{self.input_request}"


def reference_of(server: SessionServer, caller: Caller, response: Response) -> RequestReference:
    """Return what the id of a response refers to; raises `RpcError` if this server sent no request with that id."""
    try:
        value = _verified(server, caller, response.id)
    except BadSignature as error:
        raise RpcError(INVALID_REQUEST, "This server sent no request with this id.") from error
    session, task_id, input_request = value["way"].split(":")
    return RequestReference(session, task_id, input_request, value.get("step"))


def _verified(server: SessionServer, caller: Caller, request_id: object) -> Any:
    return server.signer.verify(str(request_id), purpose=PURPOSE, owner_key=caller.owner_key)


def digest(text: str) -> str:
    """Return 12 hexadecimal digits that stand for a text of any length."""
    return hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()[:12]
