"""The official clients, one after another, each as a process of its own; none of them tries again what failed."""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from itertools import cycle, product
from typing import Any, Final

from local.stack import Stack
from mcp_tasks.engine.execution_outcomes import REASONS
from tests.clients.expected import MODES
from tests.clients.programs import Endpoint, node, python
from tests.soak.background import Background
from tests.soak.faults import Faults

PROGRAMS: Final[Mapping[str, Callable[..., Any]]] = {
    "Python 2": partial(python, "client_v2", "python_v2"),
    "TypeScript": partial(node, "typescript_v2"),
    "TypeScript's tasks": partial(node, "ext_tasks"),
}
"""Each is told how to use a revision."""


@dataclass(slots=True, kw_only=True)
class OfficialClients(Background):
    """Runs them until it is told to end.

    Of those that `failed`, one beside which there was no fault is `wrong`, and one that was told that a task failed.
    """

    stack: Stack
    faults: Faults
    counted: Counter[str] = field(default_factory=Counter)
    failed: list[tuple[datetime, datetime, str, str]] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)

    def end(self) -> None:
        """Let the last one end, and look which faults were beside those that failed."""
        Background.end(self)
        for began, ended, name, why in self.failed:
            told_wrongly = any(reason in why for reason in REASONS.values())
            if self.faults.beside(began, ended) and not told_wrongly:
                self.counted[f"{name}: failed beside a fault"] += 1
            else:
                self.wrong.append(f"{name} failed: {why[-300:]}")

    def run(self) -> None:
        """Run one after another."""
        for number, ((client, program), (revision, mode)) in enumerate(cycle(product(PROGRAMS.items(), MODES.items()))):
            if self.ends.is_set():
                return
            name = f"{client}, {revision}"
            endpoint = Endpoint(url=self.stack.url, token=self.stack.token("acme", f"official-{number}"))
            began = datetime.now(UTC)
            try:
                program(endpoint, mode)
            except Exception as error:  # noqa: BLE001  # a process that failed, or took too long
                self.failed.append((began, datetime.now(UTC), name, str(error)))
            else:
                self.counted[f"{name}: done"] += 1
