"""What a server knows of its table, and a table that the app does not make."""

from collections.abc import Mapping
from typing import Any

from aws_cdk import ArnFormat, Stack
from constructs import Construct

LIVE = "live"


class TableOfTasks(Construct):
    """A table by its names; it is of one server."""

    def __init__(self, scope: Construct, construct_id: str) -> None:
        super().__init__(scope, construct_id)
        self._server: Construct | None = None

    def refer_to(self, *, name: str, arn: str, stream_arn: str) -> None:
        """Take the names that functions, permissions and the mapping of the stream are made with."""
        self.name, self.arn, self.stream_arn = name, arn, stream_arn
        self.live_index_arn = f"{arn}/index/{LIVE}"

    def serve(self, server: Construct) -> None:
        """Take the table for a server.  Raises `ValueError` where it is another one's, which would start its tasks."""
        if self._server:
            raise ValueError(
                f"{self.node.path} is the table of {self._server.node.path}, and so not of {server.node.path}: both "
                "would start, sweep and end each other's tasks, so make one TaskTable for each."
            )
        self._server = server


class ExistingTaskTable(TableOfTasks):
    """A table that a `TaskTable` made, in another app or in a stack that kept it when it was deleted."""

    def __init__(self, scope: Construct, construct_id: str, *, arn: str, stream_arn: str) -> None:
        """Refer to it by its ARN and that of its stream, which has a time in it (`aws dynamodb describe-table`)."""
        super().__init__(scope, construct_id)
        name = Stack.of(self).split_arn(arn, ArnFormat.SLASH_RESOURCE_NAME).resource_name
        assert name is not None
        self.refer_to(name=name, arn=arn, stream_arn=stream_arn)


def check_table(table: Mapping[str, Any]) -> None:
    """Raise `ValueError` for what names no table with a stream; its text says what to write instead."""
    arn, stream = (str(table.get(name, "")) for name in ("arn", "stream_arn"))
    if table and (
        table.keys() != {"arn", "stream_arn"} or ":table/" not in arn or not stream.startswith(f"{arn}/stream/")
    ):
        raise ValueError(
            "table has the arn of a table and the stream_arn of its stream: see aws dynamodb describe-table"
        )
