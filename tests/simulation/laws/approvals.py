"""What must hold of approvals: who decides, how many accept, and that the inbox is what tasks wait for, and no more."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from mcp_tasks.security.tenancy import Caller, tenant_of
from mcp_tasks.tasks.inbox import Decisions, InboxItem, items_of
from mcp_tasks.tasks.model import InputResponse

if TYPE_CHECKING:
    from tests.simulation.world import World


@dataclass(slots=True)
class Approvals:
    """All that was ever asked of others in a world, and who was told that it is noted."""

    world: "World"
    accepted: defaultdict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    """The subjects who were told that they have accepted, by what they accepted."""
    decided: dict[str, Decisions] = field(default_factory=dict)
    changes: int = 0
    responses: int = 0
    _asked: dict[str, InboxItem] = field(default_factory=dict)
    _waits: dict[str, dict[str, InboxItem]] = field(default_factory=dict)

    @property
    def asked(self) -> Mapping[str, InboxItem]:
        """All that was ever asked, also in the move that is being made, by how an inbox names it."""
        changes = self.world.store.changes
        for change in changes[self.changes :]:
            asks = {} if change.after is None else {each.id: each for each in items_of(change.owner_key, change.after)}
            self._asked |= asks
            self._waits[change.task.id] = asks
        self.changes = len(changes)
        return self._asked

    @property
    def waiting(self) -> set[str]:
        """What tasks wait for, and there is time left to decide."""
        assert self.asked is self._asked
        now = self.world.clock.now()
        return {name for asks in self._waits.values() for name, item in asks.items() if item.deadline > now}

    # --- for those who decide

    def name(self, item_id: str) -> str:
        """Return how the trace calls it."""
        item = self.asked[item_id]
        return f"{self.world.trace.name(item.task_id)} {item.input_request.key}"

    def listed(self, caller: Caller, ids: list[str]) -> None:
        """Demand that nobody is shown something twice, or what others have to decide."""
        self.world.demand(len(set(ids)) == len(ids), f"{caller.subject} is shown an approval twice")
        for each in ids:
            self.world.demand(self._is_entitled(caller, each), f"{caller.subject} is shown {self.name(each)}")

    def noted(self, caller: Caller, item_id: str, action: str) -> None:
        """Take that the server told somebody that a decision is noted."""
        entitled = self._is_entitled(caller, item_id)
        self.world.demand(entitled, f"{caller.subject} decides {self.name(item_id)}")
        if action == "accept":
            self.accepted[item_id].add(caller.subject)

    # --- what must hold

    def after_a_move(self) -> None:
        """Demand what must hold at any time."""
        store = self.world.store
        names = {(item.task_id, item.input_request.key): name for name, item in self.asked.items()}
        for task_id, key, response in store.responses[self.responses :]:
            if (task_id, key) in names:
                self.decided[names[task_id, key]] = response.decisions
                self._lawful(names[task_id, key], response)
        self.responses = len(store.responses)
        self._inbox()
        self._remembered()

    def _lawful(self, item_id: str, response: InputResponse) -> None:
        """Demand that an answer is that of as many as had to accept, or of one who did not."""
        if response.result is None:
            return
        item, name, demand = self.asked[item_id], self.name(item_id), self.world.demand
        everybody: list[Any] = [each.subject for each in response.decisions]
        accepted = [each.subject for each in response.decisions if each.action == "accept"]
        demand(bool(everybody), f"{name} is answered, and nobody decided it")
        # Who has accepted may decline.
        demand(len(set(accepted)) == len(accepted), f"{name} is accepted by one person twice: {', '.join(accepted)}")
        enough = len(accepted) == item.approval.quorum or response.result["action"] != "accept"
        demand(enough, f"{name} is accepted by {len(accepted)} of {item.approval.quorum}")
        demand(len(accepted) >= len(everybody) - 1, f"{name} goes on after somebody declined")
        for subject in everybody:
            caller = Caller(tenant=tenant_of(item.owner_key), subject=subject)
            demand(self._is_entitled(caller, item_id), f"{subject} decides {name}")

    def _remembered(self) -> None:
        """Demand that everybody who was told so is among those who accepted, as long as anything is known of it."""
        stored = {name: item.accepted for name, (_, item) in self.world.store.inbox_items().items()}
        for item_id, told in self.accepted.items():
            # Nothing is, of what was asked in vain.
            known = self.decided.get(item_id) or stored.get(item_id)
            if known is not None:
                lost = ", ".join(sorted(told - {each.subject for each in known if each.action == "accept"}))
                self.world.demand(not lost, f"{self.name(item_id)}: nobody knows that {lost} accepted")

    def _inbox(self) -> None:
        """Demand that the inbox holds exactly what tasks wait for, as long as there is time to decide it."""
        stored, waiting, now = self.world.store.inbox_items(), self.waiting, self.world.clock.now()
        for item_id, (_, item) in stored.items():
            left = item_id in waiting or item.deadline <= now
            self.world.demand(left, f"{self.name(item_id)} is left in the inbox, and nobody waits for it")
        for item_id in waiting:
            right = item_id in stored and stored[item_id][0] == tenant_of(self.asked[item_id].owner_key)
            self.world.demand(right, f"{self.name(item_id)} is not in the inbox of its tenant")

    def _is_entitled(self, caller: Caller, item_id: str) -> bool:
        """Return whether a caller may decide something, which in a story anyone of the tenant may but the asker."""
        item = self.asked[item_id]
        is_asker = item.owner_key == caller.owner_key
        is_of_tenant = tenant_of(item.owner_key) == caller.tenant
        return is_of_tenant and not (is_asker and item.approval.audience.not_asker)
