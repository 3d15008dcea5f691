"""A model of Lambda's queue of events for the function that runs tools: a test has them delivered, or loses them."""

import json
from dataclasses import dataclass, field
from typing import Any


@dataclass(slots=True, kw_only=True)
class Events:
    """The client that the executor talks to, and the events that wait."""

    waiting: list[dict[str, Any]] = field(default_factory=list)

    def invoke(self, *, FunctionName: str, InvocationType: str, Payload: bytes) -> dict[str, Any]:
        assert (FunctionName, InvocationType) == ("run_tool", "Event")
        self.waiting.append(json.loads(Payload))
        return {"StatusCode": 202}

    def take(self) -> list[dict[str, Any]]:
        """Return what waits, which waits no longer."""
        taken, self.waiting = self.waiting, []
        return taken
