"""A state that calls one of our functions about the task that the execution is for."""

from collections.abc import Mapping, Sequence

from aws_cdk import Duration
from aws_cdk.aws_lambda import IFunction
from aws_cdk.aws_stepfunctions import IntegrationPattern, JitterType, QueryLanguage, TaskInput, Timeout
from aws_cdk.aws_stepfunctions_tasks import LambdaInvoke
from constructs import Construct

# The execution's and not the state's: whatever ran before may have put out anything.
INPUT = "$states.context.Execution.Input"
TASK = {"scope": f"{{% {INPUT}.scope %}}", "task": f"{{% {INPUT}.task %}}"}

# No room for one more run: nothing ran, so there is no harm in asking for an hour, some four times a minute.
BUSY = ["Lambda.TooManyRequestsException"]
BUSY_CALLS = 250


class TaskCall(LambdaInvoke):
    """One call; the state's output is what the function answers, or what comes back with the token that it was sent."""

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        *,
        function: IFunction,
        payload: Mapping[str, str],
        retry: Sequence[str],
        timeout: Timeout | None = None,
        pattern: IntegrationPattern = IntegrationPattern.REQUEST_RESPONSE,
    ) -> None:
        """Send owner key, task and `payload`; call again on the errors named by `retry`, and while Lambda is busy."""
        answered = pattern is IntegrationPattern.REQUEST_RESPONSE
        super().__init__(
            scope,
            construct_id,
            query_language=QueryLanguage.JSONATA,
            lambda_function=function,
            integration_pattern=pattern,
            payload=TaskInput.from_object({**TASK, **payload}),
            outputs="{% $states.result.Payload %}" if answered else None,
            task_timeout=timeout,
            retry_on_service_exceptions=False,
        )
        for errors, calls in ((BUSY, BUSY_CALLS), (retry, 4)):
            self.add_retry(
                errors=list(errors),
                interval=Duration.seconds(1),
                max_attempts=calls,
                backoff_rate=2,
                max_delay=Duration.seconds(30),
                jitter_strategy=JitterType.FULL,
            )
