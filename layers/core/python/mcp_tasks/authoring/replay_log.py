"""What a run from the top is given of the runs before it: the answers by key, and what steps recorded by name."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from mcp_tasks.authoring.control_signals import InputNeeded, NonDeterminismError
from mcp_tasks.tasks.model import JSON, InputRequest

A = TypeVar("A")


@dataclass(slots=True, kw_only=True)
class ReplayLog(Generic[A]):
    """One run's part; `asked` are the keys that earlier runs asked, in their order."""

    responses: dict[str, A] = field(default_factory=dict)
    steps: dict[str, JSON] = field(default_factory=dict)
    requested: list[str] = field(default_factory=list)
    _now: list[str] = field(default_factory=list, init=False)

    def request_input(self, input_requests: Sequence[InputRequest]) -> list[A]:
        """Return the responses; raises `InputNeeded` with the requests that have none, and `NonDeterminismError`."""
        self._now += [input_request.key for input_request in input_requests]
        # Each run asks what the one before it asked, and then perhaps more.
        for before, now in zip(self.requested, self._now, strict=False):
            if before != now:
                raise NonDeterminismError(before, now)
        missing = [input_request for input_request in input_requests if input_request.key not in self.responses]
        if missing:
            self.requested = self._now
            raise InputNeeded(missing)
        return [self.responses[input_request.key] for input_request in input_requests]

    @property
    def requested_so_far(self) -> tuple[str, ...]:
        """The keys of what this run asked, answered or not."""
        return tuple(self._now)

    def step(self, name: str, run: Callable[[], JSON]) -> JSON:
        """Return what the step recorded, running it if it has not."""
        if name not in self.steps:
            self.steps[name] = as_json(run(), name)
        return self.steps[name]


def as_json(value: object, step: str) -> JSON:
    """Return the value as it will be replayed, so that the first run sees no other; raises `TypeError`."""
    try:
        return json.loads(json.dumps(value, allow_nan=False))
    except (TypeError, ValueError) as error:
        raise TypeError(f"step {step} must return JSON: {error}") from error
