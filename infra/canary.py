"""The stage setting `canary`: a deploy moves requests to new versions bit by bit, and back where alarms ring."""

from typing import Final

from aws_cdk import Duration
from aws_cdk.aws_apigateway import RestApi
from aws_cdk.aws_cloudwatch import Metric, TreatMissingData
from aws_cdk.aws_codedeploy import LambdaApplication, LambdaDeploymentConfig, LambdaDeploymentGroup
from aws_cdk.aws_iam import Role, ServicePrincipal
from constructs import Construct

from .findings import acknowledge
from .function import TaskServerFunction
from .functions import Functions

FAILURES: Final = 5
PERIOD: Final = Duration.minutes(1)
POLICY: Final = "arn:<AWS::Partition>:iam::aws:policy/service-role/AWSCodeDeployRoleForLambdaLimited"


class Canary(Construct):
    """Has CodeDeploy move the alias of each of a server's functions, at the `pace` that CodeDeploy has a name for."""

    def __init__(
        self, scope: Construct, construct_id: str, *, functions: Functions, rest: RestApi, name: str, pace: str
    ) -> None:
        super().__init__(scope, construct_id)
        config = LambdaDeploymentConfig.from_lambda_deployment_config_name(
            self, "Pace", f"CodeDeployDefault.Lambda{pace}"
        )
        role = Role(self, "Role", assumed_by=ServicePrincipal("codedeploy.amazonaws.com"))
        acknowledge(role, f"IAM4[Policy::{POLICY}]", "It moves aliases, as AWS prescribes it.")
        # Lambda's Errors count runs that suspend their tasks.
        failed_runs = Metric(namespace=name, metric_name="failed_runs", statistic="Sum", period=PERIOD)
        metrics = {"FailedRuns": failed_runs, "Errors": rest.metric_server_error(statistic="Sum", period=PERIOD)}
        alarms = [
            metric.create_alarm(
                self, each, threshold=FAILURES, evaluation_periods=1, treat_missing_data=TreatMissingData.NOT_BREACHING
            )
            for each, metric in metrics.items()
        ]
        application = LambdaApplication(self, "Application")
        for child in functions.node.children:
            if isinstance(child, TaskServerFunction):
                LambdaDeploymentGroup(
                    self,
                    child.function.node.id,
                    application=application,
                    alias=child,
                    deployment_config=config,
                    alarms=alarms,
                    role=role,
                )
