"""Operators see the tenants, their plans and use; to anybody else there is no such tool, whatever a token says."""

from dataclasses import replace
from typing import Any

import pytest

from mcp_tasks.adapters.aws_console import AwsConsole
from mcp_tasks.adapters.fixed_plans import FixedPlans
from mcp_tasks.engine.current_call import noting
from mcp_tasks.features.tools import OPERATOR_TOOLS
from mcp_tasks.limits.tenants import MAX_LISTED_TENANTS
from mcp_tasks.security.operators import Operators
from mcp_tasks.security.scopes import StageScopes
from mcp_tasks.security.tenancy import ANONYMOUS, Caller
from mcp_tasks.tasks.errors import UnreadableItem
from mcp_tasks.tasks.plan import Plan
from mcp_tasks.wire.apps import MIME_TYPE, UI
from tests.attacks.identities import STRANGERS
from tests.kit import ADA, EVE, a_task
from tests.protocol.harness import Harness
from tests.protocol.rev_2025_11_25_with_rev_2026_07_28.clients import REVISIONS, Either, New, Old, common_fields

ADMIN = frozenset({"admin"})
GRACE = Caller(tenant="ops", subject="grace", scopes=ADMIN)
TENANT_LIST, TASK_LINKS = OPERATOR_TOOLS
ACCOUNT = "111122223333"
CONSOLE = AwsConsole(
    machines={"run_tool": f"arn:aws:states:eu-west-1:{ACCOUNT}:stateMachine:tasks-run_tool"},
    log_groups=("Tasks-serve",),
)
UNKNOWN = "tenant_lost"
"""A name that no tool has, as long as that of the operators'."""

NOBODY = {
    "a tenant with the scope": Caller(tenant="acme", subject="ada", scopes=ADMIN),
    "its subject of the operator's name": Caller(tenant="acme", subject="grace", scopes=ADMIN),
    "of a name that is almost the operators'": Caller(tenant="Ops", subject="grace", scopes=ADMIN),
    "named as the operator's key": Caller(tenant="ops#grace", subject="grace", scopes=ADMIN),
    "an operator without the scope": replace(GRACE, scopes=frozenset()),
    "an operator with another scope": replace(GRACE, scopes=frozenset({"admin:read", "Admin"})),
    "an operator with the role": replace(GRACE, scopes=frozenset(), roles=ADMIN),
    "a tenant whose agent is an operator": Caller(
        tenant="acme", subject="ada", scopes=ADMIN, actor={"sub": "grace", "tenant": "ops", "scope": "admin"}
    ),
    "nobody in particular": ANONYMOUS,
    **{f"a stranger: {what}": replace(each, scopes=ADMIN) for what, each in STRANGERS.items()},
}

in_both = pytest.mark.parametrize("revision", REVISIONS)


@pytest.fixture
def harness() -> Harness:
    """A server with operators, of three tenants."""
    harness = Harness()
    operate(harness, Operators(tenant="ops"))
    for owner in (ADA, ADA, EVE, GRACE):
        begin(harness, owner)
    return harness


def operate(harness: Harness, operators: Operators | None) -> None:
    wiring = replace(harness.wiring, ports=harness.ports, operators=operators)
    fresh = wiring.server(harness.server.features, name="test-server", version="1.2.3")
    harness.change(own_tools=fresh.own_tools, page_size=100)


def begin(harness: Harness, owner: Caller) -> None:
    harness.ports.tasks.create(owner.owner_key, a_task(), {}, key=None, plan=Plan())


def host(revision: str, harness: Harness, caller: Caller, *, shows_apps: bool = True) -> Either:
    """Return a client that shows views, or one that does not."""
    capabilities: dict[str, Any] = {"extensions": {UI: {"mimeTypes": [MIME_TYPE]}} if shows_apps else {}}
    if revision == "2026-07-28":
        return New(harness, caller, capabilities)
    old = Old(harness, caller)
    old.initialize(capabilities)
    return old


def listed(of: Either) -> dict[str, Any]:
    return {tool["name"]: tool for tool in of.result("tools/list")["tools"]}


def call(of: Either, name: str = TENANT_LIST, **arguments: Any) -> Any:
    """Return the whole response, without its id, and its status."""
    reply = of.send_request("tools/call", {"name": name, "arguments": arguments})
    return {**{name: value for name, value in reply.response.items() if name != "id"}, "status": reply.status}


def shown(of: Either, **arguments: Any) -> Any:
    result = call(of, **arguments)["result"]
    assert not common_fields(result).get("isError")
    return result["structuredContent"]


@in_both
def test_an_operator_is_shown_each_tenant_with_its_plan_and_use(harness: Harness, revision: str) -> None:
    found = shown(host(revision, harness, GRACE))

    assert found["next_cursor"] is None
    assert [(each["tenant"], each["active"]) for each in found["tenants"]] == [("acme", 2), ("ops", 1), ("rival", 1)]
    assert found["tenants"][0] == {
        "tenant": "acme",
        "plan": "default",
        "is_suspended": False,
        "limits": {
            "active_tasks": 20, "running_tasks": 100, "suspended_tasks": None, "requests_per_second": None,
            "held_waits": None, "stored_bytes": None,
        },
        "active": 2, "running": 0, "queued": 0, "suspended": 0,
    }  # fmt: skip


@in_both
def test_the_tool_is_listed_to_operators_views_and_to_no_model(harness: Harness, revision: str) -> None:
    tool = listed(host(revision, harness, GRACE))[TENANT_LIST]

    assert tool["_meta"]["ui"] == {"visibility": ["app"]}
    assert tool["annotations"]["readOnlyHint"] is True
    assert TENANT_LIST not in listed(host(revision, harness, GRACE, shows_apps=False))


@in_both
def test_to_anybody_else_there_is_no_such_tool(harness: Harness, revision: str) -> None:
    """Byte for byte, but for the name; nor is a scope named that would do."""
    for what, caller in NOBODY.items():
        client = host(revision, harness, caller)

        with noting() as noted:
            refused = call(client)
        unknown = call(client, UNKNOWN)

        assert "error" in refused, what
        assert dict(noted.happened) == {("request.refused", "operators_only"): {"reason": "operators_only"}}, what
        assert str(refused).replace(TENANT_LIST, UNKNOWN) == str(unknown), what
        assert "admin" not in str(refused), what
        assert TENANT_LIST not in listed(client), what
    assert len(NOBODY) > 75


@in_both
@pytest.mark.parametrize("caller", [GRACE, NOBODY["a tenant with the scope"]], ids=["of that name", "a tenant"])
def test_where_a_stage_has_no_operators_nobody_is_one(harness: Harness, revision: str, caller: Caller) -> None:
    operate(harness, None)
    client = host(revision, harness, caller)

    assert str(call(client)).replace(TENANT_LIST, UNKNOWN) == str(call(client, UNKNOWN))
    assert TENANT_LIST not in listed(client)


@in_both
def test_where_they_are_listed_the_others_of_their_tenant_are_none(harness: Harness, revision: str) -> None:
    operate(harness, Operators(tenant="ops", subjects=frozenset({"heidi"})))

    assert "error" in call(host(revision, harness, GRACE))
    assert shown(host(revision, harness, replace(GRACE, subject="heidi")))["tenants"]


@in_both
def test_an_operator_needs_the_scopes_of_a_reader_too(harness: Harness, revision: str) -> None:
    clients = [host(revision, harness, replace(GRACE, scopes=scopes)) for scopes in (ADMIN, ADMIN | {"read"})]
    harness.change(scopes=StageScopes(read=("read",)))

    refused, served = (each.send_request("tools/call", {"name": TENANT_LIST, "arguments": {}}) for each in clients)

    assert (refused.status, refused.response["error"]["data"]["scope"]) == (403, "read")
    assert "result" in served.response


@in_both
def test_pages_neither_repeat_nor_skip(harness: Harness, revision: str) -> None:
    names = [f"tenant {number:03d}" for number in range(45)]
    for name in names:
        begin(harness, Caller(tenant=name, subject="any"))
    client = host(revision, harness, GRACE)
    found: list[str] = []
    given: dict[str, Any] = {}
    while True:
        page = shown(client, **given)
        assert len(page["tenants"]) <= MAX_LISTED_TENANTS
        found += [each["tenant"] for each in page["tenants"]]
        if page["next_cursor"] is None:
            break
        given = {"cursor": page["next_cursor"]}

    assert found == ["acme", "ops", "rival", *names]


@in_both
@pytest.mark.parametrize("cursor", ["a b", "!", "x" * 901, 7, None, "acme\n", "\u0665"])
def test_a_cursor_that_is_no_name_is_refused(harness: Harness, revision: str, cursor: Any) -> None:
    refused = call(host(revision, harness, GRACE), cursor=cursor)

    assert "next_cursor of tenant_list" in str(refused)


@in_both
def test_a_plan_that_cannot_be_read_is_said_to_be_and_hides_no_other(harness: Harness, revision: str) -> None:
    class Damaged(FixedPlans):
        def of(self, tenant: str) -> Plan:
            if tenant == "acme":
                raise UnreadableItem("plan#current", "cannot be read")
            return Plan(name="gold", suspended=True)

    client = host(revision, harness, GRACE)
    harness.ports = replace(harness.ports, plans=Damaged())
    operate(harness, Operators(tenant="ops"))

    acme, *others = shown(client)["tenants"]

    assert (acme["plan"], acme["is_suspended"], acme["limits"], acme["active"]) == (None, None, {}, 2)
    assert [(each["plan"], each["is_suspended"]) for each in others] == [("gold", True)] * 2


@in_both
def test_auditors_are_told_of_it(harness: Harness, revision: str) -> None:
    clients = host(revision, harness, GRACE), host(revision, harness, NOBODY["a tenant with the scope"])
    with noting() as noted:
        call(clients[0], cursor="acme")
    with noting() as nothing:
        call(clients[1])

    assert noted.happened["tenants.listed", "acme"] == {"tenants_after": "acme"}
    assert not [event for event, _ in nothing.happened if event == "tenants.listed"]


def with_pages(harness: Harness) -> None:
    harness.ports = replace(harness.ports, console_links=lambda: CONSOLE)
    operate(harness, Operators(tenant="ops"))


@in_both
def test_an_operator_is_led_to_the_execution_and_the_logs_of_its_own_task(harness: Harness, revision: str) -> None:
    with_pages(harness)
    task = harness.ports.tasks.create(GRACE.owner_key, a_task(), {}, key=None, plan=Plan())
    client = host(revision, harness, GRACE)

    result = call(client, TASK_LINKS, task_id=task.id)["result"]["structuredContent"]

    assert [each["title"] for each in result["links"]] == ["Execution", "Logs"]
    assert all(task.id in each["url"] for each in result["links"])
    assert listed(client)[TASK_LINKS]["_meta"]["ui"] == {"visibility": ["app"]}


@in_both
def test_a_task_of_a_tenant_looks_to_an_operator_like_none(harness: Harness, revision: str) -> None:
    with_pages(harness)
    theirs = harness.ports.tasks.create(ADA.owner_key, a_task(), {}, key=None, plan=Plan())
    client, never = host(revision, harness, GRACE), a_task().id

    refused, unknown = (call(client, TASK_LINKS, task_id=each) for each in (theirs.id, never))

    assert refused["result"]["isError"]
    assert str(refused).replace(theirs.id, never) == str(unknown)
    assert ACCOUNT not in str(refused)


@in_both
def test_nobody_else_learns_the_account(harness: Harness, revision: str) -> None:
    with_pages(harness)
    for what, caller in NOBODY.items():
        task = harness.ports.tasks.create(caller.owner_key, a_task(), {}, key=None, plan=Plan())
        client = host(revision, harness, caller)

        refused, unknown = (call(client, name, task_id=task.id) for name in (TASK_LINKS, "task_linkt"))

        assert "error" in refused, what
        assert str(refused).replace(TASK_LINKS, "task_linkt") == str(unknown), what
        assert TASK_LINKS not in listed(client), what


@in_both
def test_where_nothing_has_pages_there_is_no_such_tool(harness: Harness, revision: str) -> None:
    client = host(revision, harness, GRACE)

    assert TASK_LINKS not in listed(client)
    assert str(call(client, TASK_LINKS)).replace(TASK_LINKS, "task_linkt") == str(call(client, "task_linkt"))
