"""The metadata document (RFC 9728), answered by the gateway alone."""

import json
from collections.abc import Mapping

from aws_cdk import aws_apigateway as api
from constructs import Construct

from infra.findings import acknowledge
from infra.resource_metadata import PAGES, PREFLIGHT, WELL_KNOWN, ResourceMetadata


class Discovery(Construct):
    """The metadata document, at both of its paths."""

    def __init__(self, scope: Construct, construct_id: str, *, rest: api.RestApi, metadata: ResourceMetadata) -> None:
        super().__init__(scope, construct_id)
        path = rest.root.resource_for_path(WELL_KNOWN)
        document = json.dumps(metadata.document)
        for place in (path, path.add_resource("mcp")):
            _publish(place, "GET", "200", {"Content-Type": "application/json", **PAGES}, document)
            _publish(place, "OPTIONS", "204", PREFLIGHT, "")


def _publish(place: api.IResource, method: str, status: str, headers: Mapping[str, str], body: str) -> None:
    """Let the gateway itself answer, the same to everybody."""
    named = {f"method.response.header.{name}": value for name, value in headers.items()}
    answer = api.IntegrationResponse(
        status_code=status,
        response_parameters={name: f"'{value}'" for name, value in named.items()},
        response_templates={"application/json": body},
    )
    request = {"application/json": f'{{"statusCode": {status}}}'}
    mock = api.MockIntegration(request_templates=request, integration_responses=[answer])
    shape = api.MethodResponse(status_code=status, response_parameters=dict.fromkeys(named, True))
    published = place.add_method(method, mock, method_responses=[shape])
    for rule in ("APIG4", "COG4"):
        acknowledge(published, rule, "RFC 9728: it is for those who have no token yet.")
