"""The methods of the resource `/mcp`, and the function that each is integrated with."""

from aws_cdk import Duration
from aws_cdk import aws_apigateway as api
from aws_cdk.aws_iam import ServicePrincipal
from aws_cdk.aws_lambda import IFunction

from .findings import acknowledge


def route(
    rest: api.RestApi,
    *,
    calls: IFunction,
    waits: IFunction,
    authorizer: api.IAuthorizer,
    counted: bool,
    browsers: bool,
) -> None:
    """Integrate POST and DELETE with `calls`, GET with `waits`, so that a stage can reserve concurrency for waiting.

    A REST API routes `/mcp/` here too, as it does with each path of its own; an HTTP API would answer 404.
    Where no revision has GETs, both are one function, which rejects them as the specification says.
    With `browsers`, CORS preflights go to `calls` too, which has the allowed origins.  With `counted`, each request
    needs the API key that the authorizer names for its tenant.
    """
    mcp = rest.root.add_resource("mcp")

    def target(method: str, function: IFunction) -> api.AwsIntegration:
        # A LambdaIntegration's permission names the API's stage, so that it would be made after requests come.
        source, gateway = rest.arn_for_execute_api(method, "/mcp", "*"), ServicePrincipal("apigateway.amazonaws.com")
        function.add_permission(f"Api{method}", principal=gateway, source_arn=source)
        path = f"2015-03-31/functions/{function.function_arn}/invocations"
        options = api.IntegrationOptions(timeout=Duration.seconds(29))
        return api.AwsIntegration(service="lambda", path=path, proxy=True, options=options)

    for method, function in (("POST", calls), ("DELETE", calls), ("GET", waits)):
        integration = target(method, function)
        mcp.add_method(method, integration, authorizer=authorizer, api_key_required=counted or None)
    if browsers:
        preflight = mcp.add_method("OPTIONS", target("OPTIONS", calls), authorization_type=api.AuthorizationType.NONE)
        for rule in ("APIG4", "COG4"):
            acknowledge(preflight, rule, "A CORS preflight carries no token.")
