"""The outages of a soak: which a run has, and what one is to functions and to others."""

from random import Random

import boto3
import pytest
from botocore.config import Config
from botocore.exceptions import ClientError

from local.emulator import Emulator, running_emulator
from tests.soak.outages import SECONDS, SERVICES, drawn

CODES = {
    "dynamodb": ("list_tables", "ProvisionedThroughputExceededException"),
    "dynamodbstreams": ("list_streams", "ThrottlingException"),
    "stepfunctions": ("list_state_machines", "ThrottlingException"),
    "s3": ("list_buckets", "SlowDown"),
}


def code(emulator: Emulator, key: str, service: str, operation: str) -> str:
    config = Config(retries={"total_max_attempts": 1}, s3={"addressing_style": "path"})
    credentials = {"aws_access_key_id": key, "aws_secret_access_key": key}
    client = boto3.client(service, "us-east-1", endpoint_url=emulator.url, config=config, **credentials)
    try:
        getattr(client, operation)()
    except ClientError as error:
        return str(error.response["Error"]["Code"])
    return "none"


def test_a_service_that_is_away_refuses_functions_alone_until_it_is_back() -> None:
    with running_emulator() as emulator:
        with emulator.without(["dynamodb", "dynamodbstreams", "states", "s3"]):
            refused = {
                service: code(emulator, "function", service, operation) for service, (operation, _) in CODES.items()
            }
            assert refused == {service: refusal for service, (_, refusal) in CODES.items()}
            assert code(emulator, "local", "dynamodb", "list_tables") == "none"

        assert code(emulator, "function", "dynamodb", "list_tables") != "ProvisionedThroughputExceededException"


def test_an_hour_has_outages_of_each_service_and_of_a_pair_of_both_lengths() -> None:
    found = drawn(60, Random(7))

    assert len(found) == 12
    alone = {(outage.services[0], outage.seconds) for outage in found if len(outage.services) == 1}
    assert alone == {(service, seconds) for service in SERVICES for seconds in SECONDS}
    assert sorted(outage.seconds for outage in found if len(outage.services) == 2) == [45, 300]


@pytest.mark.parametrize("seed", range(20))
def test_ten_minutes_have_outages_for_at_most_six(seed: int) -> None:
    found = drawn(10, Random(seed))

    assert 45 <= sum(outage.seconds for outage in found) <= 6 * 60
