"""Makes what runs adopters' code, on AWS: it reaches the host of its run, and neither the store nor a key."""

import gc

from mcp_tasks import aws
from mcp_tasks.engine.current_run import mark_records
from mcp_tasks.engine.lease_keeping import LeaseKeeping
from mcp_tasks.engine.runner import Runner
from mcp_tasks.features.listing import Features
from mcp_tasks.run_host.ticket_runner import TicketRunner
from mcp_tasks.run_inline.server import InlineServer
from mcp_tasks.settings import ToolSettings


def inline_server(settings: ToolSettings) -> InlineServer:
    """Wire what runs calls that are no tasks, and import the tools, prompts and resources."""
    mark_records()
    made = InlineServer(features=Features.of_module(settings.tools_module), clock=aws.clock)
    _keep_imports()
    return made


def runner(settings: ToolSettings) -> TicketRunner:
    """Wire what runs the tools of tasks, and import the tools."""
    mark_records()
    tools = Features.of_module(settings.tools_module).tools
    made = TicketRunner(
        runner=Runner(tools=tools, clock=aws.clock, keeping=LeaseKeeping(clock=aws.clock)),
        send=aws.reaching(settings.host_function, aws.TO_HOST),
    )
    _keep_imports()
    return made


def forget_earlier_runs() -> None:
    """Free what earlier runs left in cycles of references: they may have been another tenant's.

    A signal that ended a run leads to the frames that it came through, and these to the tickets and the arguments.
    """
    gc.collect()


def _keep_imports() -> None:
    # What is imported by now stays, and need not be looked at before every run.
    if not gc.get_freeze_count():
        gc.freeze()
