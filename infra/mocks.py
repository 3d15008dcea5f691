"""Methods that API Gateway answers by itself, the same for every caller."""

from collections.abc import Mapping

from aws_cdk import aws_apigateway as api

from .findings import acknowledge


def add_mock(
    resource: api.IResource, method: str, status: str, headers: Mapping[str, str], body: str, *, reason: str
) -> None:
    """Add a method without a token, for a `reason`; the body is a Velocity template."""
    parameters = {f"method.response.header.{name}": value for name, value in headers.items()}
    response = api.IntegrationResponse(
        status_code=status,
        response_parameters={name: f"'{value}'" for name, value in parameters.items()},
        response_templates={"application/json": body},
    )
    request = {"application/json": f'{{"statusCode": {status}}}'}
    mock = api.MockIntegration(request_templates=request, integration_responses=[response])
    declared = api.MethodResponse(status_code=status, response_parameters=dict.fromkeys(parameters, True))
    added = resource.add_method(method, mock, method_responses=[declared])
    for rule in ("APIG4", "COG4"):
        acknowledge(added, rule, reason)
