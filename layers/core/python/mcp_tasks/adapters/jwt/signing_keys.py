"""The issuer's public keys, fetched when they are needed and believed for longer while the issuer is away.

Ages are told by the time of day: a function that is frozen between requests does not count how long it was.
"""

import json
import logging
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from threading import Lock

from jwt import PyJWK, PyJWKSet
from jwt.exceptions import PyJWTError

from mcp_tasks.adapters.jwt.fetch import NotFetched, fetch
from mcp_tasks.limits.waits import KEYS_FETCHED_WITHIN, KEYS_FIRST_RETRY, KEYS_FRESH, KEYS_REFETCHED_AFTER, KEYS_STALE
from mcp_tasks.ports.clock import Clock

logger = logging.getLogger(__name__)


class KeysUnavailable(Exception):
    """The issuer's keys could not be had, so that nothing can be said about any token."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Known:
    keys: Mapping[str, PyJWK]
    fetched_at: datetime


class SigningKeys:
    """The keys at one address; one for each process, since what it remembers is worth keeping.

    Tokens name keys before anything about them is proved.  So they cause a fetch every 30 seconds at most; while
    fetching fails, after 2, 4, 8, 16 and then 30 seconds: in between, a request is answered by what is known.
    """

    def __init__(self, url: str, *, clock: Clock, within: timedelta = KEYS_FETCHED_WITHIN) -> None:
        """Fetch from there, and never wait longer than `within` for it."""
        self._url = url
        self._clock = clock
        self._within = within
        self._known = _Known(keys={}, fetched_at=datetime.min.replace(tzinfo=UTC))
        self._not_before = datetime.min.replace(tzinfo=UTC)
        self._failures = 0
        self._fetching = Lock()

    def find(self, name: str) -> PyJWK | None:
        """Return a key by its name, None when the issuer has no such key.

        Raises:
            KeysUnavailable: The issuer does not say which keys it has.
        """
        if name not in self._known.keys or self._age(self._known) >= KEYS_FRESH:
            self._refresh()
        known = self._known
        key, age = known.keys.get(name), self._age(known)
        if age >= KEYS_STALE or (key is None and self._failures):
            raise KeysUnavailable(self._url)
        if key is not None and age >= KEYS_FRESH:
            said = {"keys_age": round(age.total_seconds()), "fallback": "stale_keys"}
            logger.warning("a key is believed that may be withdrawn", extra=said)
        return key

    def _age(self, known: _Known) -> timedelta:
        return self._clock.now() - known.fetched_at

    def _refresh(self) -> None:
        # Whoever waited here while another request fetched finds that it is too early to fetch again.
        with self._fetching:
            if self._clock.now() < self._not_before:
                return
            try:
                keys = _signing_keys(fetch(self._url, within=self._within))
            except (NotFetched, PyJWTError, ValueError, TypeError, RecursionError) as error:
                wait = min(KEYS_FIRST_RETRY * 2**self._failures, KEYS_REFETCHED_AFTER)
                self._failures += 1
                logger.warning("keys not fetched", extra={"reason": str(error), "failures": self._failures})
            else:
                wait = KEYS_REFETCHED_AFTER
                self._failures = 0
                self._known = _Known(keys=keys, fetched_at=self._clock.now())
            self._not_before = self._clock.now() + wait


def _signing_keys(document: bytes) -> dict[str, PyJWK]:
    published = PyJWKSet.from_dict(dict(json.loads(document)))
    usable = [key for key in published.keys if key.key_id and key.public_key_use in ("sig", None)]
    if not usable:
        raise ValueError("no key in it is for signatures and has a name")
    # The first of a name counts.
    return {str(key.key_id): key for key in reversed(usable)}
