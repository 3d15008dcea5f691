"""The tools of docs/tools.md that retry, sleep and await, in simulated time."""

import io
import os
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from inspect import signature
from pathlib import Path
from typing import Any
from urllib.error import URLError

import pytest

from mcp_tasks import Accepted, Context, Tool, tool
from mcp_tasks.features.listing import Features
from mcp_tasks.tasks.model import Failed
from mcp_tasks.testing.harness import Harness
from tests.docs.blocks import ROOT, blocks_of
from tests.docs.test_readme import names_in
from tests.unit.contexts import EVERYTHING, accepted
from tests.unit.test_patched import answered, deployed
from tests.unit.tool_run import in_process_runner, text, tool_run


def shop(answers: dict[str, str], failures: int) -> Callable[[str], io.BytesIO]:
    """Return what `urlopen` is to the page: a shop that is down for the first requests."""
    down = iter(range(failures))

    def urlopen(url: str) -> io.BytesIO:
        if next(down, None) is not None:
            raise URLError("the shop is down")
        return io.BytesIO(answers[url].encode())

    return urlopen


def served(file: str, tool: str, urlopen: Callable[[str], io.BytesIO]) -> Harness:
    names: dict[str, Any] = names_in(file)
    names["urlopen"] = urlopen
    return Harness(Features.of([names[tool]]))


def test_the_tool_that_retries_and_sleeps_works(revision: str) -> None:
    answers = {"https://shop.example/order/7": "n1", "https://shop.example/track/n1": "It is at your door."}
    harness = served("order_book.py", "order_book", shop(answers, failures=2))
    task = harness.client(revision).start_task("order_book", {"isbn": "7"})

    harness.advance(hours=23)
    assert (task.status, task.status_message) == ("working", "order n1 is on its way")
    assert harness.retries(task.id) == ["order", "order"]

    harness.advance(hours=2)
    assert task.result.text == "It is at your door."
    assert harness.steps(task.id) == ["order", "sleep 1", "track"]


@pytest.mark.parametrize("failures", [0, 2])
def test_the_tool_that_awaits_works(revision: str, failures: int) -> None:
    answers = {"https://shop.example/price/7": "20", "https://books.example/price/7": "19.5"}
    harness = served("compare_prices.py", "compare_prices", shop(answers, failures))
    task = harness.client(revision).start_task("compare_prices", {"isbn": "7"})

    assert task.wait().text == '{"https://shop.example":20.0,"https://books.example":19.5}'
    assert len(harness.retries(task.id)) == failures


def before(item: str, context: Context) -> str:
    """Ask as the tool of the page did before it was changed."""
    agreed = context.elicit(f"Order one {item}?", names_in("restock.py")["Approval"], key="approval")
    return context.step("order", lambda: f"{int(isinstance(agreed, Accepted))} of {item} ordered")


def test_the_tool_that_was_changed_asks_new_tasks_for_the_amount_and_others_for_approval() -> None:
    restock: Tool = names_in("restock.py")["restock"]
    function = restock.work.function
    old, new = (tool_run(each, client_capabilities=EVERYTHING, item="ink").wait() for each in (before, function))
    assert (old.open_keys(), new.open_keys()) == (["approval"], ["amount"])

    assert answered(deployed(old, function), approval=accepted(agreed=True)) == text("1 of ink ordered")
    assert answered(new, amount=accepted(count=3)) == text("3 of ink ordered")


def test_a_task_that_a_changed_tool_does_not_fit_fails_in_the_words_of_the_page() -> None:
    def ask_amount(item: str, context: Context) -> str:
        return f"{context.elicit('How many?', names_in('restock.py')['Amount'], key='amount')}"

    made = tool_run(before, client_capabilities=EVERYTHING)
    old, new = (
        replace(tool(name="restock", description="Order.")(each), version=version)
        for each, version in ((before, "5e0b2f81c9d4"), (ask_amount, "a61f7c3e90b2"))
    )
    task = made.tasks.start(made.caller, old, {"item": "ink"}, client_capabilities=EVERYTHING)
    begun = replace(made, task=task, runner=in_process_runner(made.tasks, old)).wait()
    begun.answer(approval=accepted(agreed=True))

    outcome = replace(begun, runner=in_process_runner(made.tasks, new)).run()
    assert isinstance(outcome, Failed)
    page = " ".join((ROOT / "docs/tools.md").read_text().split())
    assert f"```text {outcome.message} ```" in page


def test_the_page_lists_the_options_of_a_tool() -> None:
    page = (ROOT / "docs/tools.md").read_text()
    table = page.split("## Options of `@tool`")[1].split("\n## ")[0]
    listed = [name for row in re.findall(r"^\| (`.*?) \|", table, re.MULTILINE) for name in re.findall(r"`(\w+)`", row)]

    assert sorted(listed) == sorted(name for name in signature(tool).parameters if name != "function")


def test_a_test_replaces_what_a_tool_calls_as_the_page_says(tmp_path: Path) -> None:
    page = (ROOT / "docs/tools.md").read_text()
    files = {block.file: block.code for block in blocks_of(page, "docs/tools.md")}
    (tmp_path / "tools").mkdir()
    (tmp_path / "conftest.py").write_text('pytest_plugins = ["mcp_tasks.testing.plugin"]\n')
    (tmp_path / "tools/__init__.py").write_text("from tools.order_book import order_book\n\nTOOLS = [order_book]\n")
    (tmp_path / "tools/order_book.py").write_text(files["layers/tools/python/tools/order_book.py"])
    (tmp_path / "test_order_book.py").write_text(files["tests/tools/test_order_book.py"])
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(tmp_path), str(ROOT / "layers/core/python")])}

    command = [sys.executable, "-P", "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_order_book.py"]
    done = subprocess.run(command, cwd=tmp_path, env=environment, check=False, capture_output=True, text=True)

    assert done.stdout.splitlines()[-1].startswith("2 passed"), done.stdout
