"""The functions, each with the time, memory and concurrency that its trigger needs."""

from typing import Any

from constructs import Construct

from .function import TaskServerFunction
from .function_builder import FunctionBuilder
from .function_code import code_of, functions_of_revisions
from .function_defaults import FunctionDefaults
from .release import name_release
from .retries import SIGNALS
from .snap_start import snapshot
from .tenant_access import TenantAccess
from .tool_function import ToolFunction
from .tool_isolation import isolate
from .variables import Variables


class Functions(Construct):
    """One function for each folder of `functions/`; `await_task` is None unless a revision declares it."""

    def __init__(self, scope: Construct, construct_id: str, *, name: str, variables: Variables, local: bool) -> None:
        super().__init__(scope, construct_id)
        settings = variables.settings
        self.defaults = FunctionDefaults(code=code_of(self, variables.tools, local=local), **settings.of_functions)
        name_release(self)
        shared: dict[str, Any] = {"scope": self, "defaults": self.defaults, "namespace": name}
        build = FunctionBuilder(kind=TaskServerFunction, **shared).build
        build_for_tools = FunctionBuilder(kind=ToolFunction, **shared).build
        self.run_inline = build("run_inline", variables.tool_code, seconds=29, memory=1024)  # API Gateway waits as long
        inline = {"INLINE_FUNCTION": self.run_inline.function_arn}
        # What is reserved for each of these, neither waiting clients nor running tools can take.
        calls, checks, waiters = settings.serve_concurrency, settings.authorize_concurrency, settings.await_concurrency
        self.serve_mcp = build("serve_mcp", variables.server | inline, seconds=29, memory=1024, reserved=calls)
        self.await_task: TaskServerFunction | None = None
        if "await_task" in functions_of_revisions():
            # Mostly idle, so the least memory that bears its largest answer (`tests/held`).
            self.await_task = build("await_task", variables.waiter, seconds=29, memory=128, reserved=waiters)
        self.authorize = build("authorize", variables.authorizer, seconds=10, memory=512, reserved=checks)
        self.host_run = build("host_run", variables.host, seconds=60, memory=512)
        # Beyond the reserved concurrency runs wait in Step Functions' retries, and other functions are not starved.
        tools = {**variables.tool_code, "HOST_FUNCTION": self.host_run.function_arn}
        run: dict[str, Any] = {"seconds": 15 * 60, "signals": SIGNALS}
        self.run_tool = build_for_tools("tools", tools, memory=1024, reserved=settings.run_concurrency, **run)
        self.run_tool.per_tenant = TenantAccess(self, "TenantAccess", host=self.host_run)
        forward = {**variables.tasks, "TOOLS_FUNCTION": self.run_tool.function_arn}
        self.run_without_ticket = build("run_tool", forward, memory=256, **run)
        self.runner = isolate(settings.tool_isolation, self.run_tool, self.run_inline, through=self.run_without_ticket)
        if settings.snap_start:
            snapshot(self.authorize, self.serve_mcp, self.await_task, self.run_inline, self.run_tool, self.host_run)
        self.suspend_task = build("park_task", variables.tasks, seconds=60, memory=512)
        self.record_outcome = build("record_outcome", variables.execution_outcomes | inline, seconds=60, memory=512)
        self.report_progress = build("report_progress", variables.tasks, seconds=10, memory=512)
        self.on_task_change = build("on_task_change", variables.tasks, seconds=60, memory=512)
        # Shorter than its schedule's rate: two sweeps never overlap.
        self.sweep = build("sweep", variables.tasks, seconds=4 * 60, memory=512)
        self.anchor_audit = build("anchor_audit", variables.tasks, seconds=55, memory=512)
