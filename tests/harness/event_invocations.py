"""Invocations by event, as Lambda makes them: whoever sends one waits for nothing, and one that fails is over."""

import json
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

from moto.awslambda.models import LambdaFunction

from mcp_tasks.engine import lease_keeping
from mcp_tasks.testing.state_machines.lambdas import FunctionDied, Lambdas
from mcp_tasks.testing.state_machines.threads import threads_of


@contextmanager
def event_invocations(lambdas: Lambdas) -> Iterator[None]:
    """Deliver events in threads of the harness, for which moto would wait; runs keep their leases in such threads."""
    at_once, threads = LambdaFunction.invoke, threads_of(lambdas.clock)

    class Thread(threads.Thread):  # type: ignore[name-defined, misc]
        def run(self) -> None:
            # A process dies in one of its threads: the others are left to run, as if it had only hung.
            with suppress(FunctionDied):
                super().run()

    def invoke(function: LambdaFunction, body: str, request_headers: Any, response_headers: Any) -> Any:
        if request_headers.get("X-Amz-Invocation-Type") != "Event":
            return at_once(function, body, request_headers, response_headers)
        given = (function.function_name, json.loads(body))
        Thread(target=lambdas.invoke, args=given, name="event").start()
        return ""

    threading = SimpleNamespace(Event=threads.Event, Thread=Thread)
    with patch.object(LambdaFunction, "invoke", invoke), patch.object(lease_keeping, "threading", threading):
        yield
