"""The AWS clients of this process, and its clock.

Clients come from botocore itself: boto3's resources, which nothing here uses, would be a tenth of a cold start.
"""

import json
import logging
import os
from collections.abc import Callable, Mapping
from datetime import timedelta
from functools import cache
from typing import Any, Final, TypeAlias

from mcp_tasks.adapters.clock import SystemClock
from mcp_tasks.importing import uncollected
from mcp_tasks.ports.clock import Clock
from mcp_tasks.snapshots import renew_after_restore

with uncollected():
    import botocore.session
    from botocore.config import Config
    from botocore.exceptions import ConnectTimeoutError, EndpointConnectionError
    from botocore.loaders import Loader

    from mcp_tasks.adapters.aws_failures import Unavailable, raising_unavailable, write_patiently

logger = logging.getLogger(__name__)

# Much less than botocore's own minutes.  A call that AWS does not answer fails after 12 s, waits between attempts
# included: a client is answered before the gateway hangs up, and triggers retry what no client waits for.
NETWORK = Config(connect_timeout=1, read_timeout=3, retries={"mode": "standard", "total_max_attempts": 3})

# Fails after 30 s, where a failure means that a tool runs again, maybe for a quarter of an hour.
MORE_RETRIES = Config(connect_timeout=1, read_timeout=3, retries={"mode": "standard", "total_max_attempts": 5})

# For the stream, which only hints at changes: a waiter misses them while its client retries.
NO_RETRIES = Config(connect_timeout=1, read_timeout=2, retries={"total_max_attempts": 1})

# For the functions that functions invoke, which take as long as their own calls, and are safe to repeat.
TO_HOST = Config(connect_timeout=1, read_timeout=35, retries={"mode": "standard", "total_max_attempts": 5})

# For calls that are no tasks, which must not be run twice, in the time that a request has: `invoking_once` repeats what
# was not sent.
TO_INLINE = Config(connect_timeout=1, read_timeout=28, retries={"total_max_attempts": 1})

# For a run, which takes as long as a Lambda lives; whoever waits for it is retried by its state machine.
TO_RUN = Config(connect_timeout=1, read_timeout=15 * 60, tcp_keepalive=True, retries={"total_max_attempts": 1})

NOT_SENT: Final = (EndpointConnectionError, ConnectTimeoutError)
"""What botocore raises before it has a connection.  With a connection, it cannot tell whether a request arrived."""

MAX_CONNECTED: Final = 3
"""How often a connection is tried, at a second each."""

MAX_IDLE: Final = timedelta(seconds=30)
"""How long a connection is good for that nobody used: AWS's own clients for Java assume a minute."""

clock: Clock = SystemClock()
"""The clock of everything wired here; a test harness that simulates time replaces it before it wires."""


@cache
def client(service: str, network: Config) -> Any:
    """Return this process's client of an AWS service."""
    return _session().create_client(service, config=network)


@cache
def _session() -> botocore.session.Session:
    session = botocore.session.get_session()
    # Each call would put together twice what names this process to AWS, and is checked by AWS all the same.
    session.set_default_client_config(Config(user_agent=session.user_agent(), parameter_validation=False))
    if folder := os.environ.get("SERVICE_DATA"):
        # Of what botocore knows of AWS, only what `service_data.py` keeps: a call that is missing there fails at once.
        data = Loader(extra_search_paths=[folder], include_default_search_paths=False)
        session.register_component("data_loader", data)
    return session


def check_bytecode(cached: str | None) -> None:
    """Log a warning if there is no bytecode, as after a change of Python's version: each cold start would compile."""
    if cached is None or not os.path.exists(cached):
        logger.warning("there is no bytecode for this Python", extra={"fallback": "compiled_from_source"})


check_bytecode(__spec__.cached if __spec__ else None)
renew_after_restore()


Tenant: TypeAlias = Callable[[Mapping[str, Any]], str]
"""Returns the id of the tenant of an event, in Lambda's characters: a `Caller.tenant_tag`."""


class FunctionFailed(Exception):
    """A function that was invoked ended in an error; what is raised has the name that Lambda gives that error."""


def invoking(function: str, network: Config, tenant: Tenant | None = None) -> Callable[[Mapping[str, Any]], Any]:
    """Return what invokes a Lambda function with an event, and returns what that returns.

    Where the function has an environment for each tenant, `tenant` returns that of an event.  It raises a subclass of
    `FunctionFailed` where the function failed, and botocore's errors.
    """

    def invoke(event: Mapping[str, Any]) -> Any:
        whose = {} if tenant is None else {"TenantId": tenant(event)}
        payload = json.dumps(event).encode()
        answer = client("lambda", network).invoke(FunctionName=function, Payload=payload, **whose)
        payload = json.loads(answer["Payload"].read())
        if "FunctionError" in answer:
            raise type(payload.get("errorType") or "Unknown", (FunctionFailed,), {})(payload.get("errorMessage"))
        return payload

    return invoke


HOST_UNAVAILABLE: Final = frozenset({"Unavailable", "Sandbox.Timedout"})
"""The errors of a host that says that AWS failed it, or that waited for AWS until its own time was over."""


def reaching(host: str, network: Config) -> Callable[[Mapping[str, Any]], Any]:
    """Return what sends a message to the host of runs; it raises `Unavailable` where a later attempt may succeed."""
    invoke = invoking(host, network)

    def send(message: Mapping[str, Any]) -> Any:
        with raising_unavailable():
            try:
                return invoke(message)
            except FunctionFailed as failed:
                if type(failed).__name__ in HOST_UNAVAILABLE:
                    raise Unavailable(str(failed)) from failed
                raise

    return send


def invoking_once(function: str, network: Config, tenant: Tenant | None = None) -> Callable[[Mapping[str, Any]], Any]:
    """Return the same for a function that must not run twice for one event: repeated is only what was not run.

    That is what was not sent, and what Lambda refused for the moment, where the current request has the time.

    A process that was frozen may come back to a connection that is gone, and would learn of it from an error after it
    has sent its event.  So none is used again that was idle for long.
    """
    invoke, used_at = invoking(function, network, tenant), clock.now()

    def once(event: Mapping[str, Any]) -> Any:
        nonlocal used_at
        if clock.now() - used_at > MAX_IDLE:
            client("lambda", network).close()
        try:
            return _connected(lambda: write_patiently(lambda: invoke(event)))
        finally:
            used_at = clock.now()

    return once


def _connected(call: Callable[[], Any]) -> Any:
    for _ in range(MAX_CONNECTED - 1):
        try:
            return call()
        except NOT_SENT:
            logger.warning("nothing was sent, so it is sent again", exc_info=True, extra={"fallback": "sent_again"})
    return call()
