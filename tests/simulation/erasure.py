"""An operator erases a tenant, whatever of its work is under way: nothing of it is left, and nothing comes back."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from local.tenant_data import QUIET, TenantData
from mcp_tasks.adapters.dynamodb.plan_items import PlanItems
from mcp_tasks.adapters.dynamodb.table import Table
from mcp_tasks.security.tenancy import tenant_of
from mcp_tasks.tasks.named_plans import Grant
from tests.simulation.actors.approver import Approvers
from tests.simulation.actors.client import Client
from tests.simulation.actors.operator import Operator
from tests.simulation.actors.state_machine import StateMachine, attempt
from tests.simulation.deployed.functions import Functions

if TYPE_CHECKING:
    from tests.simulation.world import World

OFTEN: Final = 5
"""After so many attempts that died it is erased by one that does not."""


@dataclass(slots=True)
class Erasure:
    """Who is erased in a world, if anybody."""

    world: "World"
    machine: StateMachine

    def erase_one(self, clients: Sequence[Client]) -> list[Any]:
        """Erase the tenant of one of the clients, and return the clients of others."""
        self.world.erased = tenant_of(self.world.random.choice(clients).owner_key)
        # Nobody restores it meanwhile, and nobody of it is there.
        gone = (Operator, Approvers)
        owned = [each for each in clients if self.spares(each.owner_key)]
        others = [each for each in self.world.actors if not isinstance(each, (*gone, Client))]
        self.world.actors = [*owned, *others]
        self.erase(self.world.erased)
        return owned

    def spares(self, owner_key: str) -> bool:
        """Return whether an owner is not erased."""
        return tenant_of(owner_key) != self.world.erased

    def erase(self, tenant: str) -> None:
        """Suspend a tenant and erase it, again where the process dies; then all comes that its runs ever sent."""
        self.world.trace.count("erased: a tenant")
        self.world.plans.change(tenant, suspended=True)
        plans = PlanItems(table=self._table(self.world.dynamodb))
        plans.write(tenant, Grant(suspended=True), replacing=0)
        self.world.clock.advance(QUIET)
        rate = self.world.rate
        for number in range(OFTEN + 1):
            if number == OFTEN:
                self.world.rate = 0
                self.world.long_outages.end()
            if attempt(self.world, lambda does: self._erase(does, tenant, plans)):
                break
        self.world.rate = rate
        for message in list(self.world.run_tickets.messages):
            self.machine.write_late(message)
        self.nothing_is_left()

    def nothing_is_left(self) -> None:
        """Demand that nothing is stored of who was erased."""
        if self.world.bucket is None or self.world.dynamodb is None:
            return
        keys = [(item["PK"]["S"], item["SK"]["S"]) for item in self.world.dynamodb.items.all()]
        left = [f"{owner} {name}" for owner, name in keys if not self.spares(owner)]
        left += [key for key in self.world.bucket.objects if not self.spares(key.partition("/")[0])]
        self.world.demand(not left, f"{self.world.erased} is erased, and left is {', '.join(left)}")

    def _erase(self, does: Functions, tenant: str, plans: PlanItems) -> None:
        process = self.world.running[-1]
        table = self._table(process.dynamodb)
        data = TenantData(tenant=tenant, table=table, tasks=does.tasks(), s3=self.world.bucket, bucket="payloads")
        erased = data.erase(plans)
        self.world.trace.say(f"  {tenant}: {dict(erased.items)}, {erased.cancelled} cancelled")

    def _table(self, client: Any) -> Table:
        return Table(client=client, name="tasks", clock=self.world.clock)
