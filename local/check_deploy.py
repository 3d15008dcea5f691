"""`make check-deploy`: says which tasks in flight the tools of the working tree would break, and writes nothing.

It also says of which tasks steps would run anew and questions would be asked again.

The stage `local` is that of `make stack`; any other is on AWS, with the credentials that are set.
"""

import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import redirect_stdout
from typing import NamedTuple

from local.stage import UNREADABLE, Refused, reason, stack_of, stage_parser
from local.tenant import settings_of
from mcp_tasks import aws, bootstrap
from mcp_tasks.adapters.dynamodb.backlog import DynamoBacklog
from mcp_tasks.adapters.dynamodb.table import Table
from mcp_tasks.engine.operations import TaskOperations
from mcp_tasks.features.import_advice import advice
from mcp_tasks.features.listing import Features
from mcp_tasks.features.tools import Toolbox
from mcp_tasks.settings import Settings
from mcp_tasks.tasks.errors import TaskNotFound, UnreadableItem
from mcp_tasks.tasks.model import Task
from mcp_tasks.tasks.transitions import is_final
from mcp_tasks.testing.replay import verdict
from mcp_tasks.wiring import Wiring


class Checked(NamedTuple):
    """A live task, why it would fail, if it would, and what the code does otherwise than its runs did."""

    owner_key: str
    task: Task
    why: str | None
    changes: Sequence[str]


def checked(tasks: TaskOperations, live: Iterable[tuple[str, str]], tools: Toolbox) -> Iterator[Checked]:
    """Yield each live task of which there is something to say; those that end meanwhile are left out."""
    for owner_key, task_id in live:
        try:
            task = tasks.read(owner_key, task_id)
            if not is_final(task):
                yield Checked(owner_key, task, *verdict(tasks, tools, owner_key, task))
        except TaskNotFound:
            continue
        except UnreadableItem as error:
            print(f"{owner_key} {task_id} cannot be read, and is not checked: {error}", file=sys.stderr)


def report(found: Iterable[Checked]) -> int:
    """Print which tasks would fail or go on otherwise, and return the exit status: 1 if one would fail."""
    count = broken = 0
    for owner_key, task, why, changes in found:
        count += 1
        broken += why is not None
        for said in (*changes, *filter(None, [why])):
            print(f"{owner_key} {task.id} ({task.tool}): {said}")
    print(f"{count} tasks are in flight, of which {broken} would fail under the code here.")
    return 1 if broken else 0


def tools_of(module: str) -> Toolbox:
    """Import a module of tools; exits where it cannot be imported, as the deployed functions could not."""
    try:
        return Features.of_module(module).tools
    except Exception as error:  # noqa: BLE001  # an adopter's module may raise anything
        sys.exit(f"{module} cannot be imported: {type(error).__name__}: {error}\n{advice(error)}".rstrip())


def live_of(settings: Settings) -> Iterable[tuple[str, str]]:
    """Yield the owner key and id of each live task."""
    table = Table(client=aws.client("dynamodb", aws.MORE_RETRIES), name=settings.table_name, clock=aws.clock)
    return DynamoBacklog(table=table).live()


def main(arguments: list[str] | None = None) -> int:
    """Check what the arguments name, and return the exit status."""
    parser = stage_parser("make check-deploy")
    parser.add_argument("--tools", default="tools")
    given = parser.parse_args(arguments)
    stack = stack_of(given)
    # What tools print goes elsewhere than what is said of them.
    said = sys.stdout
    with redirect_stdout(sys.stderr):
        tools = tools_of(given.tools)
        try:
            settings = settings_of(stack)
            tasks = Wiring(ports=bootstrap.aws_ports(settings, aws.MORE_RETRIES)).tasks()
            found = list(checked(tasks, live_of(settings), tools))
        except Refused as error:
            sys.exit(str(error))
        except UNREADABLE as error:
            sys.exit(f"The tasks cannot be read: {reason(error)}")
    with redirect_stdout(said):
        return report(found)


if __name__ == "__main__":
    sys.exit(main())
