"""The ids of tasks."""

import base64
import secrets
from datetime import datetime


def new_task_id(now: datetime) -> str:
    """Return an id that sorts by creation and cannot be guessed: 48 bits of milliseconds, then 128 random bits."""
    milliseconds = int(now.timestamp() * 1000)
    # base32hex keeps the order of the bytes, plain base32 does not.
    return base64.b32hexencode(milliseconds.to_bytes(6) + secrets.token_bytes(16)).decode().rstrip("=").lower()
