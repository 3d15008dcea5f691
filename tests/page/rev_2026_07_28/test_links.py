"""A link opens the console at one approval, decides it once, and shows nothing else."""

import re
from urllib.parse import quote
from urllib.request import Request, urlopen

import pytest

from mcp_tasks import Accepted, Context, Form, role, tool
from mcp_tasks.limits.tenants import MAX_LISTED_APPROVALS
from mcp_tasks.testing.rev_2026_07_28 import TASKS
from tests.page.conftest import Driven
from tests.page.rev_2026_07_28 import inbox_tools
from tests.page.rev_2026_07_28.conftest import Served
from tests.protocol.rev_2026_07_28.over_http import client

pytestmark = pytest.mark.slow


class Nothing(Form):
    """A form without fields."""


@tool(title="Order lunch", tasks="always", approvals=True)
def lunch(context: Context, dish: str) -> str:
    """Order, if somebody of finance agrees."""
    answer = context.elicit(f"Order {dish}?", Nothing, key="order", of=role("finance"))
    return f"{dish}: {isinstance(answer, Accepted)}"


def test_a_link_decides_its_approval_once_and_shows_nothing_else(served: Served, driven: Driven) -> None:
    address = served([lunch, *inbox_tools.TOOLS], [("lunch", {"dish": "Soup"}), ("pay", {"amount": "80"})])
    approver = client(f"{address}mcp", capabilities=TASKS)
    soup = approver.call_tool("approval_list").structured["approvals"][0]
    link = approver.call_tool("approval_link", {"id": soup["id"]}).structured["link"]
    assert link.startswith("#/link/link~")

    found = driven("by_link", address, given={"link": link, "forged": f"{link[:-2]}AA"})

    assert found["address"] == f"{address}#/inbox"
    assert "Order Soup?" in found["text"]
    assert (found["cards"], found["to-inbox"], found["to-tasks"], found["to-run"]) == (1, True, False, False)
    assert re.search(r"^\S+ has decided this already, at \S+: accept[.]$", found["late"])
    assert found["asked"] == ["approval_list"]
    assert [each for each in found["history"] if "link~" in each] == []
    assert (found["forged"], found["login"]) == ("This link is over: sign in to decide.", True)
    assert [each["message"] for each in approver.call_tool("approval_list").structured["approvals"]] == ["Pay 80 EUR?"]


def link_to(address: str) -> str:
    """Return a link to the one approval that waits."""
    approver = client(f"{address}mcp", capabilities=TASKS)
    (waiting,) = approver.call_tool("approval_list").structured["approvals"]
    return str(approver.call_tool("approval_link", {"id": waiting["id"]}).structured["link"])


def test_click_exchanges_a_link_for_a_credential_of_the_tab_and_no_secret_stays_in_its_history(
    served: Served, driven: Driven
) -> None:
    address = served([lunch], [("lunch", {"dish": "Soup"})])
    link = link_to(address)
    for method in ("GET", "HEAD", "GET"):
        with urlopen(Request(address, method=method)) as reply:
            assert (reply.status, bool(reply.read())) == (200, method == "GET")
            assert reply.headers["referrer-policy"] == "no-referrer"

    found = driven("exchanged", address, given={"link": link})

    assert (found["unasked"], found["address"]) == ([], f"{address}#/inbox")
    # The second click of two asks nothing, and neither does the reload but for the approval.
    assert found["asked"] == ["approval_open", "approval_list", "approval_list"]
    secret = link.rpartition("/")[2]
    assert secret not in "\n".join([*found["history"], *found["other"]])
    assert "link~" not in "\n".join([*found["history"], *found["other"]])
    assert found["credential"].startswith("link~")
    assert found["credential"] != secret
    assert found["cookie"] == "{}"
    assert (found["offers"], found["articles"]) == (True, 0)
    assert found["notice"] == "If it still waits, those who may decide it are told again: at most every 20 minutes."
    assert found["referrers"] == []


def test_tab_whose_answer_was_lost_opens_its_link_again(served: Served, driven: Driven) -> None:
    address = served([lunch], [("lunch", {"dish": "Soup"})])

    assert driven("answer_lost", address, given={"link": link_to(address)}) == {"lost": 1, "cards": 1}


def test_a_link_without_a_secret_leads_to_its_approval_wherever_it_is_in_the_inbox(
    served: Served, driven: Driven
) -> None:
    address = served([lunch], [("lunch", {"dish": f"Dish {number}"}) for number in range(MAX_LISTED_APPROVALS + 1)])
    approver = client(f"{address}mcp", capabilities=TASKS)
    first = approver.call_tool("approval_list").structured
    (last,) = approver.call_tool("approval_list", {"cursor": first["next_cursor"]}).structured["approvals"]
    links = {name: f"#/inbox/{quote(each, safe='')}" for name, each in (("link", last["id"]), ("unknown", "nobody#1"))}

    found = driven("led_to", address, given=links)

    assert f"Order Dish {MAX_LISTED_APPROVALS}?" in found["text"]
    assert found["unknown"].startswith("Nothing ")
    assert found["cards"] == MAX_LISTED_APPROVALS
