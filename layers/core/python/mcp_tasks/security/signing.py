"""Signs values that clients carry for the server: they can read them, but neither change nor share them.

The signature covers the value, its purpose, its owner key and its expiry, so that it is valid only for the caller and
the use that it was made for.
"""

import base64
import binascii
import hmac
import json
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta

from mcp_tasks.limits.requests import MAX_SIGNED_CHARACTERS
from mcp_tasks.ports.clock import Clock
from mcp_tasks.ports.keys import Keys
from mcp_tasks.records import record
from mcp_tasks.tasks.model import JSON


class BadSignature(Exception):
    """The value was not signed here, for this caller and purpose, or its time is over."""


class SignatureExpired(BadSignature):
    """The value was signed here, for this caller and purpose, and its time is over."""

    def __init__(self, value: Mapping[str, JSON]) -> None:
        """Keep the value."""
        super().__init__("expired")
        self.value = value


class UnknownKey(BadSignature):
    """The value names a key that is not accepted: it was retired, or there never was one."""


@record
class Signer:
    """Signs and verifies JSON objects."""

    keys: Keys
    clock: Clock

    def sign(self, value: Mapping[str, JSON], *, purpose: str, owner_key: str, lifetime: timedelta) -> str:
        """Return the value as URL-safe text, valid for this purpose and owner only, for `lifetime`."""
        name, key = self.keys.current()
        expires = int((self.clock.now() + lifetime).timestamp())
        payload = encode(json.dumps([name, expires, value], separators=(",", ":")).encode())
        return f"{payload}.{encode(_sign(key, payload, purpose, owner_key))}"

    def verify(self, text: str, *, purpose: str, owner_key: str) -> Mapping[str, JSON]:
        """Return the value that was signed; raises `BadSignature`."""
        if len(text) > MAX_SIGNED_CHARACTERS:
            raise BadSignature
        try:
            payload, signature = text.split(".")
            name, expires, value = json.loads(decode(payload))
            given = decode(signature)
        except (ValueError, TypeError, RecursionError) as error:
            raise BadSignature from error
        key = self.keys.find(name) if isinstance(name, str) else None
        if key is None:
            raise UnknownKey
        if not hmac.compare_digest(given, _sign(key, payload, purpose, owner_key)):
            raise BadSignature
        if is_over(expires, self.clock):
            raise SignatureExpired(value)
        return value  # type: ignore[no-any-return]  # signed by us, hence the mapping that we signed


def expiry(text: str) -> datetime:
    """Return when a text that was verified expires."""
    _, expires, _ = json.loads(decode(text.partition(".")[0]))
    return datetime.fromtimestamp(expires, UTC)


def _sign(key: bytes, payload: str, purpose: str, owner_key: str) -> bytes:
    # JSON keeps the three apart: no purpose or owner key can imitate a part of its neighbour.
    return digest(key, json.dumps([purpose, owner_key, payload]).encode())


def digest(key: bytes, data: bytes) -> bytes:
    """Return the HMAC-SHA256 of the data."""
    return hmac.digest(key, data, "sha256")


def is_over(expires: int, clock: Clock) -> bool:
    """Return whether a time, in seconds since 1970, has passed."""
    return datetime.fromtimestamp(expires, clock.now().tzinfo) <= clock.now()


def encode(data: bytes) -> str:
    """Return the data as URL-safe text."""
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def decode(text: str) -> bytes:
    """Return what was encoded; raises `ValueError`."""
    try:
        data = base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
    except binascii.Error as error:
        raise ValueError("not base64") from error
    # The last character may hold unused bits: text that differs only there was changed all the same.
    if encode(data) != text:
        raise ValueError("not as it was encoded")
    return data
