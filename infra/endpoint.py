"""The regional REST API with its throttling and access log; `routes.py` adds its methods."""

import json

from aws_cdk import Aws, RemovalPolicy
from aws_cdk import aws_apigateway as api
from aws_cdk.aws_logs import LogGroup
from constructs import Construct

from .findings import acknowledge
from .server_settings import ServerSettings

LOGGED = ("requestId", "httpMethod", "path", "status", "responseLatency", "authorizer.tenant", "error.message")
LOGS_POLICY = "arn:<AWS::Partition>:iam::aws:policy/service-role/AmazonAPIGatewayPushToCloudWatchLogs"
ACKNOWLEDGED = {
    "APIG2": "The server answers an invalid body in JSON-RPC, which the gateway's validation could not.",
    "APIG3": "A web ACL costs money by the month and is the adopter's to choose.",
    "APIG6": "The access log and the functions' own logs have what execution logs would repeat.",
    "COG4": "Tokens may come from any issuer: the Lambda authorizer verifies them.",
    f"IAM4[Policy::{LOGS_POLICY}]": "The account's one role for API Gateway's logs, as AWS prescribes it.",
}


class Endpoint(Construct):
    """`rest` is the API; `base_url` is its public address, which is `public_url` where the stage has one."""

    def __init__(
        self, scope: Construct, construct_id: str, *, name: str, settings: ServerSettings, logs_role: bool
    ) -> None:
        super().__init__(scope, construct_id)
        logs = LogGroup(self, "Access", retention=settings.retention, removal_policy=RemovalPolicy.DESTROY)
        self.rest = api.RestApi(
            self,
            "Api",
            rest_api_name=name,
            endpoint_types=[api.EndpointType.REGIONAL],
            cloud_watch_role=logs_role,
            disable_execute_api_endpoint=settings.disable_execute_api_endpoint or None,
            api_key_source_type=None if settings.tenant_share is None else api.ApiKeySourceType.AUTHORIZER,
            deploy_options=api.StageOptions(
                stage_name=settings.stage,
                throttling_rate_limit=settings.requests_per_second,
                throttling_burst_limit=settings.requests_per_second,
                tracing_enabled=settings.traced,
                access_log_destination=api.LogGroupLogDestination(logs),
                access_log_format=api.AccessLogFormat.custom(json.dumps({key: f"$context.{key}" for key in LOGGED})),
            ),
        )
        # CDK's own output of the address, which may not be the public one.
        self.rest.node.try_remove_child("Endpoint")
        gateway = f"https://{{api}}.execute-api.{Aws.REGION}.{Aws.URL_SUFFIX}/{settings.stage}"
        self.base_url = (settings.public_url.removesuffix("/") or gateway).replace("{api}", self.rest.rest_api_id)
        for rule, reason in ACKNOWLEDGED.items():
            acknowledge(self, rule, reason)

    def move_to(self, domain: api.IDomainName) -> None:
        """Map the API to the root of a domain, where clients look for its metadata, and name that address alone."""
        api.BasePathMapping(self, "Domain", domain_name=domain, rest_api=self.rest)
        self.base_url = f"https://{domain.domain_name}"
