"""Which logged records a function of the server wrote; whoever may write to the log groups can write any other."""

from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from hashlib import sha256
from hmac import compare_digest
from re import ASCII, compile
from typing import Any, Final, NamedTuple

from mcp_tasks.audit.chain import KEYED, canonical, mac_of
from mcp_tasks.limits.audit import CHAIN_LASTS, LATE, MAX_IN_CHAIN

Find = Callable[[str], bytes | None]
"""Returns the key of a name, None where there is none, or where it is accepted no longer."""

WITHOUT_MAC: Final = compile(r"[0-9a-f]{16}", ASCII)
"""The name of a chain without MACs: of a release that knew none, or of a process that could not read the key."""

HASH: Final = compile(r"[0-9a-f]{64}", ASCII)


class Logged(NamedTuple):
    """An audit record, when it was logged, and its MAC."""

    record: Mapping[str, Any]
    at: datetime
    mac: str = ""

    @property
    def digest(self) -> str:
        """The name by which an anchor knows the record if it rejects it."""
        return sha256(canonical({**self.record, "mac": self.mac}).encode()).hexdigest()


def is_acceptable(logged: Logged, find: Find) -> bool:
    """Return whether a record is of the server, or of a chain that says that it cannot be told."""
    record = logged.record
    if not HASH.fullmatch(record["hash"]) or isinstance(record["n"], bool) or not 0 < record["n"] < MAX_IN_CHAIN:
        return False
    named = KEYED.fullmatch(record["chain"])
    if named is None:
        return WITHOUT_MAC.fullmatch(record["chain"]) is not None
    ended = datetime.fromtimestamp(int(named["began"], 16), UTC) + CHAIN_LASTS
    secret = find(named["key"]) if logged.at < ended + LATE else None
    # As bytes: what somebody else wrote may have any characters.
    return secret is not None and compare_digest(logged.mac.encode(errors="replace"), mac_of(record, secret).encode())


def sifted(logged: Iterable[Logged], find: Find) -> tuple[list[Logged], dict[str, Logged]]:
    """Return the records that are acceptable, and by their digests those that are not."""
    accepted, forged = list[Logged](), dict[str, Logged]()
    for each in logged:
        if is_acceptable(each, find):
            accepted.append(each)
        else:
            forged[each.digest] = each
    return accepted, forged
