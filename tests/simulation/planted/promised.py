"""Bugs of what clients are promised: which of their answers counts, how long a call waits, what streams carry."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final

from mcp_tasks.engine.inline_journal import InlineJournal
from mcp_tasks.wire import input_responses
from mcp_tasks.wire.rev_2025_11_25 import response_stream
from mcp_tasks.wire.rev_2025_11_25.deliveries import Delivery
from mcp_tasks.wire.rev_2025_11_25.sessions import Attempt
from mcp_tasks.wire.rev_2026_07_28 import mrtr
from mcp_tasks.wire.rev_2026_07_28.call import Call
from tests.simulation.planted.plant import Plant


def _first_wins(journal: Callable[..., Any]) -> Callable[..., Any]:
    def wrong(call: Call, **named: Any) -> InlineJournal:
        made: InlineJournal = journal(call, **named)
        made.replay_log.responses = {**input_responses.given(call.params), **mrtr.replay_of(call).responses}
        return made

    return wrong


def _since_call(remaining_wait: Callable[..., Any]) -> Callable[..., Any]:
    return lambda server, session, position, task: remaining_wait(
        server, session, position, replace(task, resumed_at=None)
    )


def _carried_for_ever(is_claimable: Callable[..., Any]) -> Callable[..., Any]:
    def wrong(self: Delivery, attempt: Attempt) -> bool:
        if attempt.stream is None or attempt.not_before is not None:
            return bool(is_claimable(self, attempt))
        return not self._can_be_answered(attempt)

    return wrong


PROMISED: Final = (
    Plant(
        "the first response to an input request counts",
        mrtr,
        "journal",
        _first_wins,
        "a call says|says .* for name|a response that does not fit",
    ),
    Plant(
        "a call waits no longer after an answer",
        response_stream,
        "_remaining_wait",
        _since_call,
        "is answered with .*, and should wait until",
    ),
    Plant(
        "a stream that was given up carries its requests for ever",
        Delivery,
        "is_claimable",
        _carried_for_ever,
        "is on no stream that its client has not given up",
    ),
)
