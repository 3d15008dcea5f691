"""What the emulator leaves out of API Gateway: names that it changes, and API keys that an authorizer names."""

import contextvars

from ministack.services import apigateway_v1

NAMED = "usageIdentifierKey"


def rename_challenges() -> None:
    """Rename the `WWW-Authenticate` of a function's response, as API Gateway does; the emulator passes it through."""
    invoke = apigateway_v1._invoke_lambda_proxy_v1

    async def renamed(*given, **named):
        status, headers, body = await invoke(*given, **named)
        theirs = {"www-authenticate": "x-amzn-Remapped-WWW-Authenticate"}
        return status, {theirs.get(name.lower(), name): value for name, value in headers.items()}, body

    apigateway_v1._invoke_lambda_proxy_v1 = renamed


def take_keys_of_authorizers() -> None:
    """Take a request's API key from the authorizer, where that names one, as AWS does; the emulator reads the header.

    It travels in the authorizer's context, and so is cached with it, until the request is authorized.
    """
    invoke, authorize = apigateway_v1._invoke_authorizer_lambda, apigateway_v1._authorize_request_v1
    in_header, named = apigateway_v1._api_key_from_request, contextvars.ContextVar("named", default=None)

    async def invoked(*given):
        result = await invoke(*given)
        answer = (result or {}).get("body")
        if isinstance(answer, dict) and NAMED in answer:
            answer.setdefault("context", {})[NAMED] = answer[NAMED]
        return result

    async def authorized(*given):
        error, context = await authorize(*given)
        named.set((context or {}).get(NAMED))
        return error, context and {name: value for name, value in context.items() if name != NAMED}

    apigateway_v1._invoke_authorizer_lambda = invoked
    apigateway_v1._authorize_request_v1 = authorized
    apigateway_v1._api_key_from_request = lambda headers: named.get() or in_header(headers)
