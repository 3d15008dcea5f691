"""The dashboard of a server, which a person understands at a glance."""

from collections.abc import Mapping

from aws_cdk import Aws
from aws_cdk.aws_apigateway import RestApi
from aws_cdk.aws_cloudwatch import AlarmStatusWidget, Dashboard, IWidget, TextWidget
from aws_cdk.aws_sqs import IQueue
from constructs import Construct

from . import dashboard_rows as rows
from .alarm import Alarms
from .existing_table import TableOfTasks
from .function import TaskServerFunction
from .functions import Functions


class OperationsDashboard(Construct):
    """Which alarms are on, and four rows: are users served, is work done, who is refused, what does it cost."""

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        *,
        alarms: Alarms,
        functions: Functions,
        rest: RestApi,
        table: TableOfTasks,
        undelivered: IQueue,
        machines: Mapping[str, str],
    ) -> None:
        super().__init__(scope, construct_id)
        name = alarms.namespace
        built = [each for each in functions.node.children if isinstance(each, TaskServerFunction)]
        own = {each.function.node.id: each.function for each in built}
        changes = functions.on_task_change.function
        graphs = {
            "Are users served?": rows.served(name, rest),
            "Is work done?": rows.worked(name, changes, undelivered),
            "Who is refused?": rows.refused(name, rest, own),
            "What does it cost?": rows.costs(name, rest, table.name, own, machines.values()),
        }
        shown: list[list[IWidget]] = [[AlarmStatusWidget(title="Alarms", alarms=alarms.all, width=24)]]
        for question, widgets in graphs.items():
            shown += [[TextWidget(markdown=f"## {question}", width=24, height=1)], list(widgets)]
        self.dashboard = Dashboard(self, "Dashboard", dashboard_name=name, widgets=shown)
        home = f"https://{Aws.REGION}.console.aws.amazon.com/cloudwatch/home?region={Aws.REGION}"
        self.url = f"{home}#dashboards/dashboard/{name}"
