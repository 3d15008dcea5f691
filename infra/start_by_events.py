"""Runs that are started by events of Lambda, for tools without a state machine."""

from aws_cdk import Duration

from mcp_tasks.limits.waits import MAX_EVENT_AGE

from .function import TaskServerFunction
from .functions import Functions


def starters(functions: Functions) -> tuple[TaskServerFunction, ...]:
    """Return the functions that start the work of tasks."""
    return functions.serve_mcp, functions.on_task_change, functions.sweep


def start_by_events(functions: Functions) -> None:
    """Name the function that runs tools to those that start work, and have Lambda discard an event that fails.

    The sweep repeats a run that died, and counts its attempts. There is no failure destination, since Lambda would
    write to it in the role of adopters' code.
    """
    run_tool = functions.run_tool
    run_tool.configure_async_invoke(retry_attempts=0, max_event_age=Duration.seconds(MAX_EVENT_AGE.total_seconds()))
    for starter in starters(functions):
        starter.add_environment("TOOLS_FUNCTION", run_tool.function_arn)
