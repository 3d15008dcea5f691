"""Durations and points in time as both revisions write them in JSON."""

from datetime import datetime, timedelta


def milliseconds(duration: timedelta) -> int:
    """Return a duration as the whole milliseconds that it holds."""
    return int(duration / timedelta(milliseconds=1))


def timestamp(moment: datetime) -> str:
    """Return a UTC time in ISO 8601, to the millisecond: `2026-07-28T12:00:00.000Z`."""
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")
