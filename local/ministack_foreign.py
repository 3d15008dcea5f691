"""Refuses web pages before the emulator sees them: its credentials are no secret, and it admits pages of any origin.

An API Gateway that is deployed to it decides about pages itself, by the origins of its stage.
"""

import json
from http import HTTPStatus

from foreign import any_page, programs_alone, refusal
from ministack import app
from ministack.core import lambda_runtime


def refuse_pages() -> None:
    """Refuse web pages at the emulator's port, and at the ports at which functions wait for their invocations."""
    serve, build_handler = app.app, lambda_runtime.ProvidedWorker._build_handler_class

    async def guarded(scope, receive, send):
        why = scope["type"] in ("http", "websocket") and _refusal(scope)
        await (_refuse(scope, receive, send, why) if why else serve(scope, receive, send))

    app.app = guarded
    lambda_runtime.ProvidedWorker._build_handler_class = lambda *given: _guarded(build_handler(*given))


def _refusal(scope):
    headers = [(name.decode("latin-1"), value.decode("latin-1")) for name, value in scope["headers"]]
    host = dict(headers).get("host", "")
    executed = app._parse_execute_api_url(host, scope["path"]) is not None
    target = scope["raw_path"].decode("latin-1")
    return refusal(scope.get("method", "GET"), target, headers, any_page if executed else programs_alone)


async def _refuse(scope, receive, send, why):
    if scope["type"] == "websocket":
        await receive()
        await send({"type": "websocket.close", "code": 1008})
        return
    body = json.dumps({"message": why}).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(body))]
    await send({"type": "http.response.start", "status": HTTPStatus.FORBIDDEN, "headers": headers})
    await send({"type": "http.response.body", "body": body})


def _guarded(handler):
    class Guarded(handler):
        def parse_request(self):
            if not super().parse_request():
                return False
            why = refusal(self.command, self.requestline.split()[1], self.headers.items(), programs_alone)
            if why:
                self.send_error(HTTPStatus.FORBIDDEN, why)
            return not why

    return Guarded
