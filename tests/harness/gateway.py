"""HTTP as API Gateway hands it on to the functions of the template, behind the authorizer."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from mcp_tasks import aws
from mcp_tasks.security.tenancy import Caller
from mcp_tasks.testing.state_machines.lambdas import Lambdas, function_name
from mcp_tasks.testing.state_machines.template import Template
from mcp_tasks.wire.http import HttpReply, HttpRequest


class BadGateway(Exception):
    """The function behind the gateway failed, for which the gateway answers 502."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Gateway:
    """The gateway, for one caller."""

    lambdas: Lambdas
    template: Template
    caller: Caller

    def send(self, request: HttpRequest) -> HttpReply:
        """Invoke the function that the request's method is integrated with; raises `BadGateway`."""
        claims = {
            "tenant": self.caller.tenant,
            "subject": self.caller.subject,
            "scopes": " ".join(sorted(self.caller.scopes)),
            **({"roles": json.dumps(sorted(self.caller.roles))} if self.caller.roles else {}),
            **({"actor": json.dumps(self.caller.actor)} if self.caller.actor else {}),
            **({"client": self.caller.client_id} if self.caller.client_id else {}),
        }
        event = {
            "httpMethod": request.method,
            "headers": dict(request.headers),
            "body": request.body.decode() or None,
            "isBase64Encoded": False,
            "requestContext": {"authorizer": claims, "requestTimeEpoch": aws.clock.now().timestamp() * 1000},
        }
        return self.answer(event)

    def answer(self, event: Mapping[str, Any]) -> HttpReply:
        """Return what the function answers that the method of a proxy event is integrated with; raises `BadGateway`."""
        payload, errored = self.lambdas.invoke(self._function_for(event["httpMethod"]), event)
        if errored:
            raise BadGateway(payload)
        answer: dict[str, Any] = json.loads(payload)
        return HttpReply(status=answer["statusCode"], headers=answer["headers"], body=answer["body"])

    def _function_for(self, method: str) -> str:
        """Return the name of the function that an HTTP method is integrated with."""
        for _, leads in self.template.of_type("AWS::ApiGateway::Method"):
            if leads["HttpMethod"] == method and leads["Integration"]["Type"] == "AWS_PROXY":
                return function_name(leads["Integration"]["Uri"].removesuffix("/invocations"))
        raise AssertionError(f"the gateway does not know {method}")
