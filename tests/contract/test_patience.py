"""The table while DynamoDB throttles it, or does not answer, for a request that has more time than botocore takes."""

from collections.abc import Callable, Iterator, Mapping
from datetime import timedelta
from typing import Any

import pytest
from botocore.exceptions import ClientError, IncompleteReadError, ReadTimeoutError

from mcp_tasks.adapters.dynamodb.task_store import DynamoTaskStore
from mcp_tasks.patience import Patience, patient
from mcp_tasks.tasks.errors import Unavailable
from tests.cloud import Cloud
from tests.contract.dynamo_store_actions import active, add
from tests.contract.faults import canceled, with_faults
from tests.kit import ADA, NOON, FixedClock, a_task

GET, QUERY, WRITE, PUT = "get_item", "query", "transact_write_items", "put_item"
TWENTY_SECONDS = timedelta(seconds=20)
NO_ANSWER = ReadTimeoutError(endpoint_url="https://dynamodb")
HALF_AN_ANSWER = IncompleteReadError(actual_bytes=1, expected_bytes=2)


def refused(code: str, status: int = 400) -> ClientError:
    response: Any = {"Error": {"Code": code, "Message": ""}, "ResponseMetadata": {"HTTPStatusCode": status}}
    return ClientError(response, "GetItem")


THROTTLED = refused("ThrottlingException")
BROKEN = refused("InternalServerError", 500)
IN_PROGRESS = refused("TransactionInProgressException")


@pytest.fixture
def patience(clock: FixedClock) -> Iterator[None]:
    """A request that has 20 seconds."""
    with patient(Patience(clock=clock, until=NOON + TWENTY_SECONDS)):
        yield


def until(
    clock: FixedClock, seconds: float, operation: str, error: Exception, tokens: list[str] | None = None
) -> Callable[[str, Mapping[str, Any]], None]:
    """Return a fault that fails an operation for some seconds; `tokens` fills with those of its calls."""

    def strike(called: str, request: Mapping[str, Any]) -> None:
        if called == operation:
            if tokens is not None:
                tokens.append(request["ClientRequestToken"])
            if clock.now() < NOON + timedelta(seconds=seconds):
                raise error

    return strike


@pytest.mark.usefixtures("patience")
@pytest.mark.parametrize(
    "error",
    [
        *map(refused, ("ThrottlingException", "ProvisionedThroughputExceededException", "RequestLimitExceeded")),
        *map(refused, ("ThrottledException", "RequestThrottled", "RequestThrottledException", "RequestTimeout")),
        refused("LimitExceeded", 429),
        *(BROKEN, NO_ANSWER, HALF_AN_ANSWER),
    ],
)
def test_a_read_that_fails_for_fifteen_seconds_succeeds_after_them(
    dynamo_store: DynamoTaskStore, clock: FixedClock, error: Exception
) -> None:
    task = add(dynamo_store)

    assert with_faults(dynamo_store, until(clock, 15, GET, error)).read(ADA.owner_key, task.id) == task
    assert with_faults(dynamo_store, until(clock, 17, QUERY, error)).page(ADA.owner_key, before=None, limit=9) == [task]
    assert timedelta(seconds=17) <= clock.now() - NOON < TWENTY_SECONDS


@pytest.mark.usefixtures("patience")
@pytest.mark.parametrize("error", [THROTTLED, BROKEN, NO_ANSWER])
def test_a_read_that_fails_for_longer_is_unavailable_before_the_time_is_over(
    dynamo_store: DynamoTaskStore, clock: FixedClock, error: Exception
) -> None:
    task = add(dynamo_store)

    with pytest.raises(Unavailable):
        with_faults(dynamo_store, until(clock, 30, GET, error)).read(ADA.owner_key, task.id)
    assert timedelta(seconds=17) < clock.now() - NOON < TWENTY_SECONDS


def test_without_patience_the_error_of_aws_is_raised_at_once(dynamo_store: DynamoTaskStore, clock: FixedClock) -> None:
    task = add(dynamo_store)

    with pytest.raises(ClientError) as raised:
        with_faults(dynamo_store, until(clock, 1, GET, THROTTLED)).read(ADA.owner_key, task.id)
    assert (raised.value, clock.now()) == (THROTTLED, NOON)


@pytest.mark.usefixtures("patience")
def test_a_read_that_is_not_allowed_is_not_repeated(dynamo_store: DynamoTaskStore, clock: FixedClock) -> None:
    task, denied = add(dynamo_store), refused("AccessDeniedException")

    with pytest.raises(ClientError) as raised:
        with_faults(dynamo_store, until(clock, 1, GET, denied)).read(ADA.owner_key, task.id)
    assert (raised.value, clock.now()) == (denied, NOON)


@pytest.mark.usefixtures("patience")
@pytest.mark.parametrize(
    "error", [THROTTLED, canceled("None", "ThrottlingError"), canceled("ProvisionedThroughputExceeded", "None")]
)
def test_a_transaction_that_is_throttled_for_fifteen_seconds_is_written_once(
    dynamo_store: DynamoTaskStore, aws: Cloud, clock: FixedClock, error: Exception
) -> None:
    task = add(with_faults(dynamo_store, until(clock, 15, WRITE, error)))

    assert dynamo_store.read(ADA.owner_key, task.id) == task
    assert active(aws) == 1


@pytest.mark.usefixtures("patience")
@pytest.mark.parametrize("error", [THROTTLED, canceled("None", "ThrottlingError")])
def test_a_transaction_that_is_throttled_for_longer_is_unavailable(
    dynamo_store: DynamoTaskStore, clock: FixedClock, error: Exception
) -> None:
    with pytest.raises(Unavailable):
        add(with_faults(dynamo_store, until(clock, 30, WRITE, error)))
    assert timedelta(seconds=17) < clock.now() - NOON < TWENTY_SECONDS


@pytest.mark.usefixtures("patience")
@pytest.mark.parametrize("error", [BROKEN, NO_ANSWER, IN_PROGRESS])
def test_a_transaction_without_an_answer_is_repeated_with_its_token(
    dynamo_store: DynamoTaskStore, aws: Cloud, clock: FixedClock, error: Exception
) -> None:
    tokens: list[str] = []
    add(with_faults(dynamo_store, until(clock, 15, WRITE, error, tokens)))

    assert len(tokens) > 5
    assert len(set(tokens)) == 1
    assert active(aws) == 1


@pytest.mark.usefixtures("patience")
def test_a_transaction_that_was_cancelled_is_repeated_with_another_token(
    dynamo_store: DynamoTaskStore, clock: FixedClock
) -> None:
    tokens: list[str] = []
    add(with_faults(dynamo_store, until(clock, 15, WRITE, canceled("None", "ThrottlingError"), tokens)))

    assert len(tokens) == len(set(tokens)) > 5


@pytest.mark.usefixtures("patience")
@pytest.mark.parametrize("error", [BROKEN, NO_ANSWER, IN_PROGRESS])
def test_a_transaction_that_is_never_answered_is_not_said_to_have_done_nothing(
    dynamo_store: DynamoTaskStore, clock: FixedClock, error: Exception
) -> None:
    with pytest.raises(type(error)) as raised:
        add(with_faults(dynamo_store, until(clock, 30, WRITE, error)))
    assert raised.value is error


@pytest.mark.usefixtures("patience")
def test_a_transaction_that_is_throttled_after_it_was_not_answered_is_not_said_to_have_done_nothing(
    dynamo_store: DynamoTaskStore, clock: FixedClock
) -> None:
    unanswered = [NO_ANSWER]

    def strike(called: str, request: Mapping[str, Any]) -> None:
        if called == WRITE:
            raise unanswered.pop() if unanswered else THROTTLED

    with pytest.raises(ClientError) as raised:
        add(with_faults(dynamo_store, strike))
    assert raised.value is THROTTLED


@pytest.mark.usefixtures("patience")
@pytest.mark.parametrize("error", [BROKEN, NO_ANSWER, HALF_AN_ANSWER])
def test_a_write_without_a_token_is_not_repeated_after_no_answer(
    dynamo_store: DynamoTaskStore, clock: FixedClock, error: Exception
) -> None:
    task = add(dynamo_store, a_task())

    with pytest.raises(type(error)) as raised:
        with_faults(dynamo_store, until(clock, 1, PUT, error)).record(ADA.owner_key, task, "step", 1)
    assert (raised.value, clock.now()) == (error, NOON)


@pytest.mark.usefixtures("patience")
def test_a_write_without_a_token_is_repeated_while_it_is_throttled(
    dynamo_store: DynamoTaskStore, clock: FixedClock
) -> None:
    task = add(dynamo_store, a_task())

    assert with_faults(dynamo_store, until(clock, 15, PUT, THROTTLED)).record(ADA.owner_key, task, "step", 1) == 1
