"""The stage setting `trace_rate`: how many requests and executions X-Ray traces."""

from aws_cdk import Names
from aws_cdk.aws_xray import CfnSamplingRule
from constructs import Construct

ANYTHING = "*"


class Sampling(Construct):
    """Traces one request and one execution a second, and of all others a part.

    A function goes by what was decided for the request or the execution; one that AWS invokes by itself decides by
    Lambda's own rule, which nothing changes.
    """

    def __init__(self, scope: Construct, construct_id: str, *, name: str, stage: str, rate: float) -> None:
        super().__init__(scope, construct_id)
        services = {
            "Requests": (f"{name}/{stage}", "AWS::ApiGateway::Stage"),
            "Executions": (f"{name}-*", "AWS::StepFunctions::StateMachine"),
        }
        for what, (service, kind) in services.items():
            rule = Construct(self, what)
            CfnSamplingRule(
                rule,
                "Rule",
                sampling_rule=CfnSamplingRule.SamplingRuleProperty(
                    rule_name=Names.unique_resource_name(rule, max_length=32),
                    service_name=service,
                    service_type=kind,
                    fixed_rate=rate,
                    reservoir_size=1,
                    # Before rules for all services, of which the account's default one has 10,000.
                    priority=1_000,
                    host=ANYTHING,
                    http_method=ANYTHING,
                    resource_arn=ANYTHING,
                    url_path=ANYTHING,
                    version=1,
                ),
            )
