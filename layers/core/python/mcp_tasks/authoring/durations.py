"""Checks of durations that an author writes."""

from datetime import timedelta


def check_durations(owner: str, *, longest: timedelta = timedelta.max, **durations: object) -> None:
    """Raise `TypeError` for a duration that is no `timedelta`, and `ValueError` for a negative or too long one."""
    for name, duration in durations.items():
        if not isinstance(duration, timedelta):
            raise TypeError(f"{owner}: {name} is a timedelta, such as timedelta(seconds=10), not {duration!r}")
        if duration < timedelta():
            raise ValueError(f"{owner}: {name} cannot be negative, as {duration} is")
        if duration > longest:
            raise ValueError(f"{owner}: {name} can be {longest.days:,} days at most, not {duration}")
