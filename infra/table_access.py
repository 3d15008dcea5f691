"""Permissions for items of the table: keys, tenants' plans and anchors have partitions of their own."""

from collections.abc import Iterable, Mapping

from aws_cdk.aws_iam import PolicyStatement

from .existing_table import TableOfTasks
from .function import TaskServerFunction

READING = ("dynamodb:GetItem",)
WRITING = ("dynamodb:PutItem", "dynamodb:UpdateItem", "dynamodb:DeleteItem")
# Whoever can read the keys can make a ticket for any task.
KEYS_ALONE = {"ForAllValues:StringEquals": {"dynamodb:LeadingKeys": ["!"]}}
# A tenant's plan is in the partition "tenant!".  Its operator writes it, and no function.
ALL_BUT_PLANS = {"ForAllValues:StringNotLike": {"dynamodb:LeadingKeys": ["?*!"]}}
# Anchors of the audit records, and the key that signs them, are in the partition "!audit!".
AUDIT_ALONE = {"ForAllValues:StringEquals": {"dynamodb:LeadingKeys": ["!audit!"]}}
# Whoever can read these keys can forge audit records.
AUDIT_KEYS_ALONE = {"ForAllValues:StringEquals": {"dynamodb:LeadingKeys": ["!audit-keys!"]}}
ALL_BUT_AUDIT = {"ForAllValues:StringNotEquals": {"dynamodb:LeadingKeys": ["!audit!", "!audit-keys!"]}}
ALL_BUT_KEYS_AND_AUDIT = {"ForAllValues:StringNotEquals": {"dynamodb:LeadingKeys": ["!", "!audit!", "!audit-keys!"]}}
ALL_BUT_BOTH = {"ForAllValues:StringNotLike": {"dynamodb:LeadingKeys": ["*!"]}}


def allow_items(
    table: TableOfTasks,
    functions: Iterable[TaskServerFunction],
    actions: Iterable[str],
    *,
    when: Mapping[str, Mapping[str, list[str]]] | None = None,
) -> None:
    """Permit actions on items of the table, under IAM's conditions."""
    for function in functions:
        statement = PolicyStatement(actions=list(actions), resources=[table.arn], conditions=when)
        function.add_to_role_policy(statement)
