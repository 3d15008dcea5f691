"""How a client without a token learns where to get one (RFC 9728), answered by the gateway alone."""

import json
from collections.abc import Sequence

from aws_cdk import aws_apigateway as api
from constructs import Construct

from infra.findings import acknowledge

KIND = "method.response.header.Content-Type"


class Discovery(Construct):
    """The metadata document, at both of its paths; `metadata_url` is the one to name."""

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        *,
        rest: api.RestApi,
        base_url: str,
        issuer: str,
        scopes: Sequence[str],
    ) -> None:
        """Describe the API that clients find at `base_url`."""
        super().__init__(scope, construct_id)
        document = {
            "resource": f"{base_url}/mcp",
            "authorization_servers": [issuer],
            "bearer_methods_supported": ["header"],
            "scopes_supported": list(scopes),
        }
        path = rest.root.add_resource(".well-known").add_resource("oauth-protected-resource")
        mcp = path.add_resource("mcp")
        self.metadata_url = f"{base_url}{mcp.path}"
        for place in (path, mcp):
            self._publish(json.dumps(document), place)

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
