"""OAuth protected resource metadata (RFC 9728), served by API Gateway's mock integrations without a function."""

import json
from collections.abc import Mapping

from aws_cdk import aws_apigateway as api
from constructs import Construct

from .findings import acknowledge
from .resource_metadata import PREFLIGHT, PUBLIC_CORS, WELL_KNOWN, ResourceMetadata


class Discovery(Construct):
    """The metadata document, at the path of the host and at that of the resource `/mcp`."""

    def __init__(self, scope: Construct, construct_id: str, *, rest: api.RestApi, metadata: ResourceMetadata) -> None:
        super().__init__(scope, construct_id)
        well_known = rest.root.resource_for_path(WELL_KNOWN)
        document = json.dumps(metadata.document)
        for resource in (well_known, well_known.add_resource("mcp")):
            _add_mock(resource, "GET", "200", {"Content-Type": "application/json", **PUBLIC_CORS}, document)
            _add_mock(resource, "OPTIONS", "204", PREFLIGHT, "")


def _add_mock(resource: api.IResource, method: str, status: str, headers: Mapping[str, str], body: str) -> None:
    """Add a method that API Gateway answers by itself, the same for every caller."""
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
        acknowledge(added, rule, "RFC 9728: clients that have no token yet read it.")
