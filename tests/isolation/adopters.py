"""Which functions run code that adopters wrote, and all that these may do."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from tests.isolation.cells import Target
from tests.isolation.matrix import Reached, reach
from tests.isolation.policies import Statement
from tests.isolation.stage import SESSION

ADOPTERS: Final = frozenset({"run_tool", "run_inline"})
"""Their code is adopters': a role may do nothing that such code must not."""

HOLDERS: Final = frozenset({*ADOPTERS, SESSION})
"""Those whose permissions are in the hands of such code: it has the credentials of its tenant's session, too."""

INVOKED: Final[Mapping[str, frozenset[str]]] = {"run_tool": frozenset({"function: host_run"})}
"""The functions of the core that one of them may invoke."""

MAY: Final = {"without a resource: xray": {"xray:PutTelemetryRecords", "xray:PutTraceSegments"}}
OWN_LOGS: Final = {"logs:CreateLogStream", "logs:PutLogEvents"}
GRANTED: Final[Mapping[str, set[str]]] = {"run_inline": {"s3:GetObject"}}
"""What the app of the examples grants its tools, on all objects of their own bucket."""

GRANTED_OWN: Final = {SESSION: {"s3:GetObject", "s3:PutObject"}}
"""The same, on those of the tenant."""


def violations(function: str, statements: Sequence[Statement], targets: Iterable[Target]) -> Iterator[Reached]:
    """Yield what a function of adopters' code may do although it must not."""
    reached = reach(function, statements, targets)
    return ((target, action) for target, action in reached if action not in _may(function, target))


def _may(function: str, target: Target) -> set[str]:
    if target.name in INVOKED.get(function, ()):
        return {"lambda:InvokeFunction"}
    if target.kind == "log group" and target.which == function:
        return OWN_LOGS
    if target.kind == "tools' bucket" and target.which != "as a whole":
        own = GRANTED_OWN.get(function, set()) if target.which == "own tenant's" else set()
        return own | GRANTED.get(function, set())
    return MAY.get(target.name, set()) if function in ADOPTERS else set()
