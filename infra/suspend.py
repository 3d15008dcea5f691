"""The state that waits while a task is suspended, without anything that runs."""

from aws_cdk.aws_lambda import IFunction
from aws_cdk.aws_stepfunctions import IntegrationPattern, Timeout
from constructs import Construct

from .retries import ANY_FAILURE
from .task_call import TaskCall

# What the function returns to a definition that does not catch `SUSPENDED`.
IN_THE_ERROR = "{% $parse($parse($states.errorOutput.Cause).errorMessage) %}"

# A function of an earlier release returns it to every definition.
RETURNED = "$states.result.Payload"
ENDED = f"{{% {RETURNED}.asked ? $error('the task is suspended') : {RETURNED} %}}"


# Of the time to wait, what is left when the state is retried: a sleep that began late does not end late.
PASSED = "$floor(($millis() - $toMillis($states.context.State.EnteredTime)) / 1000)"
LEFT = f"{{% $max([1, $states.input.seconds - {PASSED}]) %}}"


class Suspend(TaskCall):
    """Sends a task token, and waits for it as long as the run before says."""

    def __init__(self, scope: Construct, construct_id: str, *, function: IFunction) -> None:
        """Send the token to a function."""
        super().__init__(
            scope,
            construct_id,
            function=function,
            payload={"token": "{% $states.context.Task.Token %}"},
            retry=ANY_FAILURE,
            timeout=Timeout.jsonata(LEFT),
            pattern=IntegrationPattern.WAIT_FOR_TASK_TOKEN,
        )
