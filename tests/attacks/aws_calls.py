"""What a request asks of AWS: each call, with all of its parameters."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final, NamedTuple
from unittest.mock import patch

from botocore.client import BaseClient

READS: Final = frozenset({"dynamodb:GetItem", "dynamodb:Query", "dynamodb:BatchGetItem"})


class AwsCall(NamedTuple):
    """One call: service and operation, and the parameters as text."""

    operation: str
    parameters: str


@contextmanager
def recorded() -> Iterator[list[AwsCall]]:
    """Record the calls that this thread makes in the block; executions that run meanwhile make theirs in others.

    No execution is started, resumed or stopped: nothing could undo that.
    """
    calls: list[AwsCall] = []
    call, thread = BaseClient._make_api_call, threading.get_ident()

    def record(client: Any, operation: str, parameters: Any) -> Any:
        if threading.get_ident() != thread:
            return call(client, operation, parameters)
        service = client.meta.service_model.service_name
        calls.append(AwsCall(f"{service}:{operation}", repr(parameters)))
        return {} if service == "stepfunctions" else call(client, operation, parameters)

    with patch.object(BaseClient, "_make_api_call", record):
        yield calls
