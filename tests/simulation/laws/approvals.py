"""What must hold of approvals: who decides, how many accept, and that the inbox is what tasks wait for, and no more."""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from mcp_tasks.limits.waits import BETWEEN_REMINDERS
from mcp_tasks.security.tenancy import Caller
from mcp_tasks.tasks.inbox import Decisions, InboxItem, audience_of, items_of
from mcp_tasks.tasks.model import InputResponse, Task
from tests.simulation.deployed.questions import QUESTIONS
from tests.simulation.history import Change
from tests.simulation.laws.people import Asked, people_of
from tests.simulation.reckoning import SOON, deadline

if TYPE_CHECKING:
    from tests.simulation.world import World

Request = tuple[str, str]
"""What a task asks under a key, of all its audiences."""

MOST_REMINDERS: Final = 20


class Tried(NamedTuple):
    """What a subject decides, and who acts on its behalf."""

    subject: str
    action: str
    actor: Mapping[str, Any] | None


@dataclass(slots=True)
class Approvals:
    """All that was ever asked of others in a world, and who was told that it is noted.

    An inbox has an item of each audience; all items of a request are about the same.
    """

    world: "World"
    accepted: defaultdict[Request, set[str]] = field(default_factory=lambda: defaultdict(set))
    """The subjects who were told that they have accepted, by what they accepted."""
    decisions: defaultdict[Request, list["Tried"]] = field(default_factory=lambda: defaultdict(list))
    """What anybody tried to decide by the built-in tools."""
    decided: dict[Request, Decisions] = field(default_factory=dict)
    _asked: dict[str, Asked] = field(default_factory=dict)
    _waits: dict[str, list[str]] = field(default_factory=dict)

    @property
    def asked(self) -> Mapping[str, Asked]:
        """All that was ever asked, also in the move that is being made, by how an inbox names it."""
        for change in self.world.store.changes.new(self):
            asks = {} if change.after is None else {each.id: each for each in items_of(change.owner_key, change.after)}
            for name, item in asks.items():
                self._asked.setdefault(name, _asked(change, item))
            self._right_ones(change, asks)
            self._waits[change.task.id] = [*asks]
        return self._asked

    @property
    def waiting(self) -> set[str]:
        """What tasks wait for, and there is time left to decide."""
        asked, now = self.asked, self.world.clock.now()
        return {name for names in self._waits.values() for name in names if asked[name].deadline > now}

    # --- for those who decide

    def name(self, item_id: str) -> str:
        """Return how the trace calls it."""
        item = self.asked[item_id]
        return f"{self.world.trace.name(item.task_id)} {item.key} of {audience_of(item_id)}"

    def open_to(self, caller: Caller) -> set[Request]:
        """Return what a caller may decide now by all clocks, and has not accepted."""
        asked, stored, behind = self.asked, self.world.store.inbox_items(), self.world.skew
        mine = {name for name in self.waiting if self.is_entitled(caller, name, behind=behind) and name in stored}
        people = people_of(caller)
        accepted = {each for each in mine if any(people & people_of(one) for one in stored[each][1].accepted)}
        return {request_of(asked[each]) for each in mine - accepted}

    def listed(self, caller: Caller, ids: list[str], before: Collection[Request]) -> None:
        """Demand that everybody is shown once what is theirs to decide, now and `before`, and the oldest first."""
        requests = [request_of(self.asked[each]) for each in ids]
        self.world.demand(len({*requests}) == len(ids), f"{caller.subject} is shown an approval twice")
        places = [each.partition("#")[2] for each in ids]
        self.world.demand(places == sorted(places), f"{caller.subject} is shown approvals in another order")
        for task_id, key in sorted(self.open_to(caller) & {*before} - {*requests}):
            name = self.world.trace.name(task_id)
            self.world.demand(False, f"{caller.subject} is not shown {key} of {name}")

    def shown(self, caller: Caller, shown: Mapping[str, Any], before: InboxItem | None) -> None:
        """Demand that somebody is shown what is theirs to decide, as it is asked, and who has accepted `before`."""
        name, asked = self.name(shown["id"]), self.asked[shown["id"]]
        self.world.demand(self.is_entitled(caller, shown["id"]), f"{caller.subject} is shown {name}")
        right = asked.deadline.isoformat(timespec="seconds"), asked.question.quorum
        said = f"{shown['quorum']} until {shown['deadline']}"
        self.world.demand((shown["deadline"], shown["quorum"]) == right, f"{name} is said to want {said}")
        asks = [
            {"message": each.params["message"], "form": each.params["requestedSchema"], "tool": version.tool}
            for version in self.world.store.versions[asked.task_id]
            for each in version.input_requests
            if each.key == asked.key
        ]
        self.world.demand(any(each.items() <= shown.items() for each in asks), f"{name} is said to be {shown}")
        told = {each["subject"] for each in shown["decisions"]}
        known = set() if before is None or self.world.late_reads else {each.subject for each in before.accepted}
        tried = {each.subject for each in self.decisions[request_of(asked)]}
        known_so_far = known <= told <= tried and len(told) == shown["accepted"] < shown["quorum"]
        self.world.demand(
            known_so_far, f"{name} is said to be accepted by {shown['accepted']}: {', '.join(sorted(told))}"
        )

    def tried(self, caller: Caller, item_id: str, action: str) -> None:
        """Take that somebody is about to decide something."""
        self.decisions[request_of(self.asked[item_id])].append(Tried(caller.subject, action, caller.actor))

    def noted(self, caller: Caller, item_id: str, action: str, said: Mapping[str, Any]) -> None:
        """Take that the server told somebody that a decision is noted, and whether it is all decided now."""
        entitled = self.is_entitled(caller, item_id)
        self.world.demand(entitled, f"{caller.subject} decides {self.name(item_id)}")
        request = request_of(self.asked[item_id])
        if action == "accept":
            self.accepted[request].add(caller.subject)
        over = request in self.responses()
        self.world.demand(over or not said["is_over"], f"{self.name(item_id)} is said to be over, and is not")
        quorum, accepted = self.asked[item_id].question.quorum, said["accepted"]
        most = len({each.subject for each in self.decisions[request] if each.action == "accept"})
        goes_on = action == "accept" and accepted < quorum
        right = said["quorum"] == quorum and accepted <= min(most, quorum) and (said["is_over"] or goes_on)
        self.world.demand(right, f"{self.name(item_id)} is said to be accepted by {accepted} of {said['quorum']}")

    def responses(self) -> dict[Request, Decisions]:
        """Return who decided what, also in the move that is being made."""
        return {(task_id, key): response.decisions for task_id, key, response in self.world.store.responses}

    # --- what must hold

    def after_a_move(self) -> None:
        """Demand what must hold at any time."""
        store = self.world.store
        asked = {request_of(each): each for each in self.asked.values()}
        for task_id, key, response in store.responses.new(self):
            if (task_id, key) in asked:
                self.decided[task_id, key] = response.decisions
                self._lawful(asked[task_id, key], response)
        self._inbox()
        self._remembered()

    def _right_ones(self, change: Change, asks: Mapping[str, InboxItem]) -> None:
        """Demand that a task asks those whom its tool's questions name."""
        whom = {(item.input_request.key, audience_of(name)) for name, item in asks.items()}
        right = change.after is None or whom == {*_whom(change.after)}
        named = ", ".join(sorted(audience for _, audience in whom)) or "nobody"
        self.world.demand(right, f"{self.world.trace.name(change.task.id)} asks {named}")

    def _lawful(self, asked: Asked, response: InputResponse) -> None:
        """Demand that an answer is that of as many as had to accept, or of one who did not, and each might decide."""
        if response.result is None:
            return
        name, demand, quorum = self.named(request_of(asked)), self.world.demand, asked.question.quorum
        accepted = [each.subject for each in response.decisions if each.action == "accept"]
        demand(bool(response.decisions), f"{name} is answered, and nobody decided it")
        # Who has accepted may decline.
        demand(len(set(accepted)) == len(accepted), f"{name} is accepted by one person twice: {', '.join(accepted)}")
        enough = len(accepted) == quorum or response.result["action"] != "accept"
        demand(enough, f"{name} is accepted by {len(accepted)} of {quorum}")
        demand(len(accepted) >= len(response.decisions) - 1, f"{name} goes on after somebody declined")
        for each in response.decisions:
            tried = Tried(each.subject, each.action, each.actor) in self.decisions[request_of(asked)]
            demand(tried or each.channel == "client", f"{each.subject} never decided {name} so")
            caller = replace(asked.asker, subject=each.subject, actor=each.actor)
            # By a clock that may be behind.
            demand(asked.may_have_decided(caller, each.at + self.world.skew), f"{each.subject} decides {name}")

    def _remembered(self) -> None:
        """Demand that everybody who was told so is among those who accepted, as long as anything is known of it."""
        for name, (_, item) in self.world.store.inbox_items().items():
            request = request_of(self.asked[name])
            if request not in self.decided:
                self._are_among(self.accepted[request], item.accepted, self.name(name))
        # Nothing is known of what was asked in vain.
        for request, decisions in self.decided.items():
            if decisions:
                self._are_among(self.accepted[request], decisions, self.named(request))

    def _are_among(self, told: set[str], known: Decisions, name: str) -> None:
        lost = ", ".join(sorted(told - {each.subject for each in known if each.action == "accept"}))
        self.world.demand(not lost, f"{name}: nobody knows that {lost} accepted")

    def _inbox(self) -> None:
        """Demand that the inbox holds exactly what tasks wait for, as long as there is time to decide it."""
        stored, waiting, now = self.world.store.inbox_items(), self.waiting, self.world.clock.now()
        for item_id, (_, item) in stored.items():
            left = item_id in waiting or item.deadline <= now
            self.world.demand(left, f"{self.name(item_id)} is left in the inbox, and nobody waits for it")
            told = item.notices <= self._notices(item_id, now)
            self.world.demand(told, f"those of {self.name(item_id)} are told of it {item.notices} times")
        for item_id in waiting:
            right = item_id in stored and stored[item_id][0] == self.asked[item_id].asker.tenant
            self.world.demand(right, f"{self.name(item_id)} is not in the inbox of its tenant")

    def when_swept(self) -> None:
        """Demand that everybody was told of what waits for them, as far as sweeps had time for it."""
        by = self.world.clock.now() - SOON - self.world.skew
        for item_id, (_, item) in self.world.store.inbox_items().items():
            missed = item_id in self.waiting and item.notices < self._notices(item_id, by)
            self.world.demand(not missed, f"those of {self.name(item_id)} are told of it {item.notices} times alone")

    def _notices(self, item_id: str, by: datetime) -> int:
        """Return how often an audience is to have been told by then, beside when it was asked at first."""
        asked, audience = self.asked[item_id], audience_of(item_id)
        waited = by - asked.opens_at(audience)
        if waited.total_seconds() < 0:
            return 0
        reminders = min(waited // BETWEEN_REMINDERS, MOST_REMINDERS) if asked.question.reminds else 0
        return reminders + (audience == asked.question.later)

    def named(self, request: Request) -> str:
        task_id, key = request
        return f"{self.world.trace.name(task_id)} {key}"

    def is_entitled(self, caller: Caller, item_id: str, *, behind: timedelta = timedelta()) -> bool:
        """Return whether a caller may decide something: once its audience is asked, by a clock that is behind."""
        asked, audience = self.asked[item_id], audience_of(item_id)
        return asked.opens_at(audience) <= self.world.clock.now() - behind and asked.may_decide(caller, audience)


def _asked(change: Change, item: InboxItem) -> Asked:
    task = change.task
    assert task.requested_at is not None
    asker = replace(Caller.of_owner_key(change.owner_key), actor=task.actor)
    return Asked(asker, task.id, item.input_request.key, task.requested_at, deadline(task, item.input_request))


def _whom(task: Task) -> Iterator[tuple[str, str]]:
    """Yield whom a task asks under each key: whoever is asked later, only where that is in time."""
    for each in task.open_input_requests:
        question = QUESTIONS.get(each.key)
        if question is not None and task.requested_at is not None:
            yield each.key, question.audience
            if question.later and task.requested_at + question.waits < deadline(task, each):
                yield each.key, question.later


def request_of(asked: Asked) -> Request:
    return asked.task_id, asked.key
