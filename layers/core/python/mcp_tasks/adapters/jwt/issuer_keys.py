"""The issuer's public keys (JWKS): cached, fetched on demand, and used for longer while the issuer is unreachable.

Ages are measured by wall-clock time: the monotonic clock stands still while Lambda freezes a function between requests.
"""

import logging
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from threading import Lock

from jwt import PyJWK

from mcp_tasks.adapters.jwt.fetch import NotFetched, fetch
from mcp_tasks.adapters.jwt.jwks import verification_keys
from mcp_tasks.limits.waits import (
    ISSUER_KEYS_FETCHED_WITHIN,
    ISSUER_KEYS_FIRST_RETRY,
    ISSUER_KEYS_FRESH,
    ISSUER_KEYS_REFETCHED_AFTER,
    ISSUER_KEYS_STALE,
)
from mcp_tasks.ports.clock import Clock
from mcp_tasks.records import record

logger = logging.getLogger(__name__)


class KeysUnavailable(Exception):
    """The issuer's keys could not be fetched, so no token can be verified or rejected."""


@record
class _Fetched:
    keys: Mapping[str, PyJWK]
    fetched_at: datetime


class IssuerKeys:
    """A cache of the keys at one URL, for all requests of a process; a fetch takes no longer than `within`.

    A token names its key before anything about it is verified, so anybody can name unknown keys.  They cause a fetch
    every 30 seconds at most, and while fetching fails after 2, 4, 8, 16 and then 30 seconds; in between, requests are
    answered from the cache.
    """

    def __init__(self, url: str, *, clock: Clock, within: timedelta = ISSUER_KEYS_FETCHED_WITHIN) -> None:
        self._url = url
        self._clock = clock
        self._within = within
        self._fetched = _Fetched(keys={}, fetched_at=datetime.min.replace(tzinfo=UTC))
        self._not_before = datetime.min.replace(tzinfo=UTC)
        self._failures = 0
        self._fetching = Lock()

    def find(self, name: str) -> PyJWK | None:
        """Return a key by its `kid`, None when the issuer has no such key.

        Raises:
            KeysUnavailable: The keys could not be fetched, and the cache is too old or lacks the key.
        """
        if name not in self._fetched.keys or self._age(self._fetched) >= ISSUER_KEYS_FRESH:
            self._refresh()
        fetched = self._fetched
        key, age = fetched.keys.get(name), self._age(fetched)
        if age >= ISSUER_KEYS_STALE or (key is None and self._failures):
            raise KeysUnavailable(self._url)
        if key is not None and age >= ISSUER_KEYS_FRESH:
            fields = {"keys_age": round(age.total_seconds()), "fallback": "stale_keys"}
            message = "the issuer's keys cannot be refreshed: a cached one is used that may have been withdrawn"
            logger.warning(message, extra=fields)
        return key

    def _age(self, fetched: _Fetched) -> timedelta:
        return self._clock.now() - fetched.fetched_at

    def _refresh(self) -> None:
        # A request that waited for the lock while another one fetched finds `_not_before` in the future.
        with self._fetching:
            if self._clock.now() < self._not_before:
                return
            try:
                keys = verification_keys(fetch(self._url, within=self._within))
            except (NotFetched, ValueError, RecursionError) as error:
                wait = min(ISSUER_KEYS_FIRST_RETRY * 2**self._failures, ISSUER_KEYS_REFETCHED_AFTER)
                self._failures += 1
                logger.warning("keys not fetched", extra={"reason": str(error), "failures": self._failures})
            else:
                wait = ISSUER_KEYS_REFETCHED_AFTER
                self._failures = 0
                self._fetched = _Fetched(keys=keys, fetched_at=self._clock.now())
            self._not_before = self._clock.now() + wait
