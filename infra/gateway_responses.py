"""What the gateway answers when it refuses by itself: JSON-RPC, and for a missing token the way to get one."""

from aws_cdk.aws_apigateway import ResponseType, RestApi
from constructs import Construct

INVALID_REQUEST, INTERNAL_ERROR = -32600, -32603


class GatewayResponses(Construct):
    """Clients read one kind of error, whoever sends it."""

    def __init__(self, scope: Construct, construct_id: str, *, api: RestApi, challenge: str, browsers: bool) -> None:
        """Answer whoever comes without a good token with the challenge; let web pages read it with `browsers`."""
        super().__init__(scope, construct_id)
        # To pages of any origin: the gateway cannot tell one from another, and says the same to everybody.
        read = {"Access-Control-Allow-Origin": "'*'", "Access-Control-Expose-Headers": "'WWW-Authenticate'"}
        headers = read if browsers else {}

        def add(name: str, kind: ResponseType, code: int) -> None:
            api.add_gateway_response(name, type=kind, response_headers=headers, templates=_error(code))

        add("Refused", ResponseType.DEFAULT_4_XX, INVALID_REQUEST)
        add("Failed", ResponseType.DEFAULT_5_XX, INTERNAL_ERROR)
        # Only the gateway itself may send this header: one that comes from a Lambda is renamed.
        api.add_gateway_response(
            "Unauthorized",
            type=ResponseType.UNAUTHORIZED,
            response_headers=headers | {"WWW-Authenticate": f"'{challenge}'"},
            templates=_error(INVALID_REQUEST),
        )


def _error(code: int) -> dict[str, str]:
    # The gateway puts the quotes around its message.
    error = f'{{"code": {code}, "message": $context.error.messageString}}'
    return {"application/json": f'{{"jsonrpc": "2.0", "error": {error}}}'}
