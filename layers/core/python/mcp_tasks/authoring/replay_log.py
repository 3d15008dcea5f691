"""The replay log: the responses and step results that earlier runs of a call recorded."""

import json
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Generic, TypeVar

from mcp_tasks.authoring.control_signals import InputNeeded, NonDeterminismError
from mcp_tasks.tasks.model import JSON, InputRequest

A = TypeVar("A")

AGAIN: Final = "~again-"
"""Marks the key of an input request that was made again, since the response to the first one does not fit any more."""


def next_key(key: str) -> str:
    """Return the key under which an input request is made again: that of the first one, and a number."""
    first, _, number = key.partition(AGAIN)
    return f"{first}{AGAIN}{int(number or 1) + 1}"


@dataclass(slots=True, kw_only=True)
class ReplayLog(Generic[A]):
    """What one run replays: responses by key, step results by name.

    `requested` are the keys of the input requests that earlier runs made, in their order.
    """

    responses: dict[str, A] = field(default_factory=dict)
    steps: dict[str, JSON] = field(default_factory=dict)
    requested: list[str] = field(default_factory=list)
    _now: list[str] = field(default_factory=list, init=False)
    # Of this run alone: logs that say the same are equal.
    _reached: set[str] = field(default_factory=set, init=False, compare=False)

    def request_input(self, input_requests: Sequence[InputRequest]) -> list[A]:
        """Return the responses; raises `InputNeeded` with the requests that have none, and `NonDeterminismError`."""
        self._now += _first([input_request.key for input_request in input_requests])
        # A replay makes the requests of the run before it, and then perhaps more.
        for before, now in zip(_first(self.requested), self._now, strict=False):
            if before != now:
                raise NonDeterminismError(before, now)
        missing = [input_request for input_request in input_requests if input_request.key not in self.responses]
        if missing:
            self.requested = self._now
            raise InputNeeded(missing)
        return [self.responses[input_request.key] for input_request in input_requests]

    @property
    def asks_again(self) -> bool:
        """Whether earlier runs made input requests that this run has not come to."""
        return len(_first(self.requested)) > len(self._now)

    @property
    def requested_so_far(self) -> tuple[str, ...]:
        """The keys of the input requests that this run made, answered or not."""
        return tuple(self._now)

    def go_on(self, *, steps: Mapping[str, JSON], requested: Sequence[str], requested_so_far: Sequence[str]) -> None:
        """Take over what a run recorded that replayed this log elsewhere."""
        self.steps, self.requested, self._now = dict(steps), list(requested), list(requested_so_far)

    def step(self, name: str, run: Callable[[], JSON]) -> JSON:
        """Return the step's recorded result, running it if there is none; raises `TypeError` if it is not JSON."""
        self._reached.add(name)
        if name not in self.steps:
            self.steps[name] = as_json(run(), name)
        return self.steps[name]

    def patched(self, name: str) -> bool:
        """Return what is recorded under the name, recording True unless a run before this one was past here."""
        is_past = self.steps.keys() - self._reached or self.asks_again
        return (name in self.steps or not is_past) and bool(self.step(name, lambda: True))


def _first(keys: Sequence[str]) -> list[str]:
    """Return the keys without those of requests made again: after a rollback the first answers fit once more."""
    return [key for key in keys if AGAIN not in key]


def as_json(value: object, step: str) -> JSON:
    """Return the value as a replay will get it, so that the first run gets the same; raises `TypeError`."""
    if isinstance(value, Coroutine):
        value.close()
        raise TypeError(f"step {step} has an async function: write `await context.step_async(...)`")
    try:
        written = json.loads(json.dumps(value, allow_nan=False))
        # Lambda answers in UTF-8, which has no lone surrogates (of a file name, perhaps): the record could not be sent.
        json.dumps(written, ensure_ascii=False).encode()
    except (TypeError, ValueError) as error:
        raise TypeError(
            f"step {step} must return JSON, to be recorded ({error}): return texts and numbers, such as "
            "moment.isoformat() for a date or a time, or model.model_dump(mode='json')"
        ) from error
    return written
