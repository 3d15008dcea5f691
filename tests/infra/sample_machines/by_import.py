"""A state machine of somebody else's, by one of the CDK's imports."""

from aws_cdk.aws_stepfunctions import IStateMachine, StateMachine
from constructs import Construct


def existing(scope: Construct) -> IStateMachine:
    """Return the state machine of that name in this account."""
    return StateMachine.from_state_machine_name(scope, "Load", "nightly-load")
