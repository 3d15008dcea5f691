"""The anchoring of audit records: a function that runs each minute while records are written, and alone can sign."""

import json

from aws_cdk import Duration, Stack
from aws_cdk.aws_events import Rule, Schedule
from aws_cdk.aws_events_targets import LambdaFunction
from aws_cdk.aws_logs import CfnLogGroup, FilterPattern, SubscriptionFilter
from aws_cdk.aws_logs_destinations import LambdaDestination
from constructs import Construct

from .existing_table import TableOfTasks
from .function import TaskServerFunction
from .functions import Functions
from .table_access import AUDIT_ALONE, AUDIT_KEYS_ALONE, READING, allow_items

FOR_EVER = 3653
"""The days that count where logs never expire: the most that CloudWatch Logs counts."""
BEGINS = FilterPattern.all_terms("begins_chain")


class Audit(Construct):
    """Has the function of the server `name` read the logs of those that write audit records, and run."""

    def __init__(
        self, scope: Construct, construct_id: str, *, name: str, functions: Functions, table: TableOfTasks
    ) -> None:
        super().__init__(scope, construct_id)
        anchor = functions.anchor_audit
        # No code of adopters runs in these: what it prints must not look like an audit record.
        core = (functions.host_run, functions.on_task_change)
        writers = (functions.serve_mcp, functions.await_task, *core, functions.authorize)
        # The first of them that writes makes the key.
        allow_items(table, filter(None, writers), (*READING, "dynamodb:PutItem"), when=AUDIT_KEYS_ALONE)
        allow_items(table, [anchor], READING, when=AUDIT_KEYS_ALONE)
        groups = [each.function.log_group for each in writers if each]
        kept = groups[0].node.default_child
        assert isinstance(kept, CfnLogGroup)
        anchor.add_environment("AUDIT_LOG_GROUPS", json.dumps([each.log_group_name for each in groups]))
        anchor.add_environment("LOG_RETENTION_DAYS", str(int(kept.retention_in_days or FOR_EVER)))
        anchor.allow("logs:FilterLogEvents", on=[each.log_group_arn for each in groups])
        allow_items(table, [anchor], ("dynamodb:GetItem", "dynamodb:PutItem", "dynamodb:Query"), when=AUDIT_ALONE)
        # Two at once do no harm.
        anchor.configure_async_invoke(retry_attempts=2)
        # The first record of a chain invokes the function.
        to = LambdaDestination(anchor)
        for number, group in enumerate(groups):
            SubscriptionFilter(self, f"Wakes{number}", log_group=group, destination=to, filter_pattern=BEGINS)
        self._schedule(anchor, f"{name}-AnchorAudit")

    def _schedule(self, anchor: TaskServerFunction, minute: str) -> None:
        """Invoke the function each minute by a rule that it enables and disables, and each hour in any case."""
        # By its name: the rule names the function, whose environment could not name the rule.
        arn = Stack.of(self).format_arn(service="events", resource="rule", resource_name=minute)
        anchor.allow("events:EnableRule", "events:DisableRule", on=[arn])
        anchor.add_environment("AUDIT_RULE", minute)
        target = LambdaFunction(anchor, retry_attempts=0, max_event_age=Duration.minutes(1))
        Rule(self, "WhileAwake", rule_name=minute, schedule=Schedule.rate(Duration.minutes(1)), targets=[target])
        Rule(self, "Hour", schedule=Schedule.rate(Duration.hours(1)), targets=[target])
