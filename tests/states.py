"""Definitions of state machines, for tests that make some."""

from typing import Any
from uuid import uuid4


def sequence(*states: Any) -> dict[str, Any]:
    """Return the states, each followed by the next, as the body of a machine, a branch or a processor."""
    names = [f"{state['Type']}{at}-{uuid4()}" for at, state in enumerate(states)]
    following: list[dict[str, Any]] = [*({"Next": name} for name in names[1:]), {"End": True}]
    linked = {name: {**state, **after} for name, state, after in zip(names, states, following, strict=True)}
    return {"StartAt": names[0], "States": linked}
