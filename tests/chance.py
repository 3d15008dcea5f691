"""Chance of a story: the core's `secrets` draw from the story's own `random.Random`, and nothing is logged."""

import logging
import random as everybodys
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from random import Random
from unittest.mock import patch

ENOUGH = 32
"""Bytes, where the caller leaves it to `secrets` how many."""


@contextmanager
def seeded(random: Random) -> Iterator[None]:
    """Let ids, tokens and nonces come from `random`; `token_hex` and `token_urlsafe` are made from `token_bytes`.

    Logs are off, because the faults of one story would fill pages of them.
    """

    def token_bytes(nbytes: int | None = None) -> bytes:
        return random.randbytes(ENOUGH if nbytes is None else nbytes)

    before, state = logging.root.manager.disable, everybodys.getstate()
    logging.disable()
    # What draws from the generator that all modules share is the same in each run of a story as well.
    everybodys.seed(0)
    try:
        with patch.object(secrets, "token_bytes", token_bytes):
            yield
    finally:
        logging.disable(before)
        everybodys.setstate(state)
