"""The OAuth client of a token, as audit records name it."""

from hashlib import sha256
from typing import Any

import pytest

from mcp_tasks.adapters.jwt.clients import client_of
from mcp_tasks.limits.requests import MAX_CLIENT_ID

LONG = "c" * (MAX_CLIENT_ID + 1)


@pytest.mark.parametrize(
    ("claims", "client"),
    [
        ({"client_id": "console"}, "console"),
        ({"azp": "console"}, "console"),
        ({"client_id": "console", "azp": "other"}, "console"),
        ({"client_id": 7, "azp": "other"}, "other"),
        ({"client_id": LONG[1:]}, LONG[1:]),
        ({"client_id": LONG}, f"sha256:{sha256(LONG.encode()).hexdigest()}"),
    ],
)
def test_a_client_is_named_as_its_token_does(claims: dict[str, Any], client: str) -> None:
    assert client_of(claims) == client
    assert len(client) <= MAX_CLIENT_ID


@pytest.mark.parametrize(
    "value", [None, "", 7, True, ["console"], {"id": "console"}, "b\u00fcro", "a\nb", "\ud800", "\x00"]
)
def test_what_is_no_id_of_a_client_names_none(value: Any) -> None:
    assert client_of({"client_id": value}) is None
