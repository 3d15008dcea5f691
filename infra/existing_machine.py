"""A state machine that exists already: ours starts it, waits for its end, and passes its output on."""

import re

from aws_cdk import ArnFormat, Duration, Stack, Token
from aws_cdk.aws_stepfunctions import (
    IChainable,
    IntegrationPattern,
    IStateMachine,
    JitterType,
    QueryLanguage,
    StateMachine,
    TaskInput,
    Timeout,
)
from aws_cdk.aws_stepfunctions_tasks import StepFunctionsStartExecution
from constructs import Construct

from .findings import acknowledge_wildcard
from .retries import PASSING_CALLS, UNSTARTED
from .task_call import INPUT

ARN = re.compile(
    r"arn:aws[\w-]*:states:(?P<region>[\w-]+):(?P<account>\d{12}):stateMachine:(?P<name>[^:\s]+)(:[^:\s]+)?"
)

# The account of the local stage, which has no other account's machines.
EMULATOR = "000000000000"


def imported(scope: Construct, arn: object, *, file: str) -> IStateMachine:
    """Return the state machine with this ARN, and on the emulator the one that has its name there.

    Raises `SystemExit` for what is no such ARN, or that of another account or region.
    """
    stack, found = Stack.of(scope), ARN.fullmatch(str(arn))
    if found is None:
        raise SystemExit(
            f"{file}: {arn!r} is no ARN of a state machine: arn:aws:states:REGION:ACCOUNT:stateMachine:NAME."
        )
    if stack.account == EMULATOR:
        return StateMachine.from_state_machine_name(scope, "Existing", found["name"])
    for ours, theirs in ((stack.account, found["account"]), (stack.region, found["region"])):
        if not Token.is_unresolved(ours) and ours != theirs:
            raise SystemExit(
                f"{file}: {arn} cannot be waited for from {ours}: a state machine starts others beside itself."
            )
    return StateMachine.from_state_machine_arn(scope, "Existing", found[0])


def existing_work(scope: Construct, machine: IStateMachine) -> IChainable:
    """Return a state that starts the machine with the task's arguments, and whose output is that of the machine.

    The execution has the name of ours, which is the task's id.  When ours is stopped, Step Functions stops it too.
    """
    stack = Stack.of(scope)
    name = stack.split_arn(machine.state_machine_arn, ArnFormat.COLON_RESOURCE_NAME).resource_name
    executions = stack.format_arn(
        service="states", resource="execution", resource_name=f"{name}*", arn_format=ArnFormat.COLON_RESOURCE_NAME
    )
    acknowledge_wildcard(scope, executions, "Executions are named by the ids of tasks, which are not known here.")
    start = StepFunctionsStartExecution(
        scope,
        "Start",
        query_language=QueryLanguage.JSONATA,
        state_machine=machine,
        integration_pattern=IntegrationPattern.RUN_JOB,
        name="{% $states.context.Execution.Name %}",
        input=TaskInput.from_text(f"{{% {INPUT}.arguments %}}"),
        # The input would have one more field, which is no argument of the tool's.
        associate_with_parent=False,
        task_timeout=Timeout.jsonata(f"{{% {INPUT}.timeout %}}"),
        outputs="{% $states.result.Output %}",
    )
    # A failure of theirs has another name, and is not tried again: it is their outcome.
    return start.add_retry(
        errors=UNSTARTED,
        interval=Duration.seconds(1),
        max_attempts=PASSING_CALLS,
        backoff_rate=2,
        max_delay=Duration.seconds(30),
        jitter_strategy=JitterType.FULL,
    )
