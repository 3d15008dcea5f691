"""Calls AWS again while it refuses a call for the moment, for as long as the current request has patience.

A refusal says that nothing was done.  After an error of AWS's own, or none at all, a write may have been done: only
reads are repeated then, and writes that AWS recognises by a token.
"""

from collections.abc import Callable
from itertools import count
from typing import Final, TypeVar

from botocore.exceptions import ClientError, ConnectionError, HTTPClientError

from mcp_tasks.patience import PATIENCE
from mcp_tasks.tasks.errors import Unavailable

T = TypeVar("T")

REFUSED_FOR_NOW: Final = frozenset(
    {
        *("ProvisionedThroughputExceededException", "RequestLimitExceeded", "SlowDown"),
        *("Throttling", "ThrottlingException", "TooManyRequestsException"),
    }
)
"""Codes of errors after which nothing was done."""

UNDECIDED: Final = frozenset({"TransactionInProgressException", "RequestTimeout"})
"""Codes with a status below 500 after which the write, or an earlier attempt at it, may still be done."""

NO_ANSWER: Final = (ConnectionError, HTTPClientError)


def patiently(call: Callable[[], T]) -> T:
    """Return what a call returns that may be made any number of times, as a read; raises `Unavailable`."""
    return _patiently(call, is_harmless=True, is_repeatable=True)


def write_patiently(write: Callable[[], T], *, is_repeatable: bool = False) -> T:
    """Return what `write` returns; raises `Unavailable` where nothing was written, and AWS's own error otherwise.

    One that `is_repeatable` is known to AWS by a token: done twice, it is done once.
    """
    return _patiently(write, is_harmless=False, is_repeatable=is_repeatable)


def _patiently(call: Callable[[], T], *, is_harmless: bool, is_repeatable: bool) -> T:
    patience, may_be_done = PATIENCE.get(), False
    for attempt in count():
        try:
            return call()
        except (ClientError, *NO_ANSWER) as error:
            is_refused, is_undecided = _is_refused(error), _is_undecided(error)
            may_be_done = may_be_done or (is_undecided and not is_harmless)
            if patience is None or not (is_refused or (is_undecided and is_repeatable)):
                raise
            if not patience.pause(attempt):
                if may_be_done:
                    raise
                raise Unavailable from error
    raise AssertionError("count never ends")


def _is_refused(error: Exception) -> bool:
    return isinstance(error, ClientError) and error.response["Error"]["Code"] in REFUSED_FOR_NOW


def _is_undecided(error: Exception) -> bool:
    if not isinstance(error, ClientError):
        return True
    status = error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0)
    return not _is_refused(error) and (status >= 500 or error.response["Error"]["Code"] in UNDECIDED)
