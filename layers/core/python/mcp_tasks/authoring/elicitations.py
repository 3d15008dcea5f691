"""Ids of URL elicitations, and the keys in the change feed under which their completion is published."""

import hashlib
from typing import Final

from mcp_tasks.authoring.text import sendable, text_of
from mcp_tasks.limits.tools import MAX_ELICITATION_ID_CHARACTERS

COMPLETION: Final = "elicitation:"
"""With this begin the keys under which completions are published; they are compared as they are, unlike URIs."""


def check_id(elicitation_id: str) -> None:
    """Raise `ValueError` for an id that is empty, too long or no valid text, and `TypeError` for what is no text."""
    text_of("an elicitation_id", elicitation_id)
    if not 0 < len(elicitation_id) <= MAX_ELICITATION_ID_CHARACTERS or sendable(elicitation_id) != elicitation_id:
        raise ValueError(f"an elicitation_id is 1 to {MAX_ELICITATION_ID_CHARACTERS} characters of valid Unicode")


def completion_key(owner_key: str, elicitation_id: str) -> str:
    """Return the key under which completion is published; it holds the caller, since others may know the id."""
    text_of("an elicitation_id", elicitation_id)
    return f"{COMPLETION}{hashlib.sha256(owner_key.encode()).hexdigest()}:{elicitation_id}"


def elicitation_id_of(key: str) -> str:
    """Return the elicitation id that a completion key holds."""
    return key.split(":", 2)[2]
