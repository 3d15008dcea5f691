"""A client at the server's door: HTTP as API Gateway hands it on, JSON-RPC within, streams followed to their end."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from mcp_tasks import bootstrap
from mcp_tasks.tasks.model import JSON
from mcp_tasks.tenancy import Caller
from mcp_tasks.toolkit.errors import McpError
from tests.stage.lambdas import Lambdas
from tests.stage.template import Template

VERSION = "2025-11-25"


class BadGateway(Exception):
    """The function behind the gateway failed, for which the gateway answers 502."""


@dataclass(slots=True, kw_only=True)
class Door:
    """One caller's client; it comes in behind the authorizer.  `told` is every notification that it received."""

    lambdas: Lambdas
    template: Template
    caller: Caller
    told: list[dict[str, JSON]] = field(default_factory=list)
    _session: str | None = None
    _asked: int = 0

    def ask(self, method: str, params: Mapping[str, JSON]) -> JSON:
        """Send a request and return its result, however many connections that takes; raises `McpError`."""
        self._asked += 1
        request = {"jsonrpc": "2.0", "id": self._asked, "method": method, "params": params}
        for message in self._messages(request):
            if "method" in message:
                self.told.append(message)
            elif "error" in message:
                error = message["error"]
                raise McpError(error["code"], error["message"], error.get("data"))
            else:
                return message["result"]
        raise AssertionError(f"{method} was not answered")

    def _messages(self, request: Mapping[str, JSON]) -> Iterator[dict[str, JSON]]:
        answer = self._within_session(request)
        if not answer["headers"]["content-type"].startswith("text/event-stream"):
            yield json.loads(answer["body"])
            return
        while True:
            events = [_event(text) for text in answer["body"].split("\n\n") if text]
            yield from (json.loads(event["data"]) for event in events if event["data"])
            self.lambdas.clock.sleep(timedelta(milliseconds=int(events[0]["retry"])))
            place = [event["id"] for event in events if "id" in event][-1]
            answer = self._send("GET", {"last-event-id": place})

    def _within_session(self, request: Mapping[str, JSON]) -> dict[str, Any]:
        for _ in range(2):
            if self._session is None:
                self._initialize()
            answer = self._send("POST", {}, request)
            if answer["statusCode"] != 404:
                return answer
            self._session = None
        raise AssertionError("the server does not know the session that it has just opened")

    def _initialize(self) -> None:
        params = {"protocolVersion": VERSION, "capabilities": {}, "clientInfo": {"name": "stage", "version": "1"}}
        answer = self._send("POST", {}, {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params})
        self._session = answer["headers"]["mcp-session-id"]
        self._send("POST", {}, {"jsonrpc": "2.0", "method": "notifications/initialized"})

    def _send(self, method: str, headers: Mapping[str, str], body: Mapping[str, JSON] | None = None) -> dict[str, Any]:
        fixed = {"accept": "application/json, text/event-stream", "content-type": "application/json"}
        session = {"mcp-session-id": self._session, "mcp-protocol-version": VERSION} if self._session else {}
        claims = {
            "tenant": self.caller.tenant,
            "subject": self.caller.subject,
            "scopes": " ".join(sorted(self.caller.scopes)),
        }
        event = {
            "httpMethod": method,
            "headers": {**fixed, **session, **headers},
            "body": json.dumps(body) if body is not None else None,
            "isBase64Encoded": False,
            "requestContext": {"authorizer": claims, "requestTimeEpoch": bootstrap.clock.now().timestamp() * 1000},
        }
        payload, errored = self.lambdas.invoke(self._behind(method), event)
        if errored:
            raise BadGateway(payload)
        answer: dict[str, Any] = json.loads(payload)
        assert answer["statusCode"] in {200, 202, 404}, answer
        return answer

    def _behind(self, method: str) -> str:
        """Return the function to which the gateway leads an HTTP method."""
        for _, leads in self.template.of_type("AWS::ApiGateway::Method"):
            if leads["HttpMethod"] == method and leads["Integration"]["Type"] == "AWS_PROXY":
                return str(leads["Integration"]["Uri"]).rpartition(":function:")[2].removesuffix("/invocations")
        raise AssertionError(f"the gateway does not know {method}")


def _event(text: str) -> dict[str, str]:
    return dict(line.split(": ", 1) for line in text.split("\n"))
