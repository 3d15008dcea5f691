"""An export of the audit: the anchors of a time and the records that they anchor, one JSON document a line.

    the header      the public key, the numbers of the first and the last anchor, and how many records there are
    anchors         each with its signature, in their order
    records         each with what links it, by time, chain and number

Whoever has the public key from elsewhere finds each line that is altered, gone, added or moved.  What came after the
last anchor, an export cannot say.
"""

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any, Final

from mcp_tasks.audit.anchors import Anchor, Link, Signed, is_genuine, pinned
from mcp_tasks.audit.chain import KEYED, audit_record, canonical, digest

FORMAT: Final = 1

Place = tuple[str, int]
"""A chain, and the number of a record in it."""

Line = tuple[int, Mapping[str, Any]]
"""A line's number, and the record in it."""

Found = dict[str, dict[int, list[Line]]]
"""The lines of each chain, by the number that their record has in it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Export:
    """The anchors of a stage from a time on, and the records that are in its log."""

    public_key: bytes
    anchors: Sequence[Signed]
    records: Sequence[Mapping[str, Any]]

    def lines(self) -> Iterator[str]:
        """Yield the lines of the file."""
        numbers = [each.anchor.number for each in self.anchors]
        first, last = min(numbers, default=0), max(numbers, default=0)
        yield canonical(_header(self.public_key, first, last, len(self.records)))
        for each in self.anchors:
            yield canonical({**each.anchor.document, "signature": each.signature})
        for record in sorted(self.records, key=order_of):
            yield canonical(record)


def _header(key: bytes, first: int, last: int, records: int) -> dict[str, Any]:
    return {"export": FORMAT, "key": key.hex(), "first": first, "last": last, "records": records}


def order_of(record: Mapping[str, Any]) -> tuple[str, str, int, str]:
    """Return by what records are ordered."""
    return str(record.get("at", "")), str(record["chain"]), int(record["n"]), str(record["hash"])


def place_of(record: Mapping[str, Any]) -> Place:
    """Return the place of a record."""
    return str(record["chain"]), int(record["n"])


def fingerprint(public_key: bytes) -> str:
    """Return the name by which people know a public key."""
    return sha256(public_key).hexdigest()


@dataclass(slots=True, kw_only=True)
class Proof:
    """What was found wrong with an export, and what it proves if that is nothing."""

    faults: list[str] = field(default_factory=list)
    anchors: list[Anchor] = field(default_factory=list)
    records: int = 0
    unsure: int = 0
    key: bytes = b""

    @property
    def noted(self) -> list[str]:
        """What the anchors say was missing or altered before it was anchored, or was never the server's."""
        unsure = f"Of {self.unsure} records no MAC was verified: whoever could write to the logs may have made them."
        rejected = [each for each in self.anchors if each.rejected]
        return [
            *([unsure] if self.unsure else ()),
            *(f"Anchor {each.number} rejected {each.rejected} records that no function wrote." for each in rejected),
            *self._missing,
        ]

    @property
    def _missing(self) -> list[str]:
        return [
            f"Anchor {each.number} notes that record {_numbers(first, last)} of chain {chain} did not come, or altered."
            for each in self.anchors
            for chain, first, last in each.missing
        ]


def prove(lines: Iterable[str]) -> Proof:
    """Prove an export by its lines, as far as its own public key is to be trusted."""
    proof, documents = Proof(), []
    for at, line in enumerate(lines, start=1):
        if (document := _document(line)) is None:
            proof.faults.append(f"Line {at} is no line of an export.")
        else:
            documents.append((at, document))
    if not documents or documents[0][1].get("export") != FORMAT:
        proof.faults.append("The first line is no header of an export.")
        return proof
    _prove(proof, documents[0][1], documents[1:])
    return proof


def _prove(proof: Proof, header: Mapping[str, Any], documents: Sequence[tuple[int, Mapping[str, Any]]]) -> None:
    signed = [(at, each) for at, each in documents if "anchor" in each]
    records = [(at, each) for at, each in documents if "anchor" not in each]
    try:
        proof.key = bytes.fromhex(str(header["key"]))
        extent = int(header["first"]), int(header["last"]), int(header["records"])
        again = _header(proof.key, *extent)
    except (KeyError, TypeError, ValueError):
        again = {}
    if again != header or canonical(again) != canonical(header):
        proof.faults.append("The first line is no header of an export.")
        return
    _prove_anchors(proof, signed, extent[:2])
    if [each for each, _ in signed] != list(range(2, 2 + len(signed))):
        proof.faults.append("Anchors are not where they belong, before all records.")
    _prove_records(proof, records)
    if extent[2] != len(records):
        proof.faults.append(f"The header names {extent[2]} records, and there are {len(records)}.")
    proof.records = len(records)
    links = ((each, name, link) for each in proof.anchors for name, links in each.chains.items() for link in links)
    proof.unsure = sum(
        link.last - link.first + 1 for each, name, link in links if each.rejected is None or not KEYED.fullmatch(name)
    )


def _prove_anchors(proof: Proof, lines: Sequence[tuple[int, Mapping[str, Any]]], extent: tuple[int, int]) -> None:
    expected, before = extent[0], None
    for at, document in lines:
        if (signed := _anchor(document)) is None:
            proof.faults.append(f"Line {at} is no anchor.")
            continue
        anchor = signed.anchor
        # As texts: to Python, 1 is 1.0 and True.
        again = canonical({**anchor.document, "signature": signed.signature})
        if again != canonical(document) or not is_genuine(signed, proof.key):
            proof.faults.append(f"Line {at}: anchor {anchor.number} is forged, or altered.")
        if anchor.number != expected:
            proof.faults.append(f"Line {at} is anchor {anchor.number}, where anchor {expected} belongs.")
        elif before is not None and anchor.before not in before:
            proof.faults.append(f"Line {at}: anchor {anchor.number} does not follow the one before it.")
        expected, before = anchor.number + 1, (anchor.hash, anchor.hash_without_rejections)
        proof.anchors.append(anchor)
    if expected != extent[1] + 1 and lines:
        proof.faults.append(f"The last anchor is {expected - 1}, and the header names {extent[1]}.")
    if not lines:
        proof.faults.append("There are no anchors, so that nothing is proven.")


def _prove_records(proof: Proof, lines: Sequence[tuple[int, Mapping[str, Any]]]) -> None:
    found: Found = defaultdict(lambda: defaultdict(list))
    last: Any = None
    for at, record in lines:
        if audit_record(canonical(record)) != record:
            proof.faults.append(f"Line {at} is no audit record.")
            continue
        if last is not None and order_of(record) <= last:
            proof.faults.append(f"Line {at} is not where it belongs.")
        last = order_of(record)
        chain, number = place_of(record)
        found[chain][number].append((at, record))
    for anchor in proof.anchors:
        for chain, links in anchor.chains.items():
            for link in links:
                proof.faults += _broken(chain, link, found[chain])
    left = sorted((chain, number, at) for chain, rest in found.items() for number in rest for at, _ in rest[number])
    proof.faults += [f"Line {at}: record {number} of chain {chain} is in no anchor." for chain, number, at in left]


def _broken(chain: str, link: Link, found: dict[int, list[Line]]) -> Iterator[str]:
    """Yield what is wrong with the records of a link, and take those out that are right or were meant to be."""
    expected, before = link.first, link.before
    # What a link names may be any number, of which few are there.
    for number in sorted(each for each in found if link.first <= each <= link.last):
        if number > expected:
            yield _missing(chain, expected, number - 1)
            before = None
        candidates = found.pop(number)
        right = [each for each in candidates if _fits(link, before, each[1])]
        at, record = right[0] if right else candidates[0]
        if not right or (number == link.last and record["hash"] != link.head):
            yield f"Line {at}: record {number} of chain {chain} is altered."
        for other, _ in candidates:
            if other != at:
                yield f"Line {other}: record {number} of chain {chain} is there twice."
        expected, before = number + 1, str(record["hash"])
    if expected <= link.last:
        yield _missing(chain, expected, link.last)


def _missing(chain: str, first: int, last: int) -> str:
    if first == last:
        return f"Record {first} of chain {chain} is missing."
    return f"Records {first} to {last} of chain {chain} are missing."


def _fits(link: Link, before: str | None, record: Mapping[str, Any]) -> bool:
    if link.pin is not None:
        return pinned(record) == link.pin
    # Where the one before is gone, whether this one fits is shown by those that follow, up to the anchor.
    return before is None or record["hash"] == digest(before, record)


def _anchor(document: Mapping[str, Any]) -> Signed | None:
    try:
        signed = Signed(anchor=Anchor.of(document), signature=str(document["signature"]))
    except (AttributeError, KeyError, TypeError, ValueError):
        return None
    ends = [each for links in signed.anchor.chains.values() for link in links for each in (link.first, link.last)]
    return signed if all(isinstance(each, int) for each in ends) else None


def _document(line: str) -> dict[str, Any] | None:
    try:
        document = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return document if isinstance(document, dict) and canonical(document) == line else None


def _numbers(first: int, last: int) -> str:
    return str(first) if first == last else f"{first} to {last}"
