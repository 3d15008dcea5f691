"""Anchors the audit records that a stage has logged: continues each chain from the head that is known of it.

Each minute's reading overlaps the one before, since records come late; what was anchored already is known by its
number.  A record that is missing is waited for, and given up once those after it are old: that is told to whoever reads
the log, and stands in the anchor for good.
"""

import logging
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, Final, NamedTuple, Protocol

from mcp_tasks.audit.anchors import FIRST, Anchor, Link, Signed, pinned, sign
from mcp_tasks.audit.authenticity import WITHOUT_MAC, Find, Logged, sifted
from mcp_tasks.audit.chain import BEGINNING, fits
from mcp_tasks.limits.audit import (
    CHAINS_REPORTED,
    FILLED_WITHIN,
    FORGED_NAMED,
    HEADS_REMEMBERED,
    LINKS_IN_ANCHOR,
    LINKS_OF_CHAIN,
    READ_AGAIN,
    READ_AT_ONCE,
)
from mcp_tasks.ports.clock import Clock
from mcp_tasks.records import record

logger = logging.getLogger(__name__)


class Head(NamedTuple):
    """How far a chain has come: the number and the hash of its last record that is known."""

    number: int
    hash: str


class Anchors(Protocol):
    """The anchors of a stage, and the key that signs them."""

    def last(self) -> Signed | None:
        """Return the newest anchor."""

    def since(self, moment: datetime) -> Iterable[Signed]:
        """Yield the anchors of then and later, oldest first."""

    def add(self, signed: Signed) -> bool:
        """Store an anchor, and return True unless there is another one of its number."""

    def private_key(self) -> bytes:
        """Return the key that signs, which is made once."""


Read = Callable[[datetime, datetime], Iterable[Logged]]
"""Returns the audit records that were logged from one moment to another."""


@record
class Anchoring:
    """Anchors what `read` finds; several at once do no harm, since only one adds the anchor of a number."""

    anchors: Anchors
    read: Read
    clock: Clock
    find: Find

    def run(self) -> int:
        """Anchor what was logged until now, and return how many records that were."""
        count, now = 0, self.clock.now()
        while True:
            last = self.anchors.last()
            done = last.anchor.until if last else now - READ_AT_ONCE
            until = min(now, done + READ_AT_ONCE)
            added = self._anchored(last.anchor if last else None, done, until)
            if added is None:
                logger.info("another run anchors the audit records")
                return count
            count += added
            if until == now:
                return count

    def _anchored(self, last: Anchor | None, done: datetime, until: datetime) -> int | None:
        """Anchor what was logged until then, and return how many records, None where somebody else did."""
        past = [each.anchor for each in self.anchors.since(done - HEADS_REMEMBERED)] if last else []
        accepted, forged = sifted(self.read(done - READ_AGAIN, until), self.find)
        # What was read before is read again.
        rejected = sorted(forged.keys() - {digest for each in past for digest in each.forged})
        found = followed(heads_of(past), accepted, old=until - FILLED_WITHIN)
        known, before = (last.number, last.hash) if last else (0, FIRST)
        parts = list(_parts(found))
        for number, some in enumerate(parts, start=known + 1):
            anchor = Anchor(
                number=number,
                # Should this process die before the last of them, the rest is found again.
                until=until if some is parts[-1] else done,
                before=before,
                chains={each.chain: each.links for each in some},
                missing=[(each.chain, *lost) for each in some for lost in each.missing],
                rejected=len(rejected) if some is parts[0] else 0,
                forged=rejected[:FORGED_NAMED] if some is parts[0] else (),
            )
            if not self.anchors.add(sign(anchor, self.anchors.private_key())):
                return None
            _report(anchor)
            before = anchor.hash
        return sum(each.length for each in found) + len(rejected)


def _parts(found: Iterable["Followed"]) -> Iterator[list["Followed"]]:
    """Yield the chains of one anchor after the other, of as many links as one has place for; none are one anchor."""
    part, length = list[Followed](), 0
    for each in found:
        if length + len(each.links) > LINKS_IN_ANCHOR:
            yield part
            part, length = [], 0
        part.append(each)
        length += len(each.links)
    yield part


class Followed(NamedTuple):
    """What a chain went on by: its links, and the records that are missing between them, or altered."""

    chain: str
    links: Sequence[Link]
    missing: Sequence[tuple[int, int]]

    @property
    def length(self) -> int:
        """How many records it went on by."""
        return sum(each.last - each.first + 1 for each in self.links)


def heads_of(anchors: Iterable[Anchor]) -> dict[str, Head]:
    """Return the heads of the chains in these anchors, which are the oldest first."""
    links = ((name, links[-1]) for anchor in anchors for name, links in anchor.chains.items())
    return {name: Head(link.last, link.head) for name, link in links}


def followed(heads: Mapping[str, Head], logged: Iterable[Logged], *, old: datetime) -> list[Followed]:
    """Return what chains went on by; what is missing before a record that is not `old` may still come."""
    chains: dict[str, dict[int, list[Logged]]] = defaultdict(lambda: defaultdict(list))
    for each in logged:
        same = chains[each.record["chain"]][each.record["n"]]
        if each.record not in [other.record for other in same]:
            same.append(each)
    found = (Followed(name, *_follow(heads.get(name, UNKNOWN), chains[name], old)) for name in sorted(chains))
    return [each for each in found if each.links]


UNKNOWN: Final = Head(0, BEGINNING)


def _follow(
    head: Head, logged: Mapping[int, Sequence[Logged]], old: datetime
) -> tuple[list[Link], list[tuple[int, int]]]:
    links: list[Link] = []
    missing: list[tuple[int, int]] = []
    for number in sorted(each for each in logged if each > head.number):
        if len(links) == LINKS_OF_CHAIN:
            break
        if number > head.number + 1:
            if all(each.at > old for each in logged[number]):
                break
            missing.append((head.number + 1, number - 1))
        link = _next(head, number, [each.record for each in logged[number]])
        if len(logged[number]) > 1 or (link.pin and number == head.number + 1):
            missing.append((number, number))
        if links and not links[-1].pin and not link.pin:
            links[-1] = links[-1]._replace(last=number, head=link.head)
        else:
            links.append(link)
        head = Head(number, link.head)
    return links, missing


def _next(head: Head, number: int, records: Sequence[Mapping[str, Any]]) -> Link:
    """Return the link of the record with this number: of several, the one that fits, if any does."""
    for each in records if number == head.number + 1 else ():
        if fits(head.hash, each):
            return Link(number, number, head.hash, each["hash"])
    return Link(number, number, None, records[0]["hash"], pinned(records[0]))


def _report(anchor: Anchor) -> None:
    unsure = sorted(name for name in anchor.chains if WITHOUT_MAC.fullmatch(name))
    if unsure:
        # Nothing says that these are wrong: functions write such while the table refuses them the key.
        some = {"count": len(unsure), "chains": unsure[:CHAINS_REPORTED]}
        logger.warning("audit_unproven", extra={"anchor": anchor.number, **some})
    if anchor.rejected:
        said = {"reason": "rejected", "count": anchor.rejected}
        logger.error("audit_broken", extra={"anchor": anchor.number, **said})
    for chain, first, last in anchor.missing:
        logger.error("audit_broken", extra={"anchor": anchor.number, "chain": chain, "first": first, "last": last})
