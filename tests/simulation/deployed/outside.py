"""What a process finds outside of itself, whatever its release."""

from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from typing import Any, Protocol

Taken = tuple[str, str, int, int]
"""What is taken from a bucket: its owner and its name, how much, and how much it has to hold at the least."""

Effect = Callable[[Any, str], Callable[[], int]]
"""Returns what a step of a run, by its context, does in the world: an effect recorded under a number of its own."""


class Outside(Protocol):
    """The world as a process sees it; what a release needs of its own is made of this in `ports`."""

    @property
    def clock(self) -> Any:
        """What time it is."""

    @property
    def keys(self) -> Any:
        """The signing keys, which are text and bytes."""

    @property
    def held_waits(self) -> Any:
        """How many connections each tenant holds, which are numbers and text."""

    @property
    def dynamodb(self) -> Any:
        """The client of the table; None where tasks are in memory."""

    @property
    def counted_dynamodb(self) -> Any:
        """The same whose calls meet no faults, for what the world counts as well."""

    @property
    def objects(self) -> Any:
        """The client of S3, whose calls meet faults; of no use where tasks are in memory."""

    @property
    def states(self) -> Any:
        """The client of Step Functions, whose calls meet faults."""

    @property
    def invocations(self) -> Any:
        """The client of Lambda, whose calls meet faults; None where each task has an execution."""

    @property
    def memory(self) -> Any:
        """The ports of a process whose tasks are in memory."""

    def faulty(self, port: Any) -> Any:
        """Return a port of the store whose calls meet faults."""

    def limits_of(self, tenant: str) -> Mapping[str, Any]:
        """Return the fields of a tenant's plan."""

    def take(self, taken: Taken, rate: tuple[float, float], take: Callable[[], datetime | None]) -> Any:
        """Take from a bucket by `take`, and count: the rate and the burst are those of the bucket."""

    def pause(self, at_most: timedelta) -> None:
        """Let time pass, and others act."""

    def send(self, message: Mapping[str, Any], send: Callable[[Any], Mapping[str, Any]]) -> Mapping[str, Any]:
        """Send a message to the host of runs by `send`, in an invocation that meets faults."""
