"""Sends a request with other headers than its own, through the authorizer and to the function behind it."""

import json
from dataclasses import dataclass
from typing import Any, Self

from functions.authorize.handler import handler as authorize
from mcp_tasks import aws
from mcp_tasks.security.tenancy import Caller
from mcp_tasks.wire.http import HttpReply, HttpRequest
from tests.attacks.aws_calls import AwsCall, recorded
from tests.attacks.header_cases import HeaderCase, Headers
from tests.attacks.server import AttackedServer, connected
from tests.authorizer import RECORDED
from tests.harness.gateway import Gateway
from tests.tokens import token


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """What became of a request."""

    status: int
    headers: dict[str, str]
    body: str
    calls: tuple[AwsCall, ...] = ()

    @property
    def code(self) -> int | None:
        """The code of the JSON-RPC error, if it is one."""
        return json.loads(self.body).get("error", {}).get("code") if self.body.startswith("{") else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Sender:
    """Sends the same request with other headers, through the authorizer and to the function behind it."""

    gateway: Gateway
    token: str
    request: HttpRequest

    @classmethod
    def of(cls, server: AttackedServer, caller: Caller, task_id: str) -> Self:
        """Return a sender of a caller's request for a task."""
        sent: list[HttpRequest] = []
        client = connected(server.harness, server.revision, caller)
        transport = client.transport

        def send(request: HttpRequest) -> HttpReply:
            sent.append(request)
            reply: HttpReply = transport(request)
            return reply

        client.warm_up()
        client.transport = send
        client.ask("tasks/get", taskId=task_id)
        gateway = Gateway(lambdas=server.harness.lambdas, template=server.harness.template, caller=caller)
        return cls(gateway=gateway, token=token(tenant=caller.tenant, sub=caller.subject), request=sent[-1])

    def answered(self, case: HeaderCase | None = None) -> Answered:
        """Send the request with the headers of a case, or as it is."""
        event = self._event("POST", ()) if case is None else self._event(case.method, case.headers)
        try:
            # Where there is no Authorization header, API Gateway asks nobody.
            context = authorize(event, None).get("context")
        except Exception as refused:
            if str(refused) != "Unauthorized":
                raise
            context = None
        if context is None:
            return Answered(status=401, headers={}, body="")
        event["requestContext"] |= {"authorizer": context, "requestTimeEpoch": aws.clock.now().timestamp() * 1000}
        with recorded() as calls:
            reply = self.gateway.answer(event)
        return Answered(status=reply.status, headers=dict(reply.headers), body=reply.body, calls=tuple(calls))

    def _event(self, method: str, changed: Headers) -> dict[str, Any]:
        replaced = {name.lower() for name, _ in changed}
        usual = {"authorization": f"Bearer {self.token}", **self.request.headers}
        if method != "POST":
            usual |= {"accept": "text/event-stream"}
        pairs = [(name, value) for name, value in usual.items() if name not in replaced]
        pairs += [(name, value) for name, value in changed if value is not None]
        names = dict.fromkeys(name for name, _ in pairs)
        recorded_request: dict[str, Any] = json.loads(RECORDED)
        return recorded_request | {
            "httpMethod": method,
            "headers": dict(pairs),
            "multiValueHeaders": {name: [value for each, value in pairs if each == name] for name in names},
            "body": self.request.body.decode() if method == "POST" else None,
            "isBase64Encoded": False,
        }
