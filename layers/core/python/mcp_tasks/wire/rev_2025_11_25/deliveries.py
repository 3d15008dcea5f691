"""The way of an input request to the client of one session: a row of attempts, each of them one request on one stream.

"The server MUST send each of its JSON-RPC messages on only one of the connected streams": the first stream to come
along carries a attempt, and repeats it only to a client that resumes before it.  Each attempt begins by a conditional
write, so that of two streams, or of two answers, the second one changes nothing.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any, NamedTuple, Self

from mcp_tasks.limits.waits import LATE_RESPONSES
from mcp_tasks.security.signing import BadSignature
from mcp_tasks.security.tenancy import Caller
from mcp_tasks.tasks.model import JSON, Task
from mcp_tasks.wire.jsonrpc import INVALID_REQUEST, Response, RpcError
from mcp_tasks.wire.rev_2025_11_25.server import SessionServer
from mcp_tasks.wire.rev_2025_11_25.sessions import Attempt, Session

PURPOSE = "2025-11-25 input request"


REPEAT_AFTER = timedelta(minutes=1)
"""After this long a request that only looks is made anew: its stream may have died with it."""


class OutgoingRequest(NamedTuple):
    """A request; the digest names it to the stream that carries it."""

    digest: str
    request: Mapping[str, JSON]

    @classmethod
    def of(cls, request: Mapping[str, JSON]) -> Self:
        """Return the request with its digest."""
        return cls(digest(request["id"]), request)


class RequestReference(NamedTuple):
    """What the id of a request stands for; session and input request are named by their digests."""

    session: str
    task_id: str
    input_request: str
    step: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivery:
    """The way of one input request of a task to one session; both are named by their digests."""

    server: SessionServer
    caller: Caller
    task: Task
    session: str
    input_request: str

    @classmethod
    def to(cls, server: SessionServer, caller: Caller, session: Session, task: Task, key: str) -> Self:
        """Return the way of the input request with this key."""
        return cls(server=server, caller=caller, task=task, session=digest(session.id), input_request=digest(key))

    def attempt(self) -> Attempt | None:
        """Return the attempt that it is, if there was any."""
        return self.server.sessions.load_attempt(self.caller, self._name)

    def is_claimable(self, attempt: Attempt) -> bool:
        """Tell whether a stream that comes along may make a request now."""
        if attempt.not_before is not None:
            return self.server.tasks.now() >= attempt.not_before
        return attempt.stream is None or not self.server.sessions.is_open(self.caller, attempt.stream)

    def claim(self, attempt: Attempt, stream: str) -> Attempt | None:
        """Return what this stream carries of the way, which it takes up if it is free."""
        carried = self.start(attempt, stream) if self.is_claimable(attempt) else attempt
        return carried if carried is not None and carried.stream == stream else None

    def start(self, before: Attempt, stream: str, **changes: Any) -> Attempt | None:
        """Begin a attempt on a stream; returns None if somebody else was faster."""
        named = replace(before, **changes)
        again = None if named.client_task is None else self.server.tasks.now() + REPEAT_AFTER
        taken = replace(named, attempt=before.attempt + 1, stream=stream, not_before=again)
        attempt = replace(taken, request_id=self._request_id(taken))
        return attempt if self._keep(attempt) else None

    def schedule_next(self, before: Attempt, **changes: Any) -> None:
        """Let the next stream to come along begin a attempt, unless somebody else was faster."""
        self._keep(replace(before, attempt=before.attempt + 1, stream=None, request_id=None, **changes))

    def _keep(self, attempt: Attempt) -> bool:
        return self.server.sessions.save_attempt(self.caller, self._name, attempt, self.task.expires_at)

    def _request_id(self, attempt: Attempt) -> str:
        # Short words: an id of more than 256 characters would not be read when it comes back.
        value = {"way": self._name, "turn": attempt.attempt} | ({} if attempt.step is None else {"step": attempt.step})
        lifetime = self.task.expires_at - self.server.tasks.now() + LATE_RESPONSES
        return self.server.signer.sign(value, purpose=PURPOSE, owner_key=self.caller.owner_key, lifetime=lifetime)

    @property
    def _name(self) -> str:
        return f"{self.session}:{self.task.id}:{self.input_request}"


def reference_of(server: SessionServer, caller: Caller, response: Response) -> RequestReference:
    """Return what the id of a response names; raises `RpcError`."""
    try:
        value = server.signer.verify(str(response.id), purpose=PURPOSE, owner_key=caller.owner_key)
    except BadSignature as error:
        raise RpcError(INVALID_REQUEST, "Nothing was asked by a request with this id.") from error
    session, task_id, input_request = value["way"].split(":")
    return RequestReference(session, task_id, input_request, value.get("step"))


def digest(text: str) -> str:
    """Return a short name for what has a long one."""
    return hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()[:12]
