"""The metadata document (RFC 9728), answered by the gateway alone."""

import json

from aws_cdk import aws_apigateway as api
from constructs import Construct

from infra.findings import acknowledge
from infra.resource_metadata import WELL_KNOWN, ResourceMetadata

KIND = "method.response.header.Content-Type"


class Discovery(Construct):
    """The metadata document, at both of its paths."""

    def __init__(self, scope: Construct, construct_id: str, *, rest: api.RestApi, metadata: ResourceMetadata) -> None:
        super().__init__(scope, construct_id)
        path = rest.root.resource_for_path(WELL_KNOWN)
        for place in (path, path.add_resource("mcp")):
            self._publish(json.dumps(metadata.document), place)

    def _publish(self, document: str, place: api.IResource) -> None:
        answer = api.IntegrationResponse(
            status_code="200",
            response_parameters={KIND: "'application/json'"},
            response_templates={"application/json": document},
        )
        request = {"application/json": '{"statusCode": 200}'}
        mock = api.MockIntegration(request_templates=request, integration_responses=[answer])
        shape = api.MethodResponse(status_code="200", response_parameters={KIND: True})
        method = place.add_method("GET", mock, method_responses=[shape])
        for rule in ("APIG4", "COG4"):
            acknowledge(method, rule, "RFC 9728: it is for those who have no token yet.")
