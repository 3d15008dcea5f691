"""OAuth protected resource metadata (RFC 9728), served by API Gateway's mock integrations without a function."""

import json

from aws_cdk import aws_apigateway as api
from constructs import Construct

from .mocks import add_mock
from .resource_metadata import PREFLIGHT, PUBLIC_CORS, WELL_KNOWN, ResourceMetadata

REASON = "RFC 9728: clients that have no token yet read it."


class Discovery(Construct):
    """The metadata document, at the path of the host and at that of the resource `/mcp`."""

    def __init__(self, scope: Construct, construct_id: str, *, rest: api.RestApi, metadata: ResourceMetadata) -> None:
        super().__init__(scope, construct_id)
        well_known = rest.root.resource_for_path(WELL_KNOWN)
        document = json.dumps(metadata.document)
        for resource in (well_known, well_known.add_resource("mcp")):
            headers = {"Content-Type": "application/json", **PUBLIC_CORS}
            add_mock(resource, "GET", "200", headers, document, reason=REASON)
            add_mock(resource, "OPTIONS", "204", PREFLIGHT, "", reason=REASON)
