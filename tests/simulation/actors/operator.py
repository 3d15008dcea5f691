"""The operator, who changes the plans of tenants, and suspends and restores them, in mid story."""

from collections.abc import Callable
from typing import ClassVar, Final

from tests.kit import ADA, EVE
from tests.simulation.actors import Actor, Moves, Weights
from tests.simulation.plans import LIMITS, draw_plan
from tests.simulation.world import World

TENANTS: Final = (ADA.tenant, EVE.tenant)


class Operator(Actor):
    """Who runs `make tenant`.

    Where there is no sweep, it `raises` no number of running tasks: nobody would hear of the free slots.
    """

    kind = "operator"
    weights: ClassVar[Weights] = {"changes a plan": 1, "suspends a tenant": 1, "restores a tenant": 4}

    def __init__(self, world: World, *, raises: bool) -> None:
        self.world = world
        self.raises = raises

    def moves(self) -> Moves:
        draw, plans = self.world.random.choice, self.world.plans
        suspended = [tenant for tenant in TENANTS if plans.of(tenant).suspended]
        moves: dict[str, Callable[[], object]] = {
            "changes a plan": lambda: self.change(draw(TENANTS)),
            "suspends a tenant": lambda: self._set(draw(TENANTS), suspended=True),
        }
        if suspended:
            moves["restores a tenant"] = lambda: self._set(draw(suspended), suspended=False)
        return moves

    def change(self, tenant: str) -> None:
        """Give a tenant another plan, served as it is."""
        plan, before = draw_plan(self.world.random), self.world.plans.of(tenant)
        names = ("active_tasks", "running_tasks", "subject_share", "burst", *LIMITS)
        fields = {name: getattr(plan, name) for name in names}
        if not self.raises:
            fields |= {"running_tasks": min(plan.running_tasks, before.running_tasks)}
            fields |= {"subject_share": min(plan.subject_share, before.subject_share)}
        self._set(tenant, **fields)

    def _set(self, tenant: str, **fields: object) -> None:
        self.world.plans.change(tenant, **fields)
        said = ", ".join(f"{name} {value}" for name, value in fields.items() if value is not None)
        self.world.trace.say(f"  {tenant}: {said}")
