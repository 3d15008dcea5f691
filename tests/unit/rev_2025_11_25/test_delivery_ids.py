"""The ids of requests to clients: a response to one that was sent before a deployment is accepted after it."""

from mcp_tasks.security.signing import Signer
from mcp_tasks.wire.rev_2025_11_25.deliveries import PURPOSE
from tests.kit import ADA, FixedClock


class JanuaryKey:
    """The key of the release before."""

    def current(self) -> tuple[str, bytes]:
        return "2026-01", b"secret of january"

    def find(self, name: str) -> bytes | None:
        return b"secret of january"


def test_an_id_that_the_release_before_signed_is_known() -> None:
    request_id = (
        "WyIyMDI2LTAxIiwxNzY3MjcyNDAwLHsid2F5Ijoiczp0OnEiLCJ0dXJuIjoxfV0.18v_vRPyCYOan4zIcROaVojOl_F03p9Hk2r7c6MA68Y"
    )
    signer = Signer(keys=JanuaryKey(), clock=FixedClock())

    assert signer.verify(request_id, purpose=PURPOSE, owner_key=ADA.owner_key) == {"way": "s:t:q", "turn": 1}
