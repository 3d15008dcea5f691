"""Counts the state transitions of an execution, of which Step Functions makes its bill."""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any


def transitions(history: Iterable[Mapping[str, Any]]) -> int:
    """Return how many an execution took by the events of its history: its start, each state entered, and each retry."""
    kinds = Counter(str(event["type"]) for event in history)
    entered = sum(count for kind, count in kinds.items() if kind.endswith("StateEntered"))
    return kinds["ExecutionStarted"] + entered + kinds["TaskScheduled"] - kinds["TaskStateEntered"]
