"""Calls of AWS by the executors, whose failures are told apart: an outage, throttling, or a mistake of ours."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from botocore.exceptions import BotoCoreError, ClientError, ParamValidationError

from mcp_tasks.ports.executor import ExecutorThrottled, ExecutorUnavailable

THROTTLED: Final = frozenset({"ThrottlingException", "Throttling", "TooManyRequestsException"})

# The request itself is wrong, so a retry would fail in the same way.
OUR_MISTAKES: Final = frozenset(
    {"InvalidArn", "InvalidExecutionInput", "InvalidName", "InvalidParameterValueException", "ValidationException"}
)


def call(client: Any, operation: str, *, harmless: Sequence[str] = (), **request: Any) -> Mapping[str, Any] | None:
    """Return the answer of AWS, None where its error is `harmless`; raises `ExecutorUnavailable` and our mistakes."""
    try:
        answer: Mapping[str, Any] = getattr(client, operation)(**request)
    except ClientError as error:
        code = error.response["Error"]["Code"]
        if code in harmless:
            return None
        if code in OUR_MISTAKES:
            raise
        raise (ExecutorThrottled if code in THROTTLED else ExecutorUnavailable)(code) from error
    except ParamValidationError:
        raise
    except BotoCoreError as error:
        raise ExecutorUnavailable(type(error).__name__) from error
    return answer
