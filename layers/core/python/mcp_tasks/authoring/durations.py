"""Checks of durations that an author writes."""

from datetime import timedelta


def check_durations(owner: str, **durations: object) -> None:
    """Raise `TypeError` for a duration that is no `timedelta`, and `ValueError` for a negative one; None is skipped."""
    for name, duration in durations.items():
        if duration is None:
            continue
        if not isinstance(duration, timedelta):
            raise TypeError(f"{owner}: {name} is a timedelta, such as timedelta(seconds=10), not {duration!r}")
        if duration < timedelta():
            raise ValueError(f"{owner}: {name} cannot be negative, as {duration} is")
