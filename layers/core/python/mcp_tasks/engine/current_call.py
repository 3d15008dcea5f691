"""What is to be said of the request that a thread serves, in the one record that the endpoint logs of it."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar

_NOTED: ContextVar[dict[str, str | int] | None] = ContextVar("current_call", default=None)


@contextmanager
def noting() -> Iterator[Mapping[str, str | int]]:
    """Give what is noted of a request until the block ends."""
    noted: dict[str, str | int] = {}
    token = _NOTED.set(noted)
    try:
        yield noted
    finally:
        _NOTED.reset(token)


def note(**fields: str | int) -> None:
    """Note fields of the current request, if there is one; what is noted last counts.

    They are read by operators and kept for weeks: no text of a client or a tool, no token, and no subject.
    """
    if (noted := _NOTED.get()) is not None:
        noted.update(fields)
