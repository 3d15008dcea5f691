"""Failures of AWS that pass by themselves are told from all others, and known by one name."""

import pytest
from botocore.exceptions import (
    BotoCoreError,
    ClientError,
    ConnectTimeoutError,
    EndpointConnectionError,
    IncompleteReadError,
    ParamValidationError,
    ReadTimeoutError,
)

from mcp_tasks.adapters.aws_failures import raising_unavailable
from mcp_tasks.tasks.errors import Unavailable


def refusal(code: str, status: int = 400, *reasons: str) -> ClientError:
    response = {
        "Error": {"Code": code, "Message": "No"},
        "ResponseMetadata": {"HTTPStatusCode": status},
        "CancellationReasons": [{"Code": reason} for reason in reasons],
    }
    return ClientError(response, "GetItem")


@pytest.mark.parametrize(
    "error",
    [
        refusal("ProvisionedThroughputExceededException"),
        refusal("ThrottlingException"),
        refusal("RequestLimitExceeded"),
        refusal("TooManyRequestsException", 429),
        refusal("InternalServerError", 500),
        refusal("SlowDown", 503),
        refusal("RequestTimeout"),
        refusal("TransactionInProgressException"),
        refusal("TransactionConflictException"),
        refusal("TransactionCanceledException", 400, "None", "ThrottlingError"),
        EndpointConnectionError(endpoint_url="https://dynamodb"),
        ConnectTimeoutError(endpoint_url="https://dynamodb"),
        ReadTimeoutError(endpoint_url="https://dynamodb"),
        IncompleteReadError(actual_bytes=1, expected_bytes=2),
    ],
)
def test_a_failure_that_passes_is_unavailable(error: BotoCoreError | ClientError) -> None:
    with pytest.raises(Unavailable), raising_unavailable():
        raise error


@pytest.mark.parametrize(
    "error",
    [
        refusal("AccessDeniedException"),
        refusal("ValidationException"),
        refusal("ConditionalCheckFailedException"),
        refusal("TransactionCanceledException", 400, "ConditionalCheckFailed"),
        refusal("ResourceNotFoundException"),
        ParamValidationError(report="a key is missing"),
        OSError(),
    ],
)
def test_another_failure_stays_what_it_is(error: Exception) -> None:
    with pytest.raises(type(error)) as raised, raising_unavailable():
        raise error

    assert raised.value is error
