"""A stage whose processes write audit records, and which is anchored every minute, in memory."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from mcp_tasks.audit.anchoring import Anchoring, Logged
from mcp_tasks.audit.anchors import Link, Signed, new_key
from mcp_tasks.audit.chain import Chain
from tests.kit import FixedClock

MINUTE = timedelta(minutes=1)


@dataclass(kw_only=True)
class MemoryAnchors:
    """The anchors of a stage; another process may be quicker to `add` one."""

    key: bytes = field(default_factory=new_key)
    kept: list[Signed] = field(default_factory=list)
    beaten: bool = False

    def last(self) -> Signed | None:
        return self.kept[-1] if self.kept else None

    def since(self, moment: datetime) -> Iterator[Signed]:
        return iter([each for each in self.kept if each.anchor.until >= moment])

    def add(self, signed: Signed) -> bool:
        if self.beaten:
            return False
        self.kept.append(signed)
        return True

    def private_key(self) -> bytes:
        return self.key


@dataclass(kw_only=True)
class Stage:
    """The log of a stage, to which records come at once or later, and what anchors them."""

    clock: FixedClock = field(default_factory=FixedClock)
    anchors: MemoryAnchors = field(default_factory=MemoryAnchors)
    log: list[tuple[datetime, Logged]] = field(default_factory=list)

    def write(self, chain: Chain, *, late: timedelta = timedelta()) -> dict[str, Any]:
        """Log the next record of a chain, which can be read so much later."""
        record = chain.link({"event": "task.created", "task": f"{len(self.log)}"}, self.clock.now())
        self.take_in(record, late=late)
        return record

    def take_in(self, record: dict[str, Any], *, late: timedelta = timedelta()) -> None:
        now = self.clock.now()
        self.log.append((now + late, Logged(record, now)))

    def read(self, since: datetime, until: datetime) -> Iterable[Logged]:
        return [each for at, each in self.log if since <= each.at <= until and at <= self.clock.now()]

    def anchor(self) -> list[Link]:
        """Anchor what is logged a minute later, and return the links of the newest anchor."""
        self.clock.advance(MINUTE)
        Anchoring(anchors=self.anchors, read=self.read, clock=self.clock).run()
        last = self.anchors.kept[-1].anchor
        return [link for links in last.chains.values() for link in links]

    @property
    def missing(self) -> list[tuple[int, int]]:
        return [(first, last) for each in self.anchors.kept for _, first, last in each.anchor.missing]
