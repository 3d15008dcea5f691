"""Each view of the console: for everybody, on every screen, and whatever texts it is given."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import product
from typing import Any

import pytest

from local.gateway import Gateway
from local.http_server import listen, running
from local.serve import HERE, memory_server
from mcp_tasks.adapters.memory.task_store import MemoryTaskStore
from mcp_tasks.features.listing import Features
from mcp_tasks.tasks.model import OutcomeKind, State
from mcp_tasks.tasks.plan import Plan
from mcp_tasks.wire.revision import Server
from tests.kit import a_task
from tests.page.conftest import PICTURES, Driven
from tests.page.rev_2026_07_28 import hostile_tools, inbox_tools
from tests.page.rev_2026_07_28.conftest import Served
from tests.page.rev_2026_07_28.payloads import PAYLOADS
from tests.page.rev_2026_07_28.people import OPERATORS
from tests.page.rev_2026_07_28.sample_tools import TOOLS
from tests.serving import EXAMPLES, serving

pytestmark = pytest.mark.slow

VIEWS = {"gallery", "fail", "count", "run", "question", "errors", "confirm", "list", "nothing", "inbox", "tenants"}
CPU_SECONDS = 1


@pytest.mark.parametrize(("scheme", "width"), list(product(["light", "dark"], [360, 1280])))
def test_no_view_has_a_barrier_or_is_wider_than_its_screen(
    served: Served, driven: Driven, scheme: str, width: int
) -> None:
    address = served([*TOOLS, *inbox_tools.TOOLS], inbox_tools.ASKS, operators=OPERATORS)

    found = driven("audited", address, scheme=scheme, width=width, given={"label": f"{scheme}-{width}"})

    assert set(found) == VIEWS
    assert {view: each["violations"] for view, each in found.items() if each["violations"]} == {}
    assert {view: each["wide"] for view, each in found.items() if each["wide"]} == {}
    assert min(each["passes"] for each in found.values()) > 20


@pytest.mark.parametrize("bypass", [False, True], ids=["with the policy", "without the policy"])
def test_no_text_of_a_tool_runs_or_leads_anywhere(served: Served, driven: Driven, bypass: bool) -> None:
    """`driven` sees to it that none ran, none tried to be fetched, and the policy had nothing to stop."""
    address = served(hostile_tools.TOOLS, hostile_tools.ASKS, server_title=PAYLOADS[0], instructions=PAYLOADS[0])

    found = driven("attacked", address, bypass=bypass, given={"payloads": PAYLOADS})

    assert found["seen"] == []
    assert (len(PAYLOADS) >= 25, found["marked"]) == (True, 1)
    assert (found["quotes"], found["deepest"]) == (len(PAYLOADS), len(PAYLOADS))
    assert found["approvals"] == found["past"] == found["shown"] == found["over"] == len(PAYLOADS)


def test_ten_thousand_tasks_are_listed_at_once_and_the_rest_as_one_scrolls(driven: Driven) -> None:
    server = memory_server(Features.of(TOOLS), {})
    _fill(server, 10_000)
    with listen() as listening, running(Gateway(server=server, admit=lambda head: HERE), listening):
        found = driven("many", f"http://127.0.0.1:{listening.getsockname()[1]}/")

    print(found)  # noqa: T201 - the numbers, which `make test-all` shows
    assert found["cpu"] < CPU_SECONDS
    assert (found["rows"] < 60, found["drawn"]) == (True, 1)
    assert "task 0" in found["last"]
    assert found["megabytes"] < 50


def test_the_picture_of_the_readme_can_be_made_again(driven: Driven) -> None:
    """It is kept in `.local/page`; `docs/images/console.png` is one of it."""
    picture = PICTURES / "console.png"
    with serving(*EXAMPLES) as printed:
        driven("pictured", printed["page"], width=1200, height=720, given={"picture": str(picture)})

    assert 10_000 < picture.stat().st_size < 150_000


def _fill(server: Server, number: int) -> None:
    """Keep that many tasks that have ended, without the time that creating each of them would take."""
    store = server.tasks.ports.tasks
    assert isinstance(store, MemoryTaskStore)
    began = datetime.now(UTC) - timedelta(days=1)
    usual: dict[str, Any] = {"tool": "count", "ttl": timedelta(days=30)}
    store.create(HERE.owner_key, a_task(began, **usual), {}, key=None, plan=Plan(active_tasks=1, running_tasks=1))
    (record,) = store._records.values()
    store._records.drop(HERE.owner_key, record.task.id)
    ended = usual | {"state": State.FINISHED, "outcome_kind": OutcomeKind.RETURNED}
    for place in range(number):
        task = a_task(began + timedelta(seconds=place), **ended, status_message=f"task {place}")
        store._records.keep(HERE.owner_key, replace(record, task=task))
