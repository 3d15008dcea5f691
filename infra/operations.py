"""What an operator of a server looks at, and is told."""

from collections.abc import Mapping

from aws_cdk.aws_apigateway import RestApi
from aws_cdk.aws_sqs import IQueue
from constructs import Construct

from .alarm import Alarms
from .alarms_of_endpoint import watch_endpoint
from .alarms_of_schedules import watch_audit
from .alarms_of_tasks import watch_tasks
from .dashboard import OperationsDashboard
from .existing_table import TableOfTasks
from .functions import Functions
from .machine_files import Machine
from .machine_names import machine_arns


class Operations(Construct):
    """The alarms and the dashboard of the server `name`; `topic` is the ARN of who is told of alarms, if anybody."""

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        *,
        name: str,
        functions: Functions,
        rest: RestApi,
        table: TableOfTasks,
        undelivered: IQueue,
        machines: Mapping[str, Machine],
        topic: str,
    ) -> None:
        super().__init__(scope, construct_id)
        alarms = Alarms(self, "Alarms", name=name, topic=topic)
        watch_endpoint(alarms, functions, rest)
        watch_tasks(alarms, functions, table, undelivered)
        watch_audit(alarms, functions)
        arns = machine_arns(self, name, machines)
        shown = OperationsDashboard(
            self,
            "Shown",
            alarms=alarms,
            functions=functions,
            rest=rest,
            table=table,
            undelivered=undelivered,
            machines=arns,
        )
        self.dashboard_url = shown.url
