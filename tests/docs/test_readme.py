"""The tools, tests, prompts and resources that the README and docs/tools.md show work."""

import sys
from inspect import signature
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from mcp_tasks import CompletionContext, Context, Tool
from mcp_tasks.authoring.replay_log import ReplayLog
from mcp_tasks.engine.inline_journal import InlineJournal
from mcp_tasks.features.listing import Features
from mcp_tasks.limits.waits import MAX_HOLD
from mcp_tasks.tasks.model import Progress
from mcp_tasks.tasks.transitions import TRANSITIONS
from mcp_tasks.testing.client import Client
from mcp_tasks.testing.harness import Harness
from mcp_tasks.testing.journal import NullJournal
from tests.cost.page import whole_task
from tests.docs.blocks import ROOT, blocks, programs
from tests.kit import ADA


class RecordingJournal(NullJournal):
    """A journal that records what the tool reports."""

    def __init__(self) -> None:
        self.reported: list[Progress] = []

    def progressed(self, progress: Progress) -> None:
        self.reported.append(progress)


def names_in(file: str) -> dict[str, Any]:
    """Return what the block defines that is a file of this name."""
    (code,) = (block.code for block in programs() if Path(block.file).name == file)
    names: dict[str, Any] = {"__name__": "readme"}
    exec(compile(code, file, "exec"), names)
    return names


TOOLS = [names_in("clean_up.py")["clean_up"], names_in("count_words.py")["count_words"]]
TESTS = {
    name: test
    for file in ("test_mine.py", "test_clean_up.py")
    for name, test in names_in(file).items()
    if name.startswith("test_")
}


@pytest.fixture
def tools_module(monkeypatch: pytest.MonkeyPatch) -> str:
    """A module with the tools of the README, as its own list has them."""
    module = ModuleType("tools_of_the_readme")
    module.TOOLS = TOOLS  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, module.__name__, module)
    return module.__name__


def test_the_diagram_of_states_is_the_table() -> None:
    moves = [
        f"    {state} --> {after}: {event.__name__}"
        for state, row in TRANSITIONS.items()
        for event, after in row.items()
    ]

    assert blocks("layers/core/DESIGN.md", "mermaid")[0].splitlines() == [
        "stateDiagram-v2",
        "    [*] --> queued",
        *moves,
    ]


def test_the_tool_in_the_readme_works() -> None:
    tool: Tool = names_in("count_words.py")["count_words"]
    journal = RecordingJournal()

    returned = tool.work.call({"texts": ["one two", "three"]}, Context(caller=ADA, journal=journal))

    assert returned.result["content"] == [{"type": "text", "text": "3 words"}]
    assert [reported.message for reported in journal.reported] == ["counted text 1", "counted text 2"]


def test_the_tool_in_the_readme_that_asks_works() -> None:
    tool: Tool = names_in("clean_up.py")["clean_up"]
    replay_log: ReplayLog[Any] = ReplayLog(responses={"confirm": {"action": "accept", "content": {"really": True}}})
    within_call = InlineJournal(client_capabilities=frozenset({"elicitation.form"}), replay_log=replay_log)

    returned = tool.work.call({"folder": "tmp"}, Context(caller=ADA, journal=within_call))

    assert returned.result["content"][0]["text"] == "Deleted 42 files: no longer needed"


def test_the_tool_on_the_first_screen_works(revision: str) -> None:
    harness = Harness(Features.of([names_in("close_account.py")["close_account"]]))
    task = harness.client(revision).start_task("close_account", {"customer": "Acme"})
    (request,) = task.input_requests
    request.accept(approved=True)

    harness.advance(days=1, hours=23)
    assert task.status == "working"

    assert task.wait().text == "Acme is closed, 3 orders are cancelled."
    assert harness.steps(task.id) == ["count orders", "sleep 1", "close"]


def test_the_prompt_and_the_resource_in_the_readme_work() -> None:
    names = names_in("reports.py")
    context = Context(caller=ADA, journal=RecordingJournal())
    typing = CompletionContext(caller=ADA)

    assert names["report"].read("report://2026", {"year": "2026"}, context)[0]["text"] == "It goes on."
    assert names["report"].work.complete("year", "202", typing) == ["2025", "2026"]
    assert names["discuss"].work.get({"year": "2025"}, context)[0]["content"]["text"] == (
        "Read report://2025 and give a kind summary."
    )


def test_the_pages_have_tests() -> None:
    assert len(TESTS) == 6


def test_the_readme_quotes_what_a_million_tasks_cost() -> None:
    whole, states = whole_task()

    said = f"A million tasks cost about ${whole:.0f}, of which Step Functions takes ${states:.0f}"
    assert said in " ".join((ROOT / "README.md").read_text().split())


def test_the_readme_says_how_long_a_connection_is_held() -> None:
    said = f"connections of at most {MAX_HOLD.seconds} seconds"

    assert said in " ".join((ROOT / "README.md").read_text().split())


@pytest.mark.parametrize("name", TESTS)
def test_the_tests_in_the_pages_pass(client: Client, harness: Harness, revision: str, name: str) -> None:
    fixtures = {"client": client, "harness": harness, "revision": revision}
    TESTS[name](**{taken: fixtures[taken] for taken in signature(TESTS[name]).parameters})
