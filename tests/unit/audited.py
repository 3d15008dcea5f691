"""A stage whose processes write audit records, and which is anchored every minute, in memory."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from mcp_tasks.audit.anchoring import Anchoring
from mcp_tasks.audit.anchors import Link, Signed, new_key, public_of
from mcp_tasks.audit.authenticity import Logged
from mcp_tasks.audit.chain import Chain, Key, proven
from tests.kit import FixedClock

MINUTE = timedelta(minutes=1)
KEY = Key("2026-01", b"known to the functions of the server alone")


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

    def public_key(self) -> bytes:
        return public_of(self.key)


@dataclass(kw_only=True)
class Stage:
    """The log of a stage, to which records come at once or later, and what anchors them."""

    clock: FixedClock = field(default_factory=FixedClock)
    anchors: MemoryAnchors = field(default_factory=MemoryAnchors)
    log: list[tuple[datetime, Logged]] = field(default_factory=list)
    keys: dict[str, bytes] = field(default_factory=lambda: dict([KEY]))

    def write(self, chain: Chain, *, late: timedelta = timedelta(), key: Key | None = KEY) -> dict[str, Any]:
        """Log the next record of a chain, which can be read so much later."""
        record = chain.link({"event": "task.created", "task": f"{len(self.log)}"}, self.clock.now(), key)
        self.take_in(record, late=late)
        return record

    def take_in(self, record: dict[str, Any], *, late: timedelta = timedelta()) -> None:
        now = self.clock.now()
        self.log.append((now + late, Logged(proven(record), now, record.get("mac", ""))))

    def read(self, since: datetime, until: datetime) -> Iterable[Logged]:
        return [each for at, each in self.log if since <= each.at <= until and at <= self.clock.now()]

    def anchor(self) -> list[Link]:
        """Anchor what is logged a minute later, and return the links of the newest anchor."""
        self.clock.advance(MINUTE)
        Anchoring(anchors=self.anchors, read=self.read, clock=self.clock, find=self.keys.get).run()
        last = self.anchors.kept[-1].anchor
        return [link for links in last.chains.values() for link in links]

    @property
    def missing(self) -> list[tuple[int, int]]:
        return [(first, last) for each in self.anchors.kept for _, first, last in each.anchor.missing]

    @property
    def rejected(self) -> list[int]:
        return [each.anchor.rejected or 0 for each in self.anchors.kept]
