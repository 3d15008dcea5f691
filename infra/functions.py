"""The functions, each with the time, memory and concurrency that its trigger needs."""

from collections.abc import Mapping

from aws_cdk import Duration
from constructs import Construct

from infra.counts import count
from infra.findings import acknowledge
from infra.function import TaskServerFunction
from infra.program import cloud_program, local_program
from infra.settings import Settings
from infra.variables import Variables


class Functions(Construct):
    """One for each folder of `functions/`; `infra/permissions.py` says what they may do."""

    def __init__(self, scope: Construct, construct_id: str, *, settings: Settings, variables: Variables) -> None:
        super().__init__(scope, construct_id)
        acknowledge(self, "L1", "The bytecode in the assets is that of Python 3.13.")
        program = local_program() if settings.local else cloud_program(self, tools_module=settings.tools_module)

        def build(
            name: str, environment: Mapping[str, str], *, seconds: int, memory: int, reserved: int | None = None
        ) -> TaskServerFunction:
            made = TaskServerFunction(
                self,
                name,
                program=program,
                environment=environment,
                timeout=Duration.seconds(seconds),
                memory=memory,
                retention=settings.retention,
                reserved=reserved,
            )
            count(made, "fallback")
            return made

        # The gateway hangs up after 29 seconds.
        self.serve_mcp = build("serve_mcp", variables.server, seconds=29, memory=1024)
        # Mostly idle, so little memory; a stage that reserves concurrency for it keeps waiting from starving calls.
        waiters = settings.await_concurrency
        self.await_task = build("await_task", variables.waiter, seconds=29, memory=256, reserved=waiters)
        for waits in (self.serve_mcp, self.await_task):
            count(waits, "woken_by")
        self.authorize = build("authorize", variables.authorizer, seconds=10, memory=512)
        # What is too much at once waits in Step Functions, and the account's other functions go on.
        runs = settings.run_concurrency
        self.run_tool = build("run_tool", variables.tasks, seconds=15 * 60, memory=1024, reserved=runs)
        self.suspend_task = build("suspend_task", variables.tasks, seconds=60, memory=512)
        self.record_outcome = build("record_outcome", variables.execution_outcomes, seconds=60, memory=512)
        self.on_task_change = build("on_task_change", variables.tasks, seconds=60, memory=512)
        # Shorter than its period: two sweeps never overlap.
        self.sweep = build("sweep", variables.tasks, seconds=4 * 60, memory=512)
