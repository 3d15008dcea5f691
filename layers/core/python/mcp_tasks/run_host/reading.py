"""Reads what a process with adopters' code sent, as if a stranger had sent it; pure, no I/O.

What does not fit raises one of `json_values.READ_ERRORS`, or `InputRequestsTooLarge`.
"""

import json
import math
from dataclasses import replace
from typing import Final

from mcp_tasks.engine.suspension import InputRequestsTooLarge, check_size
from mcp_tasks.limits.tools import (
    MAX_ERROR_CHARACTERS,
    MAX_INPUT_REQUESTS_CHARACTERS,
    MAX_LINE_CHARACTERS,
    MAX_RESULT_CHARACTERS,
)
from mcp_tasks.run_host.reading_forms import check_elicitation
from mcp_tasks.tasks.documents import input_request_of, outcome_of, progress_of
from mcp_tasks.tasks.json_values import READ_ERRORS, list_of, mapping, maybe, text
from mcp_tasks.tasks.model import JSON, Failed, InputRequest, Outcome, Progress

METHODS: Final = frozenset({"elicitation/create", "sampling/createMessage", "roots/list"})
"""What a server may ask its client for."""

UNREADABLE: Final = (*READ_ERRORS, InputRequestsTooLarge)


def read_json(value: JSON, most: int) -> JSON:
    """Return any JSON of so many characters at most."""
    if len(json.dumps(value, allow_nan=False)) > most:
        raise ValueError
    return value


def read_text(value: JSON, most: int) -> str:
    """Return a text of so many characters at most."""
    if len(text(value)) > most:
        raise ValueError
    return text(value)


def read_line(value: JSON, most: int = MAX_LINE_CHARACTERS) -> str:
    """Return what people read at a glance, cut, and without half a surrogate pair, which could not be sent on."""
    return text(value)[:most].encode(errors="replace").decode()


def read_progress(value: JSON) -> Progress:
    """Return progress in finite numbers."""
    progress = progress_of(mapping(value))
    if not (math.isfinite(progress.progress) and math.isfinite(progress.total or 0)):
        raise ValueError
    return replace(progress, message=maybe(progress.message, read_line))


def read_input_requests(value: JSON) -> tuple[InputRequest, ...]:
    """Return input requests of a client, each with a key of its own, and not too many or too large."""
    input_requests = list_of(input_request_of)(read_json(value, 2 * MAX_INPUT_REQUESTS_CHARACTERS))
    keys = {each.key for each in input_requests}
    if not 0 < len(keys) == len(input_requests) or any(each.method not in METHODS for each in input_requests):
        raise ValueError
    check_size(input_requests)
    for each in input_requests:
        if each.method == "elicitation/create":
            check_elicitation(each.params)
        if each.approval is not None and "requestedSchema" not in each.params:
            raise ValueError
    return input_requests


def read_outcome(value: JSON) -> Outcome:
    """Return the outcome of a tool, of the size that a tool may return."""
    outcome = outcome_of(value)
    if isinstance(outcome, Failed):
        read_json(outcome.data, MAX_RESULT_CHARACTERS)
        return replace(outcome, message=read_line(outcome.message, MAX_ERROR_CHARACTERS))
    read_json(outcome.result, MAX_RESULT_CHARACTERS)
    return outcome
