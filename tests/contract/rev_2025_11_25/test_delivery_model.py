"""Deliveries in memory and on DynamoDB, compared through random sequences of attempts."""

from contextlib import ExitStack
from datetime import timedelta

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, rule

from mcp_tasks.adapters.dynamodb.table import Table
from mcp_tasks.wire.rev_2025_11_25.adapters.dynamodb import DynamoSessions
from mcp_tasks.wire.rev_2025_11_25.adapters.memory import MemorySessions
from mcp_tasks.wire.rev_2025_11_25.ports import Attempt, SessionStore
from tests.cloud import TABLE, cloud
from tests.dynamodb.twin import Twin
from tests.kit import ADA, BOB, EVE, FixedClock

owner_keys = st.sampled_from([ADA.owner_key, BOB.owner_key, EVE.owner_key])


class Deliveries(RuleBasedStateMachine):
    """Saves the same in both and demands the same answer."""

    def __init__(self) -> None:
        super().__init__()
        self.open = ExitStack()
        self.clock = FixedClock()
        table = Table(client=Twin(self.open.enter_context(cloud()).dynamodb), name=TABLE, clock=self.clock)
        self.sessions: list[SessionStore] = [MemorySessions(self.clock), DynamoSessions(table=table)]

    def teardown(self) -> None:
        self.open.close()

    @rule(duration=st.sampled_from([timedelta(microseconds=1), timedelta(seconds=40), timedelta(hours=24)]))
    def advance(self, duration: timedelta) -> None:
        self.clock.advance(duration)

    @rule(
        owner_key=owner_keys,
        name=st.sampled_from("xy"),
        attempt=st.integers(1, 3),
        minutes=st.sampled_from([-1, 0, 1, 3_000]),
    )
    def save_attempt(self, owner_key: str, name: str, attempt: int, minutes: int) -> None:
        until = self.clock.now() + timedelta(minutes=minutes)
        saved_one = Attempt(number=attempt, stream=f"{minutes}")

        saved = [each.save_attempt(owner_key, name, saved_one, until) for each in self.sessions]
        found = [each.load_attempt(owner_key, name) for each in self.sessions]
        assert saved[0] == saved[1]
        assert found[0] == found[1]


Deliveries.TestCase.settings = settings(
    max_examples=20, stateful_step_count=30, suppress_health_check=list(HealthCheck)
)
test_both_stores_keep_the_same_attempts = Deliveries.TestCase
