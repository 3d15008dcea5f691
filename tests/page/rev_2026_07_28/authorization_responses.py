"""An issuer whose authorization responses a test chooses: with its name, with another one's, or without any."""

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

from local.http_server import Answer, Head, Reply, listen, running
from mcp_tasks.security.tenancy import Caller

TOKEN = "a-token-of-this-issuer"
OPEN_TO_ALL = ("access-control-allow-origin", "*")


class AuthorizationResponses:
    """Answers one authorization request after the other with these values of `iss`, None for none."""

    def __init__(self, url: str, promises: bool, names: Sequence[str | None]) -> None:
        self.url, self._names, self._promises = url, list(names), promises
        self.exchanged = 0
        self.scopes: list[str] = []
        """The scopes that each authorization request asked for, all of which are granted."""

    def __call__(self, head: Head) -> Reply | Answer:
        match head.path:
            case "/.well-known/oauth-authorization-server":
                return _document(self._metadata())
            case "/reg":
                return lambda body: _document({"client_id": "console"})
            case "/authorize":
                return self._redirect(head.target)
            case "/token":
                return self._token
        return Reply(status=404, headers=[], body=b"")

    def admit(self, head: Head) -> Caller | None:
        """Return the caller of the token."""
        if head.headers.get("authorization") != f"Bearer {TOKEN}":
            return None
        return Caller(tenant="acme", subject="ada", scopes=frozenset(self.scopes[-1].split()))

    def _metadata(self) -> dict[str, Any]:
        promise = {"authorization_response_iss_parameter_supported": True} if self._promises else {}
        places = {
            f"{name}_endpoint": f"{self.url}/{path}"
            for name, path in (("authorization", "authorize"), ("token", "token"))
        }
        return {"issuer": self.url, "code_challenge_methods_supported": ["S256"], **places, **promise}

    def _redirect(self, target: str) -> Reply:
        asked = {name: value for name, (value, *_) in parse_qs(urlsplit(target).query).items()}
        self.scopes.append(asked.get("scope", ""))
        name = self._names.pop(0)
        said = {"code": "a-code", "state": asked["state"], **({} if name is None else {"iss": name})}
        place = f"{asked['redirect_uri']}?{urlencode(said)}"
        return Reply(status=302, headers=[("location", place)], body=b"")

    def _token(self, body: bytes) -> Reply:
        self.exchanged += 1
        return _document({"access_token": TOKEN, "token_type": "Bearer"})


@contextmanager
def authorization_responses(promises: bool, *names: str | None) -> Iterator[AuthorizationResponses]:
    """Serve such an issuer; the name `self` stands for its own."""
    with listen() as listening:
        url = f"http://127.0.0.1:{listening.getsockname()[1]}"
        issuer = AuthorizationResponses(url, promises, [url if each == "self" else each for each in names])
        with running(issuer, listening):
            yield issuer


def _document(document: dict[str, Any]) -> Reply:
    return Reply(
        status=200, headers=[("content-type", "application/json"), OPEN_TO_ALL], body=json.dumps(document).encode()
    )
