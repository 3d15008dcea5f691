"""`make tenant`: shows and changes the plan of a tenant of a deployed stage; counts, exports or erases what it has.

The stage `local` is that of `make stack`; any other is on AWS, with the credentials that are set.
"""

import argparse
import json
import sys
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Self
from urllib.parse import quote

import boto3
from botocore.exceptions import ClientError

from local.arguments import name as named
from local.stage import UNREADABLE, Refused, reason, stack_of, stage_parser
from local.tenant_data import NotSuspended, TenantData
from mcp_tasks import aws, bootstrap
from mcp_tasks.adapters.dynamodb.counters import counted
from mcp_tasks.adapters.dynamodb.plan_items import PlanItems, Stored
from mcp_tasks.adapters.dynamodb.start_limits import StartLimits
from mcp_tasks.adapters.dynamodb.stored_bytes import StoredBytes
from mcp_tasks.adapters.dynamodb.table import ConditionFailed, Table
from mcp_tasks.engine.admission import rate_of
from mcp_tasks.engine.leases import REQUESTS
from mcp_tasks.limits.plans import DEFAULT, check_plan
from mcp_tasks.ports import Ports
from mcp_tasks.settings import Settings
from mcp_tasks.tasks.errors import DamagedCounter, UnreadableItem
from mcp_tasks.tasks.named_plans import Grant
from mcp_tasks.tasks.plan import Plan
from mcp_tasks.wiring import Wiring

SERVES = "Functionsservemcp"
"""In the logical id of the function whose environment says what is where, and which plans there are."""

UNSERVED = "What is stored of the tenant cannot be read, and none of its requests is served"


@dataclass(frozen=True, slots=True, kw_only=True)
class Operator:
    """Who may write tenants' plans; `tenant` is a name as in the tokens."""

    tenant: str
    settings: Settings
    ports: Ports
    table: Table
    s3: Any

    @classmethod
    def of(cls, tenant: str, settings: Settings) -> Self:
        """Use the clients that the environment configures."""
        ports = bootstrap.aws_ports(settings, aws.MORE_RETRIES)
        table = Table(client=aws.client("dynamodb", aws.MORE_RETRIES), name=settings.table_name, clock=aws.clock)
        return cls(tenant=tenant, settings=settings, ports=ports, table=table, s3=aws.client("s3", aws.MORE_RETRIES))

    @property
    def name(self) -> str:
        """The tenant's name as in keys."""
        return quote(self.tenant, safe="")

    @property
    def items(self) -> PlanItems:
        """The items of plans."""
        return PlanItems(table=self.table)

    @property
    def data(self) -> TenantData:
        """What the tenant has."""
        tasks, bucket = Wiring(ports=self.ports).tasks(), self.settings.payload_bucket
        return TenantData(tenant=self.name, table=self.table, tasks=tasks, s3=self.s3, bucket=bucket)

    def change(self, *, plan: str | None, fields: Mapping[str, Any], suspend: bool | None) -> None:
        """Store another plan for the tenant, and start what waited for a slot that it adds; raises `Refused`."""
        if plan is not None and plan not in self.settings.plans.names():
            raise Refused(f"The stage has no plan {plan!r}, only {', '.join(self.settings.plans.names())}.")
        stored = self._stored()
        before = stored.grant if stored else Grant()
        overrides = {name: value for name, value in {**before.overrides, **fields}.items() if value is not UNSET}
        try:
            check_plan(overrides, "SET")
        except ValueError as error:
            raise Refused(f"{error}.") from None
        after = Grant(
            plan=plan or before.plan, overrides=overrides, suspended=before.suspended if suspend is None else suspend
        )
        if stored is None or after != before:
            self._store(after, stored)
        # No function hears of a plan, and the sweep would find such a task within the hour.  The others follow as these
        # end.
        Wiring(ports=self.ports).tasks().start_queued(self.name)

    def _store(self, grant: Grant, before: Stored | None) -> None:
        try:
            self.items.write(self.name, grant, replacing=before.version if before else 0)
        except ConditionFailed:
            raise Refused("Somebody else changed the tenant at the same moment: look at it, and try again.") from None

    def recount(self) -> None:
        """Repair the tenant's counters, and start what waited meanwhile; raises `Refused`."""
        if not self.data.recount():
            raise Refused("Tasks of the tenant began or ended all the time: suspend it by SUSPEND=1, and try again.")
        Wiring(ports=self.ports).tasks().start_queued(self.name)

    def shown(self) -> dict[str, Any]:
        """Return the tenant's plan, and what it uses of it."""
        stored = self._stored()
        grant = stored.grant if stored else Grant()
        known = grant if grant.plan in self.settings.plans.names() else replace(grant, plan=DEFAULT)
        try:
            plan = self.settings.plans.resolved(known)
        except ValueError as error:
            raise Refused(f"{UNSERVED}: {error}. SET='name=' unsets a field.") from None
        return {
            "tenant": self.tenant,
            "plan": grant.plan,
            "suspended": grant.suspended,
            "differs": dict(grant.overrides),
            "allowed": {name: _listed(value) for name, value in asdict(plan).items() if name != "name"},
            "used": {
                "active_tasks": counted(self.table, self.name, "active"),
                "suspended_tasks": StartLimits(table=self.table).suspended(self.name),
                "stored_bytes": sum(StoredBytes(table=self.table).kept(self.name).values()),
                "held_waits": self.ports.held_waits.count(self.name),
            },
            "left": {"requests": self._requests_left(plan)},
        }

    def _stored(self) -> Stored | None:
        try:
            return self.items.read(self.name)
        except UnreadableItem as error:
            raise Refused(f"{UNSERVED}: {error}.") from None

    def _requests_left(self, plan: Plan) -> int | None:
        if plan.requests_per_second is None:
            return None
        rate = rate_of(plan, plan.requests_per_second)
        return max(0, int(self.ports.buckets.left(self.name, REQUESTS, rate)))


def _listed(value: Any) -> Any:
    return sorted(value) if isinstance(value, frozenset) else value


class Unset:
    """What a field has that is taken from the plan again."""


UNSET = Unset()


def fields_of(text: str) -> dict[str, Any]:
    """Read fields such as `active_tasks=5 tools=["greet"] burst=`; raises `Refused`."""
    found: dict[str, Any] = {}
    for each in text.split():
        name, equals, value = each.partition("=")
        try:
            found[name] = json.loads(value) if value else UNSET
        except ValueError:
            equals = ""
        if not equals:
            raise Refused(
                f"SET has {each!r}: write name=value, the value as JSON without spaces, or name= to unset it."
            )
    return found


def settings_of(stack: str) -> Settings:
    """Return the settings of a deployed server's functions; raises `Refused`."""
    pages = boto3.client("cloudformation").get_paginator("list_stack_resources").paginate(StackName=stack)
    try:
        resources = [each for page in pages for each in page["StackResourceSummaries"]]
    except ClientError as error:
        raise Refused(f"There is no stack {stack}: {error}.") from None
    found = [each["PhysicalResourceId"] for each in resources if _serves(each)]
    if len(found) != 1:
        raise Refused(f"The stack {stack} has {len(found)} servers, and this is for one of them.")
    configuration = boto3.client("lambda").get_function_configuration(FunctionName=found[0])
    return Settings.of(configuration["Environment"]["Variables"])


def _serves(resource: Mapping[str, Any]) -> bool:
    return resource["ResourceType"] == "AWS::Lambda::Function" and SERVES in resource["LogicalResourceId"]


def main(arguments: list[str] | None = None) -> int:
    """Do what the arguments say, print it, and return the exit status."""
    parser = stage_parser("make tenant")
    parser.add_argument("--tenant", type=named, required=True)
    parser.add_argument("--plan")
    parser.add_argument("--set", default="", dest="fields")
    parser.add_argument("--suspend", choices=["0", "1"])
    parser.add_argument("--recount", choices=["1"])
    parser.add_argument("--export", type=Path)
    parser.add_argument("--erase", help="the tenant again, since nothing of it will be left")
    given = parser.parse_args(arguments)
    if given.erase not in (None, given.tenant):
        sys.exit("ERASE=1 needs TENANT=name beside it.")
    stack = stack_of(given)
    try:
        done(Operator.of(given.tenant, settings_of(stack)), given)
    except (Refused, NotSuspended) as error:
        sys.exit(str(error))
    except DamagedCounter as error:
        sys.exit(f"A counter of the tenant is damaged, which RECOUNT=1 repairs: {error}.")
    except UNREADABLE as error:
        sys.exit(f"The tenant cannot be read or changed: {reason(error)}")
    return 0


def done(operator: Operator, given: argparse.Namespace) -> None:
    """Do what was asked for, and print what came of it, as JSON."""
    suspend = None if given.suspend is None else given.suspend == "1"
    if given.recount:
        operator.recount()
    if given.plan or given.fields or suspend is not None:
        operator.change(plan=given.plan, fields=fields_of(given.fields), suspend=suspend)
    said = operator.shown()
    if given.export:
        said["exported"] = operator.data.export(given.export)
    if given.erase:
        said["erased"] = asdict(operator.data.erase(operator.items))
        said["not_erased"] = NOT_ERASED
    print(json.dumps(said, indent=2))


NOT_ERASED = [
    "the tenant's plan, so that it stays suspended",
    "histories of executions, which Step Functions keeps for 90 days",
    "logs, which expire, and backups of the table",
    "what the tools stored elsewhere",
]

if __name__ == "__main__":
    sys.exit(main())
