"""What a task costs in the table by the size of what it is given and returns."""

from dataclasses import replace
from datetime import timedelta

import pytest

from mcp_tasks.adapters.dynamodb.keys import DynamoKeys
from mcp_tasks.adapters.dynamodb.table import Table
from mcp_tasks.tasks.model import Returned
from tests.cloud import TABLE, Cloud
from tests.contract.aws_environment import AwsEnvironment, repeat
from tests.kit import ADA, FixedClock
from tests.write_units import Meter

KB = 1_000


def spent(aws: Cloud, clock: FixedClock, size: int) -> Meter:
    """Return what a task takes that is given a text and returns it, from its start until its client has the result."""
    # The key of tickets is one for all tasks of a month.
    DynamoKeys(Table(client=aws.dynamodb, name=TABLE, clock=clock)).current()
    meter = Meter()
    environment = AwsEnvironment.of(replace(aws, dynamodb=meter.around(aws.dynamodb), s3=meter.around(aws.s3)), clock)
    text = "x" * size
    task = environment.process().tasks.start(ADA, repeat, {"text": text}, ttl=timedelta(hours=1))
    environment.deliver_stream(environment.process())
    environment.process().runner.run(ADA.owner_key, task.id)
    environment.deliver_stream(environment.process())
    outcome = environment.process().tasks.outcome(ADA, task.id)
    assert isinstance(outcome, Returned)
    assert outcome.result["content"][0]["text"] == text
    return meter


@pytest.mark.parametrize(
    ("size", "write_units", "puts", "gets"),
    [(0, 17, 0, 0), (KB, 19, 0, 0), (5 * KB, 26, 0, 0), (96 * KB, 17, 2, 2), (KB * KB, 17, 2, 2)],
    ids=["nothing", "1 KB", "5 KB", "96 KB", "1 MB"],
)
def test_a_task_takes_this_many_write_units_and_objects(
    aws: Cloud, clock: FixedClock, size: int, write_units: int, puts: int, gets: int
) -> None:
    meter = spent(aws, clock, size)

    assert (meter.write_units, meter.puts, meter.gets) == (write_units, puts, gets), meter.kinds
