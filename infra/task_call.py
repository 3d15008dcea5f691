"""A state that invokes one of the stack's functions for the task of its execution."""

from collections.abc import Mapping, Sequence
from typing import Any

from aws_cdk import Duration
from aws_cdk.aws_lambda import IFunction
from aws_cdk.aws_stepfunctions import IntegrationPattern, JitterType, QueryLanguage, TaskInput, Timeout
from aws_cdk.aws_stepfunctions_tasks import LambdaInvoke
from constructs import Construct

from .retries import BROKEN_CALLS, PASSING, PASSING_CALLS

# The input of the execution, not of the state: the states before may have had any output.
INPUT = "$states.context.Execution.Input"
TASK = {"scope": f"{{% {INPUT}.scope %}}", "task": f"{{% {INPUT}.task %}}"}
# Adopters' code holds a ticket, and no owner key.
TICKETED = {"ticket": f"{{% {INPUT}.ticket %}}", "task": TASK["task"]}
PAYLOAD = "{% $states.result.Payload %}"


class TaskCall(LambdaInvoke):
    """Invokes a function; the output is the function's, or that of SendTaskSuccess where it was sent a task token."""

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        *,
        function: IFunction,
        payload: Mapping[str, Any],
        retry: Sequence[str],
        task: Mapping[str, str] = TASK,
        timeout: Timeout | None = None,
        passing_calls: int = PASSING_CALLS,
        outputs: str = PAYLOAD,
        pattern: IntegrationPattern = IntegrationPattern.REQUEST_RESPONSE,
    ) -> None:
        """Send what identifies the task, and `payload`; retry while AWS fails, and four times on those in `retry`."""
        super().__init__(
            scope,
            construct_id,
            query_language=QueryLanguage.JSONATA,
            lambda_function=function,
            integration_pattern=pattern,
            payload=TaskInput.from_object({**task, **payload}),
            outputs=outputs if pattern is IntegrationPattern.REQUEST_RESPONSE else None,
            task_timeout=timeout,
            retry_on_service_exceptions=False,
        )
        for errors, calls in ((PASSING, passing_calls), (retry, BROKEN_CALLS)):
            self.add_retry(
                errors=list(errors),
                interval=Duration.seconds(1),
                max_attempts=calls,
                backoff_rate=2,
                max_delay=Duration.seconds(30),
                jitter_strategy=JitterType.FULL,
            )
