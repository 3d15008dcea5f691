"""What clients call: the API, its authorizer, and the metadata that leads to the issuers."""

from collections.abc import Sequence

from aws_cdk.aws_apigateway import IDomainName
from constructs import Construct

from .canary import Canary
from .discovery import Discovery
from .endpoint import Endpoint
from .functions import Functions
from .gateway_responses import GatewayResponses
from .identity import Identity
from .issuers import supported_scopes
from .page import Page
from .resource_metadata import ResourceMetadata
from .routes import route
from .server_settings import ServerSettings
from .tenant_shares import TenantShares
from .tokens import Tokens


def add_api(
    server: Construct,
    functions: Functions,
    settings: ServerSettings,
    issuers: Sequence[Tokens],
    name: str,
    *,
    domain: IDomainName | None,
    logs_role: bool,
) -> Endpoint:
    """Add the API `name` to a server, integrated with its functions."""
    if settings.disable_execute_api_endpoint and not (domain or settings.public_url):
        raise SystemExit("With disable_execute_api_endpoint nobody reaches a server without a domain: give it one.")
    api = Endpoint(server, "Endpoint", name=name, settings=settings, logs_role=logs_role)
    if domain:
        api.move_to(domain)
    authorizer = Identity(server, "Identity", authorize=functions.authorize).authorizer
    calls, browsers = functions.serve_mcp, bool(settings.allowed_origins)
    waits = functions.await_task or calls
    counted = settings.tenant_share is not None and settings.tenant_share < 1
    route(api.rest, calls=calls, waits=waits, authorizer=authorizer, counted=counted, browsers=browsers)
    deployment = api.rest.latest_deployment
    assert deployment, "the API deploys itself"
    # Before requests lead to an alias, the API may invoke it.
    deployment.node.add_dependency(calls, waits, functions.authorize)
    if settings.canary:
        Canary(server, "Canary", functions=functions, rest=api.rest, name=name, pace=settings.canary)
    if settings.tenant_share is not None:
        shares = TenantShares(server, "TenantShares", rest=api.rest, settings=settings)
        functions.authorize.add_environment("API_KEY_PREFIX", shares.prefix)
    names, scopes = [each.issuer for each in issuers], supported_scopes(issuers)
    metadata = ResourceMetadata(base_url=api.base_url, issuers=names, scopes=scopes)
    for function in {calls, waits}:
        function.add_environment("METADATA_URL", metadata.url)
    Discovery(server, "Discovery", rest=api.rest, metadata=metadata)
    Page(server, "Page", rest=api.rest, settings=settings, issuers=names[:1])
    GatewayResponses(server, "GatewayResponses", api=api.rest, metadata=metadata, browsers=browsers)
    return api
