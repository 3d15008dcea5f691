"""The methods of the resource `/mcp`, and the function that each is integrated with."""

from aws_cdk import Duration
from aws_cdk import aws_apigateway as api
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

    Where no revision has GETs, both are one function, which rejects them as the specification says.
    With `browsers`, CORS preflights go to `calls` too, which has the allowed origins.  With `counted`, each request
    needs the API key that the authorizer names for its tenant.
    """
    mcp = rest.root.add_resource("mcp")

    def target(function: IFunction) -> api.LambdaIntegration:
        return api.LambdaIntegration(function, timeout=Duration.seconds(29), allow_test_invoke=False)

    for method, function in (("POST", calls), ("DELETE", calls), ("GET", waits)):
        mcp.add_method(method, target(function), authorizer=authorizer, api_key_required=counted or None)
    if browsers:
        preflight = mcp.add_method("OPTIONS", target(calls), authorization_type=api.AuthorizationType.NONE)
        for rule in ("APIG4", "COG4"):
            acknowledge(preflight, rule, "A CORS preflight carries no token.")
