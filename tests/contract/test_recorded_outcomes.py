"""An outcome is recorded before its task is finished: what a process wrote that died between the two stays."""

from datetime import timedelta

import pytest

from mcp_tasks.tasks.model import Failed, OutcomeKind, Returned, State
from tests.cloud import Cloud
from tests.contract.aws_environment import AwsEnvironment, repeat
from tests.contract.process import Crash, Fuse
from tests.kit import ADA, FixedClock


def test_what_a_process_recorded_before_it_died_is_the_outcome_whatever_another_run_returns(
    aws: Cloud, clock: FixedClock
) -> None:
    environment = AwsEnvironment.of(aws, clock)
    task = environment.process().tasks.start(ADA, repeat, {"text": "hello"}, ttl=timedelta(hours=1))
    first, second = Returned(result={"content": []}), Failed(code=-1, message="no")
    with pytest.raises(Crash):
        environment.process(Fuse(number=2)).tasks.finish(ADA.owner_key, task.id, first)
    assert environment.process().tasks.get(ADA, task.id).state is State.WORKING

    ended = environment.process().tasks.finish(ADA.owner_key, task.id, second)

    assert (ended.outcome_kind, ended.status_message) == (OutcomeKind.RETURNED, None)
    assert environment.process().tasks.outcome(ADA, task.id) == first
    environment.deliver_stream(environment.process())
    assert environment.counted() == 0
