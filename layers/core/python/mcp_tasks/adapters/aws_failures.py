"""Tells failures of AWS that pass by themselves from all others."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

from botocore.exceptions import BotoCoreError, ClientError, ConnectionError, HTTPClientError, IncompleteReadError

from mcp_tasks.tasks.errors import Unavailable as Unavailable

UNREACHED: Final = (ConnectionError, HTTPClientError, IncompleteReadError)
"""What botocore raises where no answer came, or no whole one."""

THROTTLED: Final = frozenset(
    {
        *("Throttling", "ThrottlingException", "ThrottlingError", "ThrottledException", "SlowDown"),
        *("TooManyRequestsException", "RequestLimitExceeded", "RequestThrottled", "RequestThrottledException"),
        *("ProvisionedThroughputExceededException", "ProvisionedThroughputExceeded"),
        *("TransactionConflict", "TransactionConflictException", "TransactionInProgressException"),
        *("InternalServerError", "InternalFailure", "ServiceUnavailable", "ServiceException"),
    }
)
"""AWS's codes for a request that it may take later; most have an HTTP status that says so, and DynamoDB's have 400."""


@contextmanager
def raising_unavailable() -> Iterator[None]:
    """Run the block, or each call of a function that this decorates; raise `Unavailable` for a failure that passes."""
    try:
        yield
    except (BotoCoreError, ClientError) as error:
        if not passes(error):
            raise
        # A class of botocore's or a code of AWS's, and nothing of the request.
        said = error.response["Error"]["Code"] if isinstance(error, ClientError) else type(error).__name__
        raise Unavailable(said) from error


def passes(error: BotoCoreError | ClientError) -> bool:
    """Return whether an error of botocore's says that the same call may succeed later."""
    if not isinstance(error, ClientError):
        return isinstance(error, UNREACHED)
    response: dict[str, Any] = dict(error.response)
    status = response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0)
    codes = {response["Error"]["Code"], *(each.get("Code") for each in response.get("CancellationReasons", ()))}
    return status >= 500 or status == 429 or not codes.isdisjoint(THROTTLED)
