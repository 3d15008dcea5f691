"""Speaks revision 2026-07-28, in which each request carries its envelope."""

import json
from collections.abc import Sequence
from contextlib import nullcontext
from random import Random
from typing import Any, ClassVar

from mcp_tasks.testing.replies import Reply
from tests.fuzz.grammar import Grammar
from tests.fuzz.speaker import Memory, checkable, with_arguments
from tests.protocol.harness import Harness
from tests.protocol.rev_2026_07_28.checked import Checked
from tests.protocol.rev_2026_07_28.client import (
    ABLE,
    CAPABILITIES,
    CLIENT,
    KNOWS_TASKS,
    LOG_LEVEL,
    NAME,
    VERSION,
    Client,
    routing_headers,
)
from tests.protocol.rev_2026_07_28.official import CORE, TASKS


class Fuzzed(Checked):
    """Validates what can be."""

    def check(self, reply: Reply) -> None:
        known = checkable(reply, self.requests)
        if known.messages:
            super().check(known)


class Speaker:
    """Sends requests; most of them with the envelope and the headers that belong to them."""

    requests: ClassVar[Sequence[str]] = (
        *("CallToolRequest",) * 10,
        *("DiscoverRequest", "ListToolsRequest"),
        *("CompleteRequest", "GetPromptRequest", "ListPromptsRequest", "ListResourcesRequest"),
        *("ListResourceTemplatesRequest", "ReadResourceRequest", "SubscriptionsListenRequest"),
        *("GetTaskRequest", "UpdateTaskRequest", "UpdateTaskRequest", "CancelTaskRequest"),
    )

    def __init__(self, harness: Harness, random: Random) -> None:
        self.harness, self.memory = harness, Memory()
        self._random = random
        self._grammars = [Grammar(each.definitions, random, self.memory.of) for each in (CORE, TASKS)]
        self._client = Client(harness, checked=Fuzzed)

    def message(self) -> dict[str, Any]:
        """Return a request."""
        name = self._random.choice(self.requests)
        grammar = next(each for each in self._grammars if each.has(name))
        message: dict[str, Any] = grammar.draw(name)
        params = message.setdefault("params", {})
        # The envelope in the schemas has whatever version and capabilities.
        if isinstance(params, dict) and self._random.random() < 0.9:
            params["_meta"] = self._envelope()
        return with_arguments(message, grammar, self._random)

    def send(self, body: bytes | dict[str, Any]) -> Reply:
        """POST a message, in a stage whose tasks run at once or not at all."""
        sent = body if isinstance(body, bytes) else json.dumps(body).encode()
        with self.harness.at_work() if self._random.random() < 0.5 else nullcontext():
            return self._client.post(sent, **self._headers(sent))

    def _envelope(self) -> dict[str, Any]:
        choose = self._random.choice
        return {
            VERSION: NAME,
            CAPABILITIES: choose(({}, ABLE, ABLE, KNOWS_TASKS)),
            CLIENT: {"name": "fuzzer", "version": "1"},
            **choose(({}, {}, {LOG_LEVEL: "debug"}, {"progressToken": choose((1, "a"))})),
        }

    def _headers(self, body: bytes) -> dict[str, Any]:
        """Return the headers that repeat fields of a request, as far as it has them."""
        try:
            named = routing_headers(json.loads(body))
            headers = {name: str(value).encode("latin-1", "replace").decode("latin-1") for name, value in named.items()}
        except (ValueError, RecursionError, TypeError, KeyError, AttributeError):
            headers = {}
        return {"mcp_protocol_version": NAME} | headers if self._random.random() < 0.95 else {}
