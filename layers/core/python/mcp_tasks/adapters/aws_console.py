"""Addresses in the AWS console: the execution of a task, and what the functions logged of it."""

import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Final

from mcp_tasks.limits.aws import LOGGED_AROUND
from mcp_tasks.records import record
from mcp_tasks.tasks.model import Task
from mcp_tasks.tasks.transitions import is_final

DOMAINS: Final = {"aws-cn": "console.amazonaws.cn", "aws-us-gov": "console.amazonaws-us-gov.com"}
DOMAIN: Final = "console.aws.amazon.com"


@record
class AwsConsole:
    """The pages of a stage, by the ARNs of its state machines and the names of its log groups."""

    machines: Mapping[str, str]
    log_groups: Sequence[str]

    def of(self, task: Task, *, now: datetime) -> Mapping[str, str]:
        """Return the execution, if the task has one, and a query of the logs for the task and its trace."""
        found: dict[str, str] = {}
        _, partition, _, region, *_ = next(iter(self.machines.values())).split(":")
        base = f"https://{region}.{DOMAINS.get(partition, DOMAIN)}"
        if task.machine in self.machines:
            arn = self.machines[task.machine].replace(":stateMachine:", ":execution:")
            found["Execution"] = f"{base}/states/home?region={region}#/v2/executions/details/{arn}:{task.id}"
        until = task.updated_at if is_final(task) else now
        detail = _query(self.log_groups, _filter(task), task.created_at - LOGGED_AROUND, until + LOGGED_AROUND)
        found["Logs"] = f"{base}/cloudwatch/home?region={region}#logsV2:logs-insights$3FqueryDetail$3D{detail}"
        return found


def _filter(task: Task) -> str:
    named = [f'task = "{task.id}"']
    # It is the client's, who may write it as it likes.
    if task.trace is not None and re.fullmatch(r"[0-9a-zA-Z-]+", task.trace):
        named.append(f'trace = "{task.trace}"')
    return f"fields @timestamp, @log, @message | filter {' or '.join(named)} | sort @timestamp asc | limit 1000"


def _query(groups: Sequence[str], text: str, start: datetime, end: datetime) -> str:
    """Return the query as the console of CloudWatch Logs Insights writes it."""
    source = "".join(f"~{_text(each)}" for each in groups)
    times = f"end~{_text(_moment(end))}~start~{_text(_moment(start))}~timeType~'ABSOLUTE~tz~'UTC"
    return f"~({times}~editorString~{_text(text)}~source~({source}))"


def _moment(at: datetime) -> str:
    return at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.000Z")


def _text(value: str) -> str:
    return "'" + re.sub(r"[^A-Za-z0-9_.-]", lambda found: f"*{ord(found[0]):02x}", value)
