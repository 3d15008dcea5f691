"""Sends messages to a host again while that is unavailable, so that a bad moment does not repeat a run."""

import logging
from collections.abc import Mapping
from typing import Final

from mcp_tasks.limits.waits import BACKOFF, LONGEST_HOST_BACKOFF, LONGEST_UNAVAILABLE
from mcp_tasks.ports.clock import Clock
from mcp_tasks.run_host.client import Send
from mcp_tasks.tasks.errors import Unavailable
from mcp_tasks.tasks.model import JSON

logger = logging.getLogger(__name__)

AT_ONCE: Final = frozenset({"load", "renew", "check", "progressed", "expected"})
"""What is not sent again here: nothing is lost with these, and the state machine, or the next one, repeats them."""


def until_it_arrives(send: Send, clock: Clock) -> Send:
    """Return what sends a message until it arrives, for `LONGEST_UNAVAILABLE`; then it raises `Unavailable`."""

    def send_until(message: Mapping[str, JSON]) -> Mapping[str, JSON]:
        gives_up, pause = clock.now() + LONGEST_UNAVAILABLE, BACKOFF
        while True:
            try:
                return send(message)
            except Unavailable:
                if message["does"] in AT_ONCE or clock.now() + pause >= gives_up:
                    raise
                logger.warning("the host is unavailable: a message is sent again", extra={"fallback": "sent_to_host"})
            clock.sleep(pause)
            pause = min(2 * pause, LONGEST_HOST_BACKOFF)

    return send_until
