"""Requests as API Gateway hands them to the authorizer."""

import json
from pathlib import Path
from typing import Any, Final

RECORDED: Final = (Path(__file__).parent / "authorizer_request.json").read_text()


def request(*authorizations: str, name: str = "Authorization") -> dict[str, Any]:
    """Return a POST with these values of one header; without any, it does not have the header."""
    event: dict[str, Any] = json.loads(RECORDED)
    del event["headers"]["Authorization"], event["multiValueHeaders"]["Authorization"]
    if authorizations:
        event["headers"][name] = authorizations[-1]
        event["multiValueHeaders"][name] = list(authorizations)
    return event
