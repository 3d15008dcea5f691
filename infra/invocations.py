"""Which function invokes which: the core has adopters' code run, and that asks the host of its run."""

from .functions import Functions
from .start_by_events import start_by_events, starters


def permit_invocations(functions: Functions) -> None:
    """Grant every function the invocations that it needs; what runs adopters' code has no other permission of ours."""
    invoked = {
        functions.host_run: (functions.run_tool,),
        functions.run_inline: (functions.serve_mcp, functions.record_outcome),
        functions.run_tool: (functions.run_without_ticket, *starters(functions)),
    }
    start_by_events(functions)
    for function, callers in invoked.items():
        for caller in callers:
            caller.allow("lambda:InvokeFunction", on=[function.function_arn])
