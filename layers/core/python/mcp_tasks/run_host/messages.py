"""The messages between a run and its host, as JSON: one table of all that is sent and answered; pure, no I/O.

A message is an object with a `ticket`, and with `does`, which names a method of `RunHost`, and that method's arguments.
It comes from a process that runs adopters' code, and is read as if a stranger had sent it.  What is answered is the
table's, or one of `{"not_wanted": true}`, `{"revoked": true}` and `{"refused": why}`.  Fields that are not in the table
are ignored, since a newer release may send them.
"""

from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any, Final, NamedTuple

from mcp_tasks.limits.requests import MAX_URI_CHARACTERS
from mcp_tasks.limits.tools import (
    MAX_INPUT_REQUESTS_CHARACTERS,
    MAX_RUN_CHARACTERS,
    MAX_STEP_CHARACTERS,
    MAX_STEP_NAME_CHARACTERS,
)
from mcp_tasks.run_host.loaded_runs import LOADED_RUN, RESPONSE, SECONDS
from mcp_tasks.run_host.reading import INPUT_REQUESTS, OUTCOME, PROGRESS
from mcp_tasks.run_host.shapes import (
    ANY,
    COUNT,
    LINE,
    MOMENT,
    TEXT,
    Shape,
    Shapes,
    json_of,
    one_of,
    read_fields,
    text_of,
)
from mcp_tasks.security.credentials import Credentials
from mcp_tasks.tasks.documents import document_of_response
from mcp_tasks.tasks.json_values import mapping
from mcp_tasks.tasks.model import JSON

LOAD: Final = "load"
NOTHING: Final[Shapes] = {}
_STEP: Final = text_of(MAX_STEP_NAME_CHARACTERS)
_CREDENTIALS: Final[Shape[Credentials]] = Shape(
    "credentials: access_key, secret_key and session_token",
    lambda value: Credentials(
        **read_fields(mapping(value), {"access_key": TEXT, "secret_key": TEXT, "session_token": TEXT.or_null()})
    ),
)


class Exchange(NamedTuple):
    """What a run sends besides `ticket` and `does`, what is answered, and how the host's value becomes that."""

    sent: Shapes = NOTHING
    answered: Shapes = NOTHING
    answer: Callable[[Any], Mapping[str, JSON]] = lambda returned: {}


def _suspension(of: Shapes) -> Exchange:
    return Exchange(of, {"seconds": SECONDS}, lambda left: {"seconds": left.total_seconds()})


EXCHANGES: Final[Mapping[str, Exchange]] = {
    # The run of an earlier release has no name.
    LOAD: Exchange(
        {"run": text_of(MAX_RUN_CHARACTERS).or_absent("")},
        {"ticket": TEXT.or_absent(), "run": LOADED_RUN.or_absent(), "seconds": SECONDS.or_absent()},
    ),
    "renew": Exchange(),
    "check": Exchange(),
    "progressed": Exchange({"progress": PROGRESS}),
    "status_reported": Exchange({"status_message": LINE}),
    "expected": Exchange({"at": MOMENT}),
    "recall": Exchange(
        {"step": _STEP}, {"recorded": ANY.or_absent()}, lambda found: {} if found is None else {"recorded": found[0]}
    ),
    "record": Exchange(
        {"step": _STEP, "value": json_of(MAX_STEP_CHARACTERS)},
        {"recorded": ANY},
        lambda recorded: {"recorded": recorded},
    ),
    "count_steps": Exchange({}, {"steps": COUNT}, lambda steps: {"steps": steps}),
    "response": Exchange(
        {"key": text_of(MAX_INPUT_REQUESTS_CHARACTERS)},
        {"response": RESPONSE.or_absent(None)},
        lambda response: {} if response is None else {"response": document_of_response(response)},
    ),
    "tenant_credentials": Exchange(
        {},
        {"credentials": _CREDENTIALS.or_absent(None)},
        lambda credentials: {} if credentials is None else {"credentials": asdict(credentials)},
    ),
    "published": Exchange({"uri": text_of(MAX_URI_CHARACTERS)}),
    "request_input": _suspension({"input_requests": INPUT_REQUESTS}),
    "sleep": _suspension({"wakes_at": MOMENT}),
    "finish": Exchange({"outcome": OUTCOME}),
}

MESSAGE: Final[Shapes] = {"does": one_of(*EXCHANGES), "ticket": ANY.or_absent(None)}
"""Of every message; what its ticket is good for, `Tickets` says."""
