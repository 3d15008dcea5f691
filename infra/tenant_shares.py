"""The API keys by which API Gateway counts each tenant's requests, so that none uses up the stage's rate."""

from aws_cdk import aws_apigateway as api
from constructs import Construct

from mcp_tasks.limits.tenants import MAX_API_KEYS

from .server_settings import ServerSettings


class TenantShares(Construct):
    """A usage plan whose keys nobody holds: the authorizer names one of them for each tenant (`usageIdentifierKey`).

    `prefix` is what the keys begin with.  They are no secrets: a key in a request's header counts for nothing.
    """

    def __init__(self, scope: Construct, construct_id: str, *, rest: api.RestApi, settings: ServerSettings) -> None:
        super().__init__(scope, construct_id)
        share = (settings.tenant_share or 1) * settings.requests_per_second
        plan = api.UsagePlan(
            self,
            "Plan",
            throttle=api.ThrottleSettings(rate_limit=share, burst_limit=round(share)),
            api_stages=[api.UsagePlanPerApiStage(api=rest, stage=rest.deployment_stage)],
        )
        # Keys are unique in an account and region, as the ids of its APIs are; and letters and digits, at least 20.
        self.prefix = f"{rest.rest_api_id}ShareOfRequestsPerSecond"
        for number in range(MAX_API_KEYS):
            key = api.ApiKey(self, f"Key{number}", value=f"{self.prefix}{number}")
            plan.add_api_key(key)
