"""Which HTTP method of the endpoint leads to which function."""

from aws_cdk import Duration
from aws_cdk import aws_apigateway as api
from aws_cdk.aws_lambda import IFunction

from infra.findings import acknowledge


def route(
    rest: api.RestApi, *, calls: IFunction, waits: IFunction, authorizer: api.IAuthorizer, browsers: bool
) -> None:
    """Lead POST and DELETE to `calls`, GET to `waits`: a stage can give each its own concurrency.

    With `browsers`, their preflights go to `calls` too, which knows whose pages may call.
    """
    mcp = rest.root.add_resource("mcp")

    def target(function: IFunction) -> api.LambdaIntegration:
        return api.LambdaIntegration(function, timeout=Duration.seconds(29), allow_test_invoke=False)

    for method, function in (("POST", calls), ("DELETE", calls), ("GET", waits)):
        mcp.add_method(method, target(function), authorizer=authorizer)
    if browsers:
        preflight = mcp.add_method("OPTIONS", target(calls), authorization_type=api.AuthorizationType.NONE)
        for rule in ("APIG4", "COG4"):
            acknowledge(preflight, rule, "A browser asks whether a token may be sent, and so sends none.")
