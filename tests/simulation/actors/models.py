"""Hosts that know nothing of tasks: their models wait for them, cancel and list them by the built-in tools."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, ClassVar, Final

from tests.kit import ADA, BOB, EVE
from tests.simulation.actors import Actor, Moves, Weights
from tests.simulation.actors.client import is_ours
from tests.simulation.actors.client_2026 import Client2026
from tests.simulation.laws.calls import Calls
from tests.simulation.laws.shown import Ledger
from tests.simulation.laws.task_tools import check_cancelled, check_listed, check_result
from tests.simulation.laws.versions_shown import check_plain
from tests.simulation.world import World

CALLERS: Final = (ADA, BOB, EVE)

WAITS: Final = (0, 1, 3, 20)
"""For how many seconds a model waits at the most."""


@dataclass(kw_only=True)
class Model(Client2026):
    """The model of one caller."""

    def wait(self, task_id: str) -> None:
        """Wait for the result of a task."""
        ended = self.world.store.is_over(task_id, behind=self.world.skew)
        seconds = self.world.random.choice(WAITS)
        result = self._use("task_result", {"task_id": task_id, "wait_seconds": seconds})
        if result is not None:
            check_result(self.world, self.caller, task_id, result, had_ended=ended)

    def stop(self, task_id: str) -> None:
        """Cancel a task."""
        self.ledger.unwanted.add(task_id)
        result = self._use("task_cancel", {"task_id": task_id})
        if result is not None:
            check_cancelled(self.world, task_id, result)

    def list_all(self) -> None:
        """List all tasks, page by page."""
        before = [task_id for task_id in self.ledger.tasks_of(self.owner_key) if self.ledger.lives(task_id)]
        listed: list[str] = []
        more: dict[str, Any] = {"limit": self.world.random.choice([1, 2, 50])}
        while more:
            page = self._use("task_list", more)
            if page is None or "tasks" not in page.get("structuredContent", {}):
                return
            for shown in page["structuredContent"]["tasks"]:
                listed.append(shown["task_id"])
                self.ledger.accept(self.owner_key, shown["task_id"])
                check_listed(self.world, self.caller, shown)
            cursor = page["structuredContent"].get("next_cursor")
            more = cursor and {**more, "cursor": cursor}
        self.ledger.check_listed(listed, before)

    def pry(self, tool: str) -> None:
        """Ask for somebody else's task: it looks exactly like no task."""
        other = self.task(others=True)
        if other is None:
            return
        said = [self._use(tool, {"task_id": task_id}) for task_id in (other, other[::-1])]
        texts = [result and result.get("content") and result["content"][0]["text"] for result in said]
        alike = None in texts or texts[0].replace(other, "?") == texts[1].replace(other[::-1], "?")
        self.world.demand(alike, f"{tool} discloses to {self.name} that there is {self.world.trace.name(other)}")

    def _use(self, tool: str, arguments: dict[str, Any]) -> Any:
        """Return the result of a built-in tool, None where there is none."""
        self.world.trace.say(f"  {tool} {self.world.trace.name(arguments.get('task_id', 'all'))}")
        message = self.use(tool, arguments, declares=False)
        if message and "error" in message and not is_ours(message) and "task_id" in arguments:
            check_plain(self.world, [arguments["task_id"]], message)
        return message.get("result") if message else None


@dataclass
class Models(Actor):
    """The models of all callers of a story."""

    kind: ClassVar[str] = "model"
    weights: ClassVar[Weights] = {"calls": 4, "waits": 8, "stops": 1, "lists": 3, "pries": 2}
    lasts: ClassVar[bool] = False
    world: World
    ledger: Ledger
    calls: Calls
    models: list[Model] = field(init=False)

    def __post_init__(self) -> None:
        about: dict[str, Any] = {"world": self.world, "ledger": self.ledger, "calls": self.calls}
        self.models = [Model(caller=caller, owner=caller.subject, **about) for caller in CALLERS]

    def moves(self) -> Moves:
        draw = self.world.random.choice
        model = draw(self.models)
        moves: dict[str, Callable[[], object]] = {
            "calls": lambda: model.call(draw(model.called), declares=False),
            "lists": model.list_all,
            "pries": lambda: model.pry(draw(["task_result", "task_cancel"])),
        }
        if (task_id := model.task()) is not None:
            moves |= {"waits": lambda: model.wait(task_id), "stops": lambda: model.stop(task_id)}
        return moves
