"""Which functions run code that adopters wrote, and all that these may do."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from tests.isolation.cells import Target
from tests.isolation.matrix import Reached, reach
from tests.isolation.policies import Statement

ADOPTERS: Final = frozenset({"run_tool", "run_inline"})
"""Their code is adopters': a role may do nothing that such code must not."""

INVOKED: Final[Mapping[str, frozenset[str]]] = {"run_tool": frozenset({"function: host_run"})}
"""The functions of the core that one of them may invoke."""

MAY: Final = {"without a resource: xray": {"xray:PutTelemetryRecords", "xray:PutTraceSegments"}}
OWN_LOGS: Final = {"logs:CreateLogStream", "logs:PutLogEvents"}
GRANTED: Final = {"run_tool": {"s3:GetObject", "s3:PutObject"}, "run_inline": {"s3:GetObject"}}
"""What the app of the examples grants its tools, on the objects of their own bucket."""


def violations(function: str, statements: Sequence[Statement], targets: Iterable[Target]) -> Iterator[Reached]:
    """Yield what a function of adopters' code may do although it must not."""
    return ((target, action) for target, action in reach(statements, targets) if action not in _may(function, target))


def _may(function: str, target: Target) -> set[str]:
    if target.name in INVOKED.get(function, ()):
        return {"lambda:InvokeFunction"}
    if target.kind == "log group" and target.which == function:
        return OWN_LOGS
    if target.kind == "tools' bucket" and target.which != "as a whole":
        return GRANTED[function]
    return MAY.get(target.name, set())
