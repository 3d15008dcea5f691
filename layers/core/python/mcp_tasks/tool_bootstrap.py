"""Makes what runs adopters' code, on AWS: it reaches the host of its run, and neither the store nor a key."""

from mcp_tasks import aws
from mcp_tasks.engine.current_run import mark_records
from mcp_tasks.engine.runner import Runner
from mcp_tasks.features.listing import Features
from mcp_tasks.run_host.ticket_runner import TicketRunner
from mcp_tasks.run_inline.server import InlineServer
from mcp_tasks.settings import ToolSettings


def inline_server(settings: ToolSettings) -> InlineServer:
    """Wire what runs calls that are no tasks, and import the tools, prompts and resources."""
    mark_records()
    return InlineServer(features=Features.of_module(settings.tools_module), clock=aws.clock)


def runner(settings: ToolSettings) -> TicketRunner:
    """Wire what runs the tools of tasks, and import the tools."""
    mark_records()
    tools = Features.of_module(settings.tools_module).tools
    return TicketRunner(
        runner=Runner(tools=tools, clock=aws.clock), send=aws.invoking(settings.host_function, aws.TO_HOST)
    )
