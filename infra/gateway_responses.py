"""API Gateway's own error responses, in JSON-RPC; that of a missing token names the metadata of its issuer."""

from aws_cdk.aws_apigateway import ResponseType, RestApi
from constructs import Construct

INVALID_REQUEST, INTERNAL_ERROR = -32600, -32603


class GatewayResponses(Construct):
    """Makes errors of the gateway look like those of the server, so that clients parse one kind."""

    def __init__(self, scope: Construct, construct_id: str, *, api: RestApi, challenge: str, browsers: bool) -> None:
        """Send `challenge` with every 401; with `browsers`, let web pages of any origin read the responses."""
        super().__init__(scope, construct_id)
        # Any origin: a gateway response cannot depend on the request's, and contains nothing of a caller.
        cors = {"Access-Control-Allow-Origin": "'*'", "Access-Control-Expose-Headers": "'WWW-Authenticate'"}
        headers = cors if browsers else {}

        def add(name: str, kind: ResponseType, code: int) -> None:
            api.add_gateway_response(name, type=kind, response_headers=headers, templates=_error(code))

        add("Refused", ResponseType.DEFAULT_4_XX, INVALID_REQUEST)
        add("Failed", ResponseType.DEFAULT_5_XX, INTERNAL_ERROR)
        # Only a gateway response can have this header: API Gateway renames one that a function returns.
        api.add_gateway_response(
            "Unauthorized",
            type=ResponseType.UNAUTHORIZED,
            response_headers=headers | {"WWW-Authenticate": f"'{challenge}'"},
            templates=_error(INVALID_REQUEST),
        )


def _error(code: int) -> dict[str, str]:
    # `messageString` includes its quotes.
    error = f'{{"code": {code}, "message": $context.error.messageString}}'
    return {"application/json": f'{{"jsonrpc": "2.0", "error": {error}}}'}
