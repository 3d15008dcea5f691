"""API Gateway's own error responses, in JSON-RPC; that of a missing token names the metadata of its issuer."""

from aws_cdk.aws_apigateway import ResponseType, RestApi
from constructs import Construct

from .resource_metadata import ResourceMetadata

INVALID_REQUEST, INTERNAL_ERROR = -32600, -32603


class GatewayResponses(Construct):
    """Makes errors of the gateway look like those of the server, so that clients parse one kind."""

    def __init__(
        self, scope: Construct, construct_id: str, *, api: RestApi, metadata: ResourceMetadata, browsers: bool
    ) -> None:
        """Name the metadata with every 401; with `browsers`, let web pages of any origin read the responses."""
        super().__init__(scope, construct_id)
        # Any origin: a gateway response cannot depend on the request's, and contains nothing of a caller.
        exposed = {"Access-Control-Expose-Headers": "'Retry-After, WWW-Authenticate'"}
        cors = {"Access-Control-Allow-Origin": "'*'", **exposed} if browsers else {}

        def add(name: str, kind: ResponseType, error: str, *, status: str | None = None, **headers: str) -> None:
            sent = cors | {header.replace("_", "-"): f"'{value}'" for header, value in headers.items()}
            body = {"application/json": f'{{"jsonrpc": "2.0", "error": {error}}}'}
            api.add_gateway_response(name, type=kind, status_code=status, response_headers=sent, templates=body)

        invalid = _error(INVALID_REQUEST)
        add("Refused", ResponseType.DEFAULT_4_XX, invalid)
        add("Failed", ResponseType.DEFAULT_5_XX, _error(INTERNAL_ERROR))
        # Only a gateway response can have this header: API Gateway renames one that a function returns.
        add("Unauthorized", ResponseType.UNAUTHORIZED, invalid, WWW_Authenticate=metadata.challenge)
        # The authorizer denies a token that it does not accept.  The gateway's own text would be about policies.
        unauthorized = _error(INVALID_REQUEST, '"Unauthorized"')
        rejected = metadata.invalid_token
        add("Rejected", ResponseType.ACCESS_DENIED, unauthorized, status="401", WWW_Authenticate=rejected)
        # The bucket gets its tokens all the time: a whole second is the least that the header can say.
        add("Throttled", ResponseType.THROTTLED, invalid, Retry_After="1")
        # The authorizer names the key, and not the caller: it is missing while a deploy is on its way, and no longer.
        deploying = _error(INTERNAL_ERROR, '"A deploy is on its way: try again."')
        add("NoKey", ResponseType.INVALID_API_KEY, deploying, status="503", Retry_After="5")


def _error(code: int, message: str = "$context.error.messageString") -> str:
    # `messageString` includes its quotes.
    return f'{{"code": {code}, "message": {message}}}'
