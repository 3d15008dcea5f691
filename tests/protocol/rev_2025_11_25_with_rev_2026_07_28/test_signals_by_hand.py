"""What a client sees of code that raises a control signal itself, which only the methods of its context may."""

import pytest

from mcp_tasks import prompt, tool
from mcp_tasks.authoring.control_signals import ContinueAsTask, ControlSignal, InputNeeded, Interrupted, TaskCancelled
from mcp_tasks.features.listing import Features
from tests.kit import ADA
from tests.protocol.harness import Harness
from tests.protocol.requirements import requirement
from tests.protocol.rev_2025_11_25_with_rev_2026_07_28.clients import REVISIONS, Either, client

SIGNALS = [ContinueAsTask(), InputNeeded([]), Interrupted(), TaskCancelled()]
by_hand = pytest.mark.parametrize("signal", SIGNALS, ids=lambda signal: type(signal).__name__)


def connected(revision: str, signal: ControlSignal) -> tuple[Harness, Either]:
    """Return a server whose tools and prompt raise the signal, and a client of it that knows no tasks."""

    @tool(tasks="never")
    def odd() -> None:
        """Raise."""
        raise signal

    @tool()
    def long() -> None:
        """Raise."""
        raise signal

    @prompt()
    def words() -> str:
        """Raise."""
        raise signal

    harness = Harness(Features.of([odd, long], [words], []))
    return harness, client(revision, harness, ADA, knows_tasks=False)


@requirement("A-TOOL-6", "B-TOOL-5")
@pytest.mark.parametrize("revision", REVISIONS)
@pytest.mark.parametrize("name", ["odd", "long"])
@by_hand
def test_a_tool_has_failed_and_nothing_of_it_is_left(revision: str, name: str, signal: ControlSignal) -> None:
    harness, ada = connected(revision, signal)

    result = ada.call(name)

    assert result["isError"]
    assert result["content"][0]["text"].startswith(name)
    assert harness.executor.suspended == {}
    states = [task.state for task in harness.tasks.page(ADA, before=None, limit=9)[0]]
    assert states == (["finished"] if name == "long" else [])


@requirement("B-ERR-4")
@pytest.mark.parametrize("revision", REVISIONS)
@by_hand
def test_a_prompt_is_an_internal_error_which_the_log_explains(
    revision: str, signal: ControlSignal, caplog: pytest.LogCaptureFixture
) -> None:
    _, ada = connected(revision, signal)

    assert ada.send_request("prompts/get", {"name": "words"}).error["code"] == -32603
    assert "raised a control signal itself" in caplog.text
