"""Most side effects have a direct path and fallbacks: here the direct path works, or a test fails."""

import pytest

from local.records import who_woke
from local.stack import Stack
from tests.protocol.rev_2025_11_25.over_http import Client
from tests.stack.internals import fallbacks

pytestmark = pytest.mark.usefixtures("no_errors_logged", "no_fallbacks_used")

WAITS = 2
"""The waiter also polls every few seconds, and may, once in a few hundred times, be the first to see a change."""


def test_functions_start_with_bytecode_and_without_importing_tools_at_the_endpoint(stack: Stack, ada: Client) -> None:
    ada.outcome(ada.start("repeat", text="hello"))

    # All that were started so far, in whichever test.
    assert "compiled_from_source" not in fallbacks(stack)


def test_who_waits_alone_is_woken_by_the_stream(stack: Stack, ada: Client) -> None:
    ends = []
    for _ in range(WAITS):
        task_id = ada.start("remind_me", after_seconds=2)
        ada.outcome(task_id)
        ends.append(who_woke(stack.client("logs"), task_id)[-1:])

    assert ["stream"] in ends, ends
