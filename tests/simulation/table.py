"""The table of a story: items as every release writes them, and the history that is read off its writes."""

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Final

from mcp_tasks.adapters.dynamodb.inbox_items import inbox_item_of
from mcp_tasks.adapters.dynamodb.items import count_in, expires_at, task_of
from mcp_tasks.limits.waits import KEPT_WINDOW
from mcp_tasks.ports.clock import Clock
from mcp_tasks.security.tenancy import tenant_of
from mcp_tasks.tasks.documents import outcome_of, response_of
from mcp_tasks.tasks.hashing import hashed
from mcp_tasks.tasks.inbox import InboxItem
from mcp_tasks.tasks.model import InputResponse, Outcome, Task
from mcp_tasks.tasks.transitions import is_final
from tests.dynamodb.grammar import Item
from tests.dynamodb.table import Record, in_stream
from tests.simulation import reckoning
from tests.simulation.bucket import Bucket
from tests.simulation.history import Change, History, Part
from tests.simulation.replica import Replica

COUNTING: Final = ("using", "quota#", "rate#", "plan#", "waits#")
"""Items that count what there is, or say what a tenant may have."""

LONGEST_KEPT: Final = timedelta(days=40)

COUNTERS: Final = 4
"""Of a tenant; all releases have to count at the same."""


class RecordingTable(History):
    """Looks at each write of the table, and at nothing that any release says of it."""

    counters = COUNTERS

    def __init__(self, clock: Clock) -> None:
        super().__init__(clock)
        self.client = Replica(clock)
        self.client.items.written = self._written
        self.bucket = Bucket()
        self.names: dict[str, str] = {}
        """The steps and input requests by what their names are hashed to."""
        self._tasks: dict[tuple[str, str], Task] = {}
        self._owners: set[str] = set()
        self._unreleased: dict[str, tuple[str, Task]] = {}
        self._inbox: dict[str, tuple[str, InboxItem]] = {}

    def know(self, name: str) -> None:
        """Know the name of a step or of an input request."""
        self.names.setdefault(hashed(name), name)

    def remove(self, owner_key: str, task_id: str) -> None:
        """Delete a task, as DynamoDB's TTL does."""
        self.client.items.replace([((owner_key, f"task#{task_id}"), None)])

    # --- what there is

    def tasks(self) -> list[tuple[str, Task]]:
        return [(owner_key, task) for (owner_key, _), task in self._tasks.items()]

    def counted_at(self, tenant: str) -> list[int]:
        found = (self.client.items.get((tenant, f"quota#{counter}")) for counter in range(self.counters))
        return [count_in(item or {}, "active") for item in found]

    def counted(self) -> Mapping[str, Counter[tuple[str, int]]]:
        """Return what is counted: tenants at each counter, subjects once, and who is active or suspended at any."""
        found = {
            owner: Counter[tuple[str, int]]()
            for owner_key in self._owners
            for owner in (owner_key, tenant_of(owner_key))
        }
        for owner, numbers in found.items():
            at = {0: "using"} if "#" in owner else {counter: f"quota#{counter}" for counter in range(self.counters)}
            for counter, sort_key in at.items():
                item = self.client.items.get((owner, sort_key)) or {}
                numbers["running", counter] += count_in(item, "running")
                numbers["queued", counter] += count_in(item, "queued")
                numbers["active", 0] += count_in(item, "active")
                numbers["suspended", 0] += count_in(item, "suspended")
        return found

    def unreleased(self) -> list[tuple[str, Task]]:
        return list(self._unreleased.values())

    def stored_steps(self, owner_key: str, task_id: str) -> Mapping[str, str]:
        prefix = f"step#{task_id}#"
        found = [item for item in self.client.items.partition(owner_key) if item["SK"]["S"].startswith(prefix)]
        return {self._name(item["SK"]["S"].removeprefix(prefix)): self._text(item) for item in found}

    def stored_outcome(self, owner_key: str, task_id: str) -> Outcome | None:
        item = self.client.items.get((owner_key, f"result#{task_id}"))
        return None if item is None else outcome_of(json.loads(self._text(item)))

    def response(self, owner_key: str, task_id: str, key: str) -> InputResponse | None:
        """Return the response to an input request of a task, None where either is gone."""
        task = self._tasks.get((owner_key, task_id))
        item = self.client.items.get((owner_key, f"reply#{task_id}#{hashed(key)}"))
        return None if item is None or task is None or not self.lives(task) else self._response(item)

    def inbox_items(self) -> Mapping[str, tuple[str, InboxItem]]:
        return self._inbox

    def due_checks(self, limit: int) -> list[tuple[float, Task]]:
        # Where a sweep cannot check all, what the index does not know yet may come first, or what is gone.
        if limit < len(self._tasks) + self.client.gone_lately():
            return []
        keys = {place: (place[0], f"task#{place[1]}") for place in self._tasks}
        # What the index may not have yet is left to the next sweep.
        items = {place: self.client.items.get(key) for place, key in keys.items() if not self.client.is_recent(key)}
        at = {place: float(item["checkAt"]["N"]) for place, item in items.items() if item and "liveShard" in item}
        due = [place for place in at if at[place] <= self._time.now().timestamp()]
        return [(at[place], self._tasks[place]) for place in sorted(due, key=lambda place: (at[place], place))]

    def bytes_kept(self) -> list[Part]:
        """Return what is counted until the hour is over in which it expires, whether or not it is deleted."""
        latest = self._time.now() - KEPT_WINDOW
        items = [item for item in self.client.items.all() if item["SK"]["S"].startswith(("args#", "result#"))]
        kept = [item for item in items if expires_at(item) > latest]
        return [Part(item["PK"]["S"], len(self._text(item)), self._counts_until(item)) for item in kept]

    def kept_for_ever(self) -> list[str]:
        latest = (self._time.now() + LONGEST_KEPT).timestamp()
        items = [item for item in self.client.items.all() if not item["SK"]["S"].startswith(COUNTING)]
        return [item["SK"]["S"] for item in items if float(item.get("expiresAt", {"N": "inf"})["N"]) > latest]

    def _counts_until(self, item: Item) -> datetime | None:
        """Return until when the arguments of a stored task count: a result may be of a run that came too late."""
        kind, task_id = item["SK"]["S"].split("#")[:2]
        task = self._tasks.get((item["PK"]["S"], task_id))
        return None if task is None or kind == "result" else reckoning.expires_at(task)

    def _text(self, item: Item) -> str:
        """Return the JSON of a value, in the item or in the object that it points to: nothing where that is erased."""
        return (
            self.bucket.objects.get(item["object"]["S"], b"").decode() if "object" in item else str(item["json"]["S"])
        )

    def _response(self, item: Item) -> InputResponse:
        found: InputResponse = response_of(json.loads(self._text(item)))
        return found

    # --- what is noted

    def _written(self, records: Sequence[Record]) -> None:
        self.client.note(records)
        for kind in NOTED:
            for record in records:
                owner, sort_key = record.key
                if sort_key.startswith(kind):
                    NOTED[kind](self, owner, sort_key.split("#")[1:], record)
        if any(record.key[1].startswith(("task#", "quota#")) for record in records):
            self._hold()

    def _name(self, name: str) -> str:
        """Return the name that is hashed in a sort key, or the hash where it is of no step of a tool, as of a sleep."""
        return self.names.get(name, name)

    def _note_step(self, owner_key: str, names: Sequence[str], record: Record) -> None:
        if record.before is None:
            self._record_moment(names[0], self._name(names[1]))

    def _note_quota(self, tenant: str, names: Sequence[str], record: Record) -> None:
        self.counts[tenant].append(sum(self.counted_at(tenant)))

    def _note_released(self, tenant: str, names: Sequence[str], record: Record) -> None:
        self._released.add(names[0])
        self._unreleased.pop(names[0], None)

    def _note_subject(self, owner_key: str, names: Sequence[str], record: Record) -> None:
        """Note that what a subject had counts no more, where its counter is gone: its tenant is erased."""
        if record.after is None:
            gone = [task_id for task_id, (owner, _) in self._unreleased.items() if owner == owner_key]
            for task_id in gone:
                self._note_released(tenant_of(owner_key), [task_id], record)

    def _note_task(self, owner_key: str, names: Sequence[str], record: Record) -> None:
        place = (owner_key, names[0])
        before, after = self._tasks.get(place), None if record.after is None else task_of(record.after)
        if after is None:
            del self._tasks[place]
            if before is not None and not is_final(before):
                self._unreleased[before.id] = (owner_key, before)
        else:
            self._tasks[place] = after
            self._owners.add(owner_key)
            for each in after.input_requests:
                self.know(each.key)
        if before is not None and after is not None:
            self._note_lease(before, after)
        if before is not None and after is not None and before.version == after.version:
            # The sweep postponed its check, or its work was started.
            return
        self._note_change(Change(owner_key, before, after, in_stream(record)))
        if before is None and after is not None:
            self._note_start(owner_key, after)

    def _note_inbox(self, tenant: str, names: Sequence[str], record: Record) -> None:
        if record.after is None:
            del self._inbox["#".join(names)]
        else:
            self._inbox["#".join(names)] = (tenant, inbox_item_of(record.after))

    def _note_response(self, owner_key: str, names: Sequence[str], record: Record) -> None:
        # What a task has when it is created is noted then.
        if record.after is not None and (owner_key, names[0]) in self._tasks:
            self.responses.append((names[0], self._name(names[1]), self._response(record.after)))


NOTED: Mapping[str, Callable[[RecordingTable, str, Sequence[str], Record], None]] = {
    "step#": RecordingTable._note_step,
    "quota#": RecordingTable._note_quota,
    "released#": RecordingTable._note_released,
    "task#": RecordingTable._note_task,
    "using": RecordingTable._note_subject,
    "reply#": RecordingTable._note_response,
    "inbox#": RecordingTable._note_inbox,
}
"""The kinds of items that are looked at, in this order."""
