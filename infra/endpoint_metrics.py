"""The metrics of the endpoint, from the one record that it logs of each request (`mcp_tasks/wire/call_log.py`).

Names are OpenTelemetry's where it has one.  Every dimension has few values: nothing that a client chooses, and never
whose request it was.
"""

from typing import Any, Final

from aws_cdk.aws_lambda import Function
from aws_cdk.aws_logs import FilterPattern

from .metrics import count_by, has_number, publish, says

DURATION: Final = "mcp.server.operation.duration"
METHOD, TOOL, PLAN = "mcp.method.name", "gen_ai.tool.name", "plan"
CALLS, OWN_TIME, WAITED, ERRORS, REFUSALS = "calls", "own_time", "waited", "errors", "refusals"
WOKEN_AFTER: Final = "woken_after"
INTERNAL_ERRORS: Final = "internal_errors"
KEYS_NOT_FETCHED: Final = "keys_not_fetched"
FAULTS: Final = ("a request failed", "a message of a batch failed", "a request was given up")


def publish_requests(function: Function, namespace: str) -> None:
    """Publish what a function that answers clients logs of requests."""
    made: dict[str, Any] = {"namespace": namespace}
    answered, exists, absent = has_number("ms"), FilterPattern.exists, FilterPattern.not_exists
    for by in ({METHOD: "method"}, {METHOD: "method", TOOL: "tool"}, {PLAN: "plan"}):
        known = FilterPattern.all(answered, *(exists(f"$.{field}") for field in by.values()))
        publish(function, f"Duration_{'_'.join(by.values())}", DURATION, known, of="ms", by=by, **made)
    for dimension, whose in ((TOOL, "tool"), (PLAN, "plan")):
        called = FilterPattern.all(answered, exists(f"$.{whose}"), exists("$.outcome"))
        publish(function, f"Calls_{whose}", CALLS, called, by={dimension: whose, "outcome": "outcome"}, **made)
    # What neither waited for a task nor for an adopter's code.
    own = FilterPattern.all(answered, absent("$.waited_ms"), absent("$.code_ms"))
    publish(function, "OwnTime", OWN_TIME, own, of="ms", **made)
    count_by(function, "woken_by", **made)
    waited = FilterPattern.all(exists("$.woken_by"), has_number("waited_ms"))
    publish(function, "Waited", WAITED, waited, of="waited_ms", by={"woken_by": "woken_by"}, **made)
    woken = FilterPattern.all(exists("$.woken_by"), has_number("woken_ms"))
    publish(function, "WokenAfter", WOKEN_AFTER, woken, of="woken_ms", by={"woken_by": "woken_by"}, **made)
    coded = FilterPattern.all(answered, FilterPattern.number_value("$.error", "!=", 0))
    publish(function, "Errors", ERRORS, coded, by={"code": "error"}, **made)
    of_plan = FilterPattern.all(coded, exists("$.plan"))
    publish(function, "Errors_plan", ERRORS, of_plan, by={PLAN: "plan", "code": "error"}, **made)
    refused = FilterPattern.all(answered, exists("$.reason"), exists("$.plan"))
    publish(function, "Refusals", REFUSALS, refused, by={"reason": "reason", PLAN: "plan"}, **made)
    # Logged as errors, so at any level.  What a handler itself raises, the gateway answers with 502.
    publish(function, "InternalErrors", INTERNAL_ERRORS, says(*FAULTS), **made)


def publish_identities(function: Function, namespace: str) -> None:
    """Publish what the authorizer logs: whom it refuses and why, and that it cannot fetch the keys of an issuer."""
    refused = FilterPattern.all(says("refused"), FilterPattern.exists("$.reason"))
    publish(function, "Refusals", REFUSALS, refused, by={"reason": "reason"}, namespace=namespace)
    publish(function, "KeysNotFetched", KEYS_NOT_FETCHED, says("keys not fetched"), namespace=namespace)
