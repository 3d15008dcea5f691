"""Delivery of an input request to the client of a session: a series of attempts, each a JSON-RPC request on one stream.

"The server MUST send each of its JSON-RPC messages on only one of the connected streams": the first stream that claims
an attempt carries it, and sends it again only to a client that resumes before it.  Each attempt is kept by a
conditional write, so that of two streams, or of two responses, the second one changes nothing.
    -- 2025-11-25, Transports, Multiple Connections
"""

import hashlib
from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta
from typing import Any, NamedTuple, Self

from mcp_tasks.limits.waits import LATE_RESPONSES
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
"""How long after an attempt to poll a client's task the next one is made: its stream may have been lost."""


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
        """Return whether any stream may start the next attempt now: none carries this one, or its time has come.

        Nor does any where the key that signed the request's id is over: the stream's own events were signed with it.
        """
        if attempt.not_before is not None:
            return self.server.tasks.now() >= attempt.not_before
        carried = attempt.stream is not None and self._can_be_answered(attempt)
        return not carried or not self.server.sessions.is_open(self.caller, str(attempt.stream))

    def claim(self, attempt: Attempt, stream: str) -> Attempt | None:
        """Return the attempt that this stream carries, which it starts if it may; None if another stream carries it."""
        carried = self.start(attempt, stream) if self.is_claimable(attempt) else attempt
        return carried if carried is not None and carried.stream == stream else None

    def start(self, before: Attempt, stream: str, **changes: Any) -> Attempt | None:
        """Start the next attempt, on a stream; returns None if another process did first, or the task expired."""
        named = replace(before, **changes)
        again = None if named.client_task is None else self.server.tasks.now() + REPEAT_AFTER
        taken = replace(named, number=before.number + 1, stream=stream, not_before=again)
        attempt = replace(taken, request_id=self._request_id(taken))
        return attempt if self._keep(attempt) else None

    def schedule_next(self, before: Attempt, **changes: Any) -> None:
        """Let the next stream start an attempt with these changes, unless another process did something first."""
        self._keep(replace(before, number=before.number + 1, stream=None, request_id=None, **changes))

    def _can_be_answered(self, attempt: Attempt) -> bool:
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
