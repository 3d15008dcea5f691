"""Who speaks one revision to a server with all features, and learns from the answers what means something to it."""

import json
from collections import defaultdict
from collections.abc import Container, Sequence
from dataclasses import replace
from random import Random
from typing import Any, ClassVar, Protocol

from mcp_tasks.engine.operations import INTERNAL_ERROR
from mcp_tasks.testing.replies import Reply
from tests.fuzz.grammar import Grammar
from tests.protocol.all_features import ALL
from tests.protocol.harness import Harness

REMEMBERED = 12
"""How many values of a kind a speaker knows at a time."""

LEARNED = frozenset({"taskId", "nextCursor", "requestState", "uri"})


class Speaker(Protocol):
    """Sends messages as one client of a revision."""

    requests: ClassVar[Sequence[str]]
    """The names of its requests in the official schema."""

    harness: Harness
    memory: "Memory"

    def __init__(self, harness: Harness, random: Random) -> None:
        """Connect as a new client."""

    def message(self) -> dict[str, Any]:
        """Return a message that is valid by the schema."""

    def send(self, body: bytes | dict[str, Any]) -> Reply:
        """Send a message, or what was made of one; fails where the reply is not valid by the schema."""


def checkable(reply: Reply, known: Container[str], allowed: Container[str] = ()) -> Reply:
    """Return what can be validated of a reply: errors, and results of known requests; fails where the server failed.

    `allowed` are the messages of errors that have the code of an internal error and are none.
    """
    assert reply.status < 500, f"status {reply.status}"
    errors = [message["error"] for message in reply.messages if "error" in message]
    internal = [error for error in errors if error["code"] == INTERNAL_ERROR and error["message"] not in allowed]
    assert not internal, f"internal errors: {internal}"
    messages = [each for each in reply.messages if "result" not in each or json.dumps(each["id"]) in known]
    return replace(reply, messages=messages)


class Memory:
    """What a speaker knows to mean something to the server, by the names of fields."""

    def __init__(self) -> None:
        self._values: dict[str, list[Any]] = defaultdict(list)
        tools = [tool.name for tool in ALL.tools]
        self._values |= {
            "name": [*tools, *(prompt.name for prompt in ALL.prompts)],
            "uri": [resource.uri for resource in ALL.resources],
        }

    def of(self, field: str) -> Sequence[Any]:
        """Return the values of a field."""
        return self._values[{"cursor": "nextCursor"}.get(field, field)]

    def learn(self, value: Any) -> None:
        """Learn from a reply."""
        if isinstance(value, list):
            for each in value:
                self.learn(each)
        if isinstance(value, dict):
            for name, each in value.items():
                if name in LEARNED and each not in self._values[name]:
                    self._values[name] = [*self._values[name], each][-REMEMBERED:]
                if name == "inputRequests" and isinstance(each, dict):
                    self._values["inputResponses"] = [*each]
                self.learn(each)


def with_arguments(message: dict[str, Any], grammar: Grammar, random: Random) -> dict[str, Any]:
    """Give the call of a known tool arguments that its schema allows, most times."""
    params: Any = message.get("params")
    tool = ALL.tools.find(params["name"]) if isinstance(params, dict) and isinstance(params.get("name"), str) else None
    if tool is not None and random.random() < 0.8:
        params["arguments"] = grammar.of(tool.work.input_schema)
    return message
