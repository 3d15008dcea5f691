"""Those whom tasks ask besides their own caller: they list what waits for them, and decide it, at once or twice."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Final

from mcp_tasks.security.tenancy import Caller
from tests.simulation.actors import Actor, Moves, Weights
from tests.simulation.actors.client import RECENT
from tests.simulation.actors.client_2026 import Client2026
from tests.simulation.laws.approvals import Approvals
from tests.simulation.laws.calls import Calls
from tests.simulation.laws.past_approvals import check_past, decided_by
from tests.simulation.laws.shown import Ledger
from tests.simulation.uses import ESCALATES
from tests.simulation.world import World

APPROVERS: Final = {"acme": ("grace", "ida", "kim", "ada", "bob"), "rival": ("mia", "noa", "lea")}
"""Some have no tasks, and some decide what others of their tenant ask."""

ACTING: Final = (("acme", "kim", "ada"), ("acme", "bob", "ida"), ("rival", "lea", "eve"))
"""A subject, and who acts on its behalf, where approvals escalate."""

AT_ONCE: Final = 3
"""Of those who are told of something at the same time, so many decide it, one soon after the other."""

DECLINES: Final = 0.15
"""How often somebody declines."""


@dataclass(kw_only=True)
class Person(Client2026):
    """One person's client, which knows of approvals by the built-in tools alone."""

    approvals: Approvals

    def list_all(self) -> list[str]:
        """List all that waits; return the ids, of which there may be more where a request failed."""
        before = self.approvals.open_to(self.caller)
        known = {item_id: item for item_id, (_, item) in self.world.store.inbox_items().items()}
        listed: list[str] = []
        for page in self._pages({}):
            if page is None:
                return listed
            for each in page:
                self.approvals.shown(self.caller, each, known.get(each["id"]))
                listed.append(each["id"])
        self.approvals.listed(self.caller, listed, before)
        return listed

    def look_back(self) -> None:
        """List what was decided in the last day."""
        before = decided_by(self.approvals, self.caller)
        listed: list[Mapping[str, Any]] = []
        for page in self._pages({"state": "decided"}):
            if page is None:
                return
            listed += page
        check_past(self.approvals, self.caller, listed, before)

    def decide(self, item_id: str, action: str | None = None) -> None:
        """Accept or decline something."""
        action = action or ("decline" if self.world.random.random() < DECLINES else "accept")
        given = self.response("elicitation/create")
        if self.approvals.asked[item_id].question.quorum > 1:
            # A quorum is of one answer.
            given["content"] = {"name": "agreed"}
        given = {"id": item_id, **(given if action == "accept" else {"action": action})}
        self.world.trace.say(f"  {self.owner}: {self.approvals.name(item_id)} {action}")
        self.approvals.tried(self.caller, item_id, action)
        decided = self._use("approval_decide", given)
        if decided is not None:
            text = decided["content"][0]["text"]
            self.world.trace.say(f"  {text}")
            if not decided["isError"]:
                self.approvals.noted(self.caller, item_id, action, decided["structuredContent"])

    def decide_all(self) -> None:
        """Accept all that waits."""
        for item_id in self.list_all():
            self.decide(item_id, "accept")

    def _pages(self, asked: Mapping[str, str]) -> Iterator[list[Mapping[str, Any]] | None]:
        """Yield the approvals of each page, and None for one that is not received, which is the last."""
        cursor: Mapping[str, str] | None = {}
        while cursor is not None:
            page = self._use("approval_list", {**asked, **cursor})
            yield page and page["structuredContent"]["approvals"]
            more = page and page["structuredContent"]["next_cursor"]
            cursor = None if more is None else {"cursor": more}

    def _use(self, tool: str, arguments: Mapping[str, Any]) -> Any:
        """Return the result of a built-in tool, None where there is none."""
        message = self.use(tool, arguments)
        return message.get("result") if message else None


class Approvers(Actor):
    """All who may decide something; while one does, others are eager to."""

    kind = "approver"
    weights: ClassVar[Weights] = {"lists": 3, "decides": 30, "decides an old one": 4, "decides another's": 2}
    lasts: ClassVar[bool] = False

    def __init__(self, world: World, ledger: Ledger, calls: Calls, approvals: Approvals) -> None:
        self.world, self.approvals = world, approvals
        callers = [
            Caller(tenant=tenant, subject=subject) for tenant, subjects in APPROVERS.items() for subject in subjects
        ]
        if ESCALATES in world.uses:
            callers += [Caller(tenant=tenant, subject=each, actor={"sub": actor}) for tenant, each, actor in ACTING]
        about: dict[str, Any] = {"world": world, "ledger": ledger, "calls": calls, "approvals": approvals}
        self.people = [Person(caller=caller, owner=caller.subject, **about) for caller in callers]
        self.being_decided: list[str] = []
        """What somebody decides now who is suspended meanwhile."""

    def moves(self) -> Moves:
        asked, draw = list(self.approvals.asked), self.world.random.choice
        if not asked:
            return {}
        moves: dict[str, Callable[[], object]] = {
            "lists": lambda: self._list(draw(self.people)),
            "decides an old one": lambda: self._decide(draw(asked[-RECENT:])),
            "decides another's": lambda: self._decide(draw(asked[-RECENT:]), others=True),
        }
        if waiting := sorted(self.approvals.waiting):
            moves["decides"] = lambda: self._decide(draw(self.being_decided or waiting), most=AT_ONCE)
        return moves

    def decide_all(self) -> None:
        """Have everybody accept all that waits."""
        for person in self.people:
            person.decide_all()

    def _list(self, person: Person) -> None:
        """Have somebody list what waits, and what was decided."""
        person.list_all()
        person.look_back()

    def _decide(self, item_id: str, *, others: bool = False, most: int = 1) -> None:
        """Have one or more decide the same thing: those of its tenant, or `others`."""
        tenant = self.approvals.asked[item_id].asker.tenant
        able = [each for each in self.people if (each.caller.tenant == tenant) is not others]
        self.being_decided.append(item_id)
        for person in self.world.random.sample(able, self.world.random.randint(1, most)):
            person.decide(item_id)
        self.being_decided.pop()
