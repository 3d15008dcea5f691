"""What the gateway answers when it refuses by itself: JSON-RPC, and for a missing token the way to get one."""

from aws_cdk.aws_apigateway import ResponseType, RestApi
from constructs import Construct

INVALID_REQUEST, INTERNAL_ERROR = -32600, -32603


class Refusals(Construct):
    """Clients read one kind of error, whoever sends it."""

    def __init__(self, scope: Construct, construct_id: str, *, api: RestApi, challenge: str) -> None:
        """Answer whoever comes without a good token with the challenge."""
        super().__init__(scope, construct_id)
        api.add_gateway_response("Refused", type=ResponseType.DEFAULT_4_XX, templates=_error(INVALID_REQUEST))
        api.add_gateway_response("Failed", type=ResponseType.DEFAULT_5_XX, templates=_error(INTERNAL_ERROR))
        # Only the gateway itself may send this header: one that comes from a Lambda is renamed.
        api.add_gateway_response(
            "Unauthorized",
            type=ResponseType.UNAUTHORIZED,
            response_headers={"WWW-Authenticate": f"'{challenge}'"},
            templates=_error(INVALID_REQUEST),
        )


def _error(code: int) -> dict[str, str]:
    # The gateway puts the quotes around its message.
    error = f'{{"code": {code}, "message": $context.error.messageString}}'
    return {"application/json": f'{{"jsonrpc": "2.0", "error": {error}}}'}
