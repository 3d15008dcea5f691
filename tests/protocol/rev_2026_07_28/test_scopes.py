"""A caller who lacks scopes is told at once of all that the request needs."""

from dataclasses import replace

import pytest

from tests.kit import ADA
from tests.protocol.harness import Harness
from tests.protocol.requirements import requirement
from tests.protocol.rev_2026_07_28.client import Client
from tests.protocol.scoped_features import ALL, SCOPED, STAGE


@requirement("B-AUTH-2")
@pytest.mark.parametrize("lacking", [("pay",), ("approve",), ("call",), ("pay", "approve"), ("call", "pay", "approve")])
def test_one_challenge_names_every_scope_that_a_call_needs(lacking: tuple[str, ...]) -> None:
    harness = Harness(SCOPED)
    harness.change(scopes=STAGE)
    caller = replace(ADA, scopes=ALL.difference(lacking))

    reply = Client(harness, caller).send_request("tools/call", {"name": "transfer", "arguments": {"amount": 3}})

    assert reply.status == 403
    assert reply.headers["www-authenticate"] == 'Bearer error="insufficient_scope", scope="call pay approve"'
