"""Which metrics are published of the records of which function; all count their fallbacks."""

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from aws_cdk.aws_lambda import Function

from .endpoint_metrics import publish_identities, publish_requests
from .metrics import FALLBACK, count_by, count_failures
from .task_metrics import publish_anchors, publish_sweeps, publish_tasks

PUBLISHED: Final[Mapping[str, Callable[[Function, str], None]]] = {
    "serve_mcp": publish_requests,
    "await_task": publish_requests,
    "authorize": publish_identities,
    "on_task_change": publish_tasks,
    "sweep": publish_sweeps,
    "anchor_audit": publish_anchors,
}


def publish_records(function: Function, name: str, *, namespace: str, signals: Sequence[str]) -> None:
    """Publish what the function of this name logs; `signals` are errors of it that state machines expect, if any."""
    count_by(function, FALLBACK, namespace=namespace)
    if signals:
        count_failures(function, namespace=namespace, signals=signals)
    if name in PUBLISHED:
        PUBLISHED[name](function, namespace)
