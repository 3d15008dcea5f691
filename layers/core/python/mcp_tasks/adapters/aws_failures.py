"""AWS's failures that pass by themselves, and calls that are made again until one has passed.

    kind         what the call did     made again, while the current request has patience
    OVERLOADED   nothing               always
    BUSY         nothing               by the table, which knows what else may be written (`dynamodb/table.py`)
    UNDECIDED    nothing or all of it  a read, and a write that AWS knows by a token

Any other failure comes again.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from typing import Any, Final, TypeVar

from botocore.exceptions import BotoCoreError, ClientError, ConnectionError, HTTPClientError, IncompleteReadError

from mcp_tasks.fallbacks import report_unreadable
from mcp_tasks.patience import PATIENCE
from mcp_tasks.tasks.errors import DamagedCounter
from mcp_tasks.tasks.errors import Unavailable as Unavailable

T = TypeVar("T")

NO_ANSWER: Final = (ConnectionError, HTTPClientError, IncompleteReadError)
"""The errors of botocore for an answer that did not come, or not whole: such a failure is UNDECIDED."""
CONFLICT: Final = frozenset({"TransactionConflict", "TransactionConflictException"})
BUSY: Final = CONFLICT | {"ThrottlingError", "ProvisionedThroughputExceeded"}
"""Most of these are reasons for which DynamoDB cancels a transaction."""
OVERLOADED: Final = frozenset(
    {
        *("Throttling", "ThrottlingException", "ThrottledException", "SlowDown", "TooManyRequestsException"),
        *("RequestLimitExceeded", "RequestThrottled", "RequestThrottledException"),
        "ProvisionedThroughputExceededException",
    }
)
UNDECIDED: Final = frozenset(
    {
        *("TransactionInProgressException", "RequestTimeout"),
        *("InternalServerError", "InternalFailure", "ServiceUnavailable", "ServiceException"),
    }
)


def kind_of(error: Exception) -> frozenset[str] | None:
    """Return of which kind an error of botocore's is, as a code or a status of AWS's says; None for any other."""
    if not isinstance(error, ClientError):
        return UNDECIDED if isinstance(error, NO_ANSWER) else None
    response: dict[str, Any] = dict(error.response)
    code, status = response["Error"]["Code"], response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0)
    if code in OVERLOADED or status == 429:
        return OVERLOADED
    if code in UNDECIDED or status >= 500:
        return UNDECIDED
    reasons = {code, *(each.get("Code") for each in response.get("CancellationReasons", ()))}
    return None if reasons.isdisjoint(BUSY) else BUSY


@contextmanager
def raising_unavailable() -> Iterator[None]:
    """Run the block, or each call of a function that this decorates; raise `Unavailable` for a failure that passes."""
    try:
        yield
    except DamagedCounter as damaged:
        report_unreadable("a call is to be repeated", damaged)
        raise Unavailable(str(damaged)) from damaged
    except (BotoCoreError, ClientError) as error:
        if kind_of(error) is None:
            raise
        # A class of botocore's or a code of AWS's, and nothing of the request.
        said = error.response["Error"]["Code"] if isinstance(error, ClientError) else type(error).__name__
        raise Unavailable(said) from error


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
            kind = kind_of(error)
            may_be_done = may_be_done or (kind is UNDECIDED and not is_harmless)
            if patience is None or not (kind is OVERLOADED or (kind is UNDECIDED and is_repeatable)):
                raise
            if not patience.pause(attempt):
                if may_be_done:
                    raise
                raise Unavailable from error
    raise AssertionError("count never ends")
