"""What a user does at a URL, out of sight of everybody here: whoever hears that it is done says so at an address."""

import hashlib

from mcp_tasks.authoring.text import sendable
from mcp_tasks.limits.tools import MAX_ELICITATION_ID_CHARACTERS


def check_id(elicitation_id: str) -> None:
    """Refuse what could not be sent as an id; raises `ValueError`."""
    if not 0 < len(elicitation_id) <= MAX_ELICITATION_ID_CHARACTERS or sendable(elicitation_id) != elicitation_id:
        raise ValueError(f"an elicitation_id has 1 to {MAX_ELICITATION_ID_CHARACTERS} characters, and no half of one")


def completion(owner_key: str, elicitation_id: str) -> str:
    """Return the address at which the end of an elicitation is posted: a caller's own, whoever else knows the id."""
    return f"elicitation:{hashlib.sha256(owner_key.encode()).hexdigest()}:{elicitation_id}"


def named_by(address: str) -> str:
    """Return the id of the elicitation that ends at an address."""
    return address.split(":", 2)[2]
