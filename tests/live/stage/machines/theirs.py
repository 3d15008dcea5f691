"""A state machine that exists beside the server, and waits for an hour."""

from aws_cdk import Duration
from aws_cdk.aws_stepfunctions import DefinitionBody, IStateMachine, QueryLanguage, StateMachine, Wait, WaitTime
from constructs import Construct

from infra.findings import acknowledge


def existing(scope: Construct) -> IStateMachine:
    """Return the state machine."""
    hour = WaitTime.duration(Duration.hours(1))
    wait = Wait(scope, "WaitForTheirs", query_language=QueryLanguage.JSONATA, time=hour)
    machine = StateMachine(scope, "Theirs", definition_body=DefinitionBody.from_chainable(wait))
    acknowledge(machine, "SF1", "Tests read the history of its executions.")
    acknowledge(machine, "SF2", "Tests read the history of its executions.")
    return machine
