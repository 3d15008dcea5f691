"""Operators see the tenants in the console; to nobody else is there such a view."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from local.gateway import Gateway
from local.http_server import listen, running
from local.serve import ORIGINS
from mcp_tasks.adapters.aws_console import AwsConsole
from mcp_tasks.adapters.clock import SystemClock
from mcp_tasks.features.listing import Features
from mcp_tasks.limits.tenants import MAX_LISTED_TENANTS
from mcp_tasks.security.operators import Operators
from mcp_tasks.security.tenancy import Caller
from mcp_tasks.tasks.plan import Plan
from mcp_tasks.wire.revision import Server
from mcp_tasks.wiring import Wiring
from tests.clients.authorization import CALL
from tests.kit import a_task, memory_ports
from tests.page.conftest import Driven
from tests.page.rev_2026_07_28.authorization_responses import authorization_responses
from tests.page.rev_2026_07_28.payloads import PAYLOADS
from tests.page.rev_2026_07_28.people import YOU, admit
from tests.page.rev_2026_07_28.sample_tools import TOOLS
from tests.page.rev_2026_07_28.test_login import guarded

pytestmark = pytest.mark.slow

OPERATE = "operate"
SUSPENDED = "rival"
TENANTS = sorted([SUSPENDED, *PAYLOADS])

CONSOLE = AwsConsole(machines={"run_tool": "arn:aws:states:eu-west-1:111122223333:stateMachine:t"}, log_groups=("g",))


class SomeSuspended:
    """The plans of a stage on which one tenant is suspended."""

    def of(self, tenant: str) -> Plan:
        """Return the plan of a tenant."""
        return Plan(active_tasks=20, requests_per_second=2_000, suspended=tenant == SUSPENDED, name=PAYLOADS[0])


def stage(operators: Operators) -> Server:
    """Return the server of a stage with a tenant for each payload."""
    ports = replace(memory_ports(SystemClock()), plans=SomeSuspended(), console_links=lambda: CONSOLE)
    for owner in (YOU, *(Caller(tenant=name, subject="any") for name in TENANTS)):
        ports.tasks.create(owner.owner_key, a_task(datetime.now(UTC)), {}, key=None, plan=Plan())
    wiring = Wiring(ports=ports, operators=operators)
    return wiring.server(Features.of(TOOLS), name="stage", version="1", origins=ORIGINS)


@contextmanager
def operated(operators: Operators) -> Iterator[str]:
    """Serve such a stage, and return the address of the console."""
    with listen() as listening, running(Gateway(server=stage(operators), admit=admit), listening):
        yield f"http://127.0.0.1:{listening.getsockname()[1]}/"


def test_each_tenant_is_shown_with_its_plan_and_use(driven: Driven) -> None:
    with operated(Operators(tenant=YOU.tenant)) as address:
        found = driven("operates", address, given={"suspended": SUSPENDED})

    assert found["tabs"] == ["Tasks", "Run a tool", "Tenants"]
    assert "1 of 20" in found["before"]
    assert "up to 2,000" in found["before"]
    assert found["first"] == MAX_LISTED_TENANTS
    assert len(found["names"]) == len(TENANTS) + 1
    assert "local" in found["names"]
    assert sum("pwned" in each for each in found["names"]) == len(PAYLOADS)
    assert found["marks"] == [f"Plan {PAYLOADS[0]}", "Suspended"]
    assert found["suspects"] == 0
    execution, logs = found["links"]
    assert execution.endswith(f"arn:aws:states:eu-west-1:111122223333:execution:t:{found['task']}")
    assert "logs-insights" in logs
    assert found["task"] in logs


@pytest.mark.parametrize("operators", [Operators(tenant="ops"), Operators(tenant=YOU.tenant, subjects=frozenset("x"))])
def test_nobody_else_has_the_view(driven: Driven, operators: Operators) -> None:
    with operated(operators) as address:
        found = driven("operates_not", address)

    assert found["tabs"] == ["Tasks", "Run a tool"]
    assert found["links"] == 0


def test_operators_have_the_view_again_when_they_sign_in_after_a_reload(driven: Driven) -> None:
    operators = Operators(tenant="acme", scope=OPERATE)
    with (
        authorization_responses(True, *["self"] * 4) as issuer,
        guarded(
            issuer.url, client=True, admit=issuer.admit, operator_scope=OPERATE, make=lambda: stage(operators)
        ) as address,
    ):
        found = driven("operates_again", address, given={"origins": [issuer.url]})

    # The first login is at the tasks, where nobody is asked for the rights of an operator.
    assert issuer.scopes == [CALL, f"{CALL} {OPERATE}", f"{CALL} {OPERATE}", f"{CALL} {OPERATE}"]
    tasks, tenants = ["Tasks", "Run a tool"], ["Tasks", "Run a tool", "Tenants"]
    assert found["tabs"] == [tasks, tenants, tenants, tenants]
    assert found["urls"] == [f"{address}#/{view}" for view in ("tasks", "tenants", "tenants", "tasks")]
