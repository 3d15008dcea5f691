"""Alarms are evaluated over all that was logged, though the emulator returns no second page."""

import pytest

from tests.soak.alarms import PAGE, events


class Logs:
    """Answers as the emulator does: of what is asked for, the first page."""

    def __init__(self, times: list[int]) -> None:
        self.times = times

    def filter_log_events(
        self, *, startTime: int, endTime: int, limit: int, **_: str
    ) -> dict[str, list[dict[str, int]]]:
        """Return the first events between two times."""
        return {"events": [{"timestamp": at} for at in self.times if startTime <= at <= endTime][:limit]}


def test_more_events_than_a_page_has_are_all_read_once() -> None:
    times = sorted(at * at % 9_973 for at in range(3 * PAGE))

    assert [each["timestamp"] for each in events(Logs(times), "any", 0, 10_000)] == times


def test_what_cannot_be_read_whole_is_said() -> None:
    with pytest.raises(AssertionError, match="more than 10,000 lines of one millisecond"):
        list(events(Logs([7] * PAGE), "any", 0, 10))
