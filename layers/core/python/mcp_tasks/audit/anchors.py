"""Anchors: how far each chain of audit records had come by a minute, each signed, and linked to the anchor before it.

An anchor says of each chain that went on which `Link`s it adds: a run of records that fit, from the hash before the
first to the hash of the last, or one record that does not fit to what is known before it, by a digest of its own.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from hashlib import sha256
from typing import Any, Final, NamedTuple, Self

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from mcp_tasks.audit.chain import BEGINNING, canonical, digest
from mcp_tasks.records import record


class Link(NamedTuple):
    """The records `first` to `last` of a chain: `before` is the hash before the first, `head` that of the last.

    `pin` is the digest of a record that does not fit, which `before` is unknown of.
    """

    first: int
    last: int
    before: str | None
    head: str
    pin: str | None = None


def pinned(record: Mapping[str, Any]) -> str:
    """Return the digest of a record by itself, with the hash that it says it has."""
    return digest(str(record["hash"]), record)


@record
class Anchor:
    """The anchor with this number: `until` then the log was read, and `before` is the hash of the anchor before.

    `missing` are the records of each chain that did not come, or came altered, from one number to another.  `rejected`
    is the number of records that nobody of the server wrote, and `forged` are digests of them, of the first ones if
    they are many.  A release that verified no MAC says neither: its anchors have None.
    """

    number: int
    until: datetime
    before: str
    chains: Mapping[str, Sequence[Link]]
    missing: Sequence[tuple[str, int, int]] = ()
    rejected: int | None = None
    forged: Sequence[str] = ()

    @property
    def document(self) -> dict[str, Any]:
        """The anchor as JSON."""
        return {
            "anchor": self.number,
            "until": self.until.isoformat(),
            "before": self.before,
            "chains": {name: [list(each) for each in links] for name, links in self.chains.items()},
            "missing": [list(each) for each in self.missing],
            **({} if self.rejected is None else {"rejected": self.rejected, "forged": list(self.forged)}),
        }

    @classmethod
    def of(cls, document: Mapping[str, Any]) -> Self:
        """Read the document of an anchor."""
        return cls(
            number=int(document["anchor"]),
            until=datetime.fromisoformat(document["until"]),
            before=str(document["before"]),
            chains={name: [Link(*each) for each in links] for name, links in document["chains"].items()},
            missing=[(str(chain), int(first), int(last)) for chain, first, last in document["missing"]],
            rejected=document.get("rejected"),
            forged=[str(each) for each in document.get("forged", ())],
        )

    @property
    def hash(self) -> str:
        """What is signed, and what the next anchor is linked to."""
        return sha256(canonical(self.document).encode()).hexdigest()

    @property
    def hash_without_rejections(self) -> str:
        """What a release that knows no MAC, and anchors again after a rollback, links its anchor to."""
        return replace(self, rejected=None, forged=()).hash

    @property
    def count(self) -> int:
        """How many records it anchors."""
        return sum(each.last - each.first + 1 for links in self.chains.values() for each in links)


@record
class Signed:
    """An anchor with its signature."""

    anchor: Anchor
    signature: str


FIRST: Final = BEGINNING
"""In place of the hash of the anchor before the first."""


def new_key() -> bytes:
    """Return a private key to sign with."""
    return Ed25519PrivateKey.generate().private_bytes_raw()


def public_of(private: bytes) -> bytes:
    """Return the public key, by which anybody verifies what the private one signs."""
    key = Ed25519PrivateKey.from_private_bytes(private)
    return key.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)


def sign(anchor: Anchor, private: bytes) -> Signed:
    """Return the anchor, signed."""
    signature = Ed25519PrivateKey.from_private_bytes(private).sign(anchor.hash.encode())
    return Signed(anchor=anchor, signature=signature.hex())


def is_genuine(signed: Signed, public: bytes) -> bool:
    """Return whether the holder of the private key signed the anchor as it is."""
    try:
        signature = bytes.fromhex(signed.signature)
        Ed25519PublicKey.from_public_bytes(public).verify(signature, signed.anchor.hash.encode())
    except (InvalidSignature, ValueError):
        return False
    return True
