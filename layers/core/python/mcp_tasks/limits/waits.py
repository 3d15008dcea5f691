"""How long things wait, and how long they last."""

from datetime import timedelta
from typing import Final

MAX_HOLD: Final = timedelta(seconds=25)
"""How long a client's line is held: less than the gateway's 29 seconds, authorizing and starting included."""

ROUND_LIFETIME: Final = timedelta(hours=1)
"""Of a `requestState`, which is how long a user may take to answer before there is a task."""
