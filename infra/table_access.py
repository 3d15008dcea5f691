"""Permissions for items of the table: the signing keys have a partition of their own."""

from collections.abc import Iterable, Mapping

from aws_cdk.aws_iam import PolicyStatement

from .existing_table import TableOfTasks
from .function import TaskServerFunction

ITEMS = ("dynamodb:GetItem", "dynamodb:PutItem", "dynamodb:UpdateItem", "dynamodb:DeleteItem")
# Whoever can read the keys can make a ticket for any task.
KEYS_ALONE = {"ForAllValues:StringEquals": {"dynamodb:LeadingKeys": ["!"]}}
ALL_BUT_KEYS = {"ForAllValues:StringNotEquals": {"dynamodb:LeadingKeys": ["!"]}}


def allow_items(
    table: TableOfTasks,
    functions: Iterable[TaskServerFunction],
    actions: Iterable[str] = ITEMS,
    *,
    when: Mapping[str, Mapping[str, list[str]]] | None = None,
) -> None:
    """Permit actions on items of the table, under IAM's conditions."""
    for function in functions:
        statement = PolicyStatement(actions=list(actions), resources=[table.arn], conditions=when)
        function.add_to_role_policy(statement)
