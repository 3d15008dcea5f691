"""What a run from the top is given of the runs before it: the answers by key, and what steps recorded by name."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from mcp_tasks.authoring.control_signals import AskedOtherwise, Asking
from mcp_tasks.tasks.model import JSON, Question

A = TypeVar("A")


@dataclass(slots=True, kw_only=True)
class Script(Generic[A]):
    """One run's part; `asked` are the keys that earlier runs asked, in their order."""

    answers: dict[str, A] = field(default_factory=dict)
    steps: dict[str, JSON] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    _now: list[str] = field(default_factory=list, init=False)

    def ask(self, questions: Sequence[Question]) -> list[A]:
        """Return the answers; raises `Asking` with the questions that have none, and `AskedOtherwise`."""
        self._now += [question.key for question in questions]
        # Each run asks what the one before it asked, and then perhaps more.
        for before, now in zip(self.asked, self._now, strict=False):
            if before != now:
                raise AskedOtherwise(before, now)
        missing = [question for question in questions if question.key not in self.answers]
        if missing:
            self.asked = self._now
            raise Asking(missing)
        return [self.answers[question.key] for question in questions]

    @property
    def asked_so_far(self) -> tuple[str, ...]:
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
