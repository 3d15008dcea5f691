"""Speaks revision 2025-11-25, in one session."""

import json
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from random import Random
from typing import Any, ClassVar, Final

from mcp_tasks.testing.replies import Reply
from tests.fuzz.grammar import Grammar
from tests.fuzz.speaker import Memory, checkable, with_arguments
from tests.protocol.harness import Harness
from tests.protocol.rev_2025_11_25.checked import Checked
from tests.protocol.rev_2025_11_25.client import Client
from tests.protocol.rev_2025_11_25.official import SCHEMA

RESULTS: Final = ("ElicitResult", "CreateMessageResult", "ListRootsResult")


CANCELLED: Final = "The task was cancelled: there is no result."
"""What `tasks/result` answers then has the code that the TypeScript SDK gives it (A-TASK-29)."""


class Fuzzed(Checked):
    """Validates what can be."""

    def check(self, reply: Reply) -> None:
        super().check(checkable(reply, self.requests, [CANCELLED]))

    def _record_request(self, message: Mapping[str, Any]) -> None:
        declared = self._capabilities
        super()._record_request(message)
        # Those of a session that a drawn message begins are not this one's.
        self._capabilities = declared or self._capabilities


class Speaker:
    """Sends requests, notifications and responses; most of them with its session, some without."""

    requests: ClassVar[Sequence[str]] = (
        *("CallToolRequest",) * 12,
        *("ListToolsRequest", "InitializeRequest"),
        *("CompleteRequest", "GetPromptRequest", "ListPromptsRequest", "PingRequest", "SetLevelRequest"),
        *("ListResourcesRequest", "ListResourceTemplatesRequest", "ReadResourceRequest", "SubscribeRequest"),
        *("UnsubscribeRequest", "GetTaskRequest", "GetTaskPayloadRequest", "ListTasksRequest", "CancelTaskRequest"),
        *("InitializedNotification", "CancelledNotification", "ProgressNotification", "RootsListChangedNotification"),
    )

    def __init__(self, harness: Harness, random: Random) -> None:
        self.harness, self.memory = harness, Memory()
        self._random = random
        self._grammar = Grammar(SCHEMA.definitions, random, self.memory.of)
        self._client = Client(harness, checked=Fuzzed)
        self._client.initialize({"elicitation": {}, "sampling": {}, "roots": {}})
        self._client.checked.forget()

    def message(self) -> dict[str, Any]:
        """Return a message; some are responses to what the server asked."""
        asked = [each["id"] for each in self._client.received if "id" in each]
        if asked and self._random.random() < 0.2:
            result = self._grammar.draw(self._random.choice(RESULTS))
            return {"jsonrpc": "2.0", "id": self._random.choice(asked), "result": result}
        message: dict[str, Any] = self._grammar.draw(self._random.choice(self.requests))
        return with_arguments(message, self._grammar, self._random)

    def send(self, body: bytes | dict[str, Any]) -> Reply:
        """POST a message, in a stage whose tasks run at once or not at all."""
        sent = body if isinstance(body, bytes) else json.dumps(body).encode()
        session: Any = {} if self._random.random() < 0.95 else {"mcp_session_id": self._random.choice((None, "x"))}
        with self.harness.at_work() if self._random.random() < 0.5 else nullcontext():
            return self._client.post(sent, **session)
