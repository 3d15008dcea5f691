"""What people do with the console: run tools, follow tasks, answer, cancel, decide."""

import pytest

from tests.page.conftest import Driven
from tests.page.rev_2026_07_28 import inbox_tools
from tests.page.rev_2026_07_28.conftest import Served
from tests.page.rev_2026_07_28.sample_tools import TOOLS

pytestmark = pytest.mark.slow


def test_a_task_is_followed_to_its_result_and_run_again(served: Served, driven: Driven) -> None:
    found = driven("runs", served(TOOLS))

    assert "Counted to 4." in found["text"]
    assert "Counted to 4." in found["again"]
    assert (found["filled"], found["rows"]) == (["4", "0.6"], 2)
    assert found["empty"] == ["3", "0.2"]
    assert [each.split("\n")[-1].partition(":")[0] for each in found["happened"]][:2] == ["Created", "Working"]
    assert "Completed" in found["happened"][-1]
    assert "Count" in found["row"]


def test_a_question_is_answered_in_its_form(served: Served, driven: Driven) -> None:
    found = driven("answers", served(TOOLS))

    assert (found["wrong"], found["focused"]) == (4, "Name")
    assert found["said"] == [
        "Enter at least 2 characters.",
        "Enter an email address.",
        "Fill this in.",
        "Enter 9 or less.",
        "Fill this in.",
    ]
    assert found["data"] == {
        "name": "Ada",
        "email": "ada@example.com",
        "day": "2026-12-24",
        "seats": 2,
        "price": 99.5,
        "window": False,
        "fare": "f",
        "meals": ["v"],
    }
    assert {"Asked", "Answered here"} <= set(found["happened"])


def test_a_question_is_declined(served: Served, driven: Driven) -> None:
    assert "Declined it was." in driven("declines", served(TOOLS))["text"]


def test_a_page_to_visit_is_named_whole_and_opened_apart(served: Served, driven: Driven) -> None:
    found = driven("visits", served(TOOLS))

    assert found["href"] == found["textContent"] == "https://sign.example.com/contract?id=7"
    assert (found["target"], found["rel"]) == ("_blank", "noopener noreferrer")
    assert "Accepted" in found["text"]


def test_a_task_is_cancelled_once_that_is_confirmed(served: Served, driven: Driven) -> None:
    assert driven("cancels", served(TOOLS)) == {"kept": True, "form": 0, "again": 1}


def test_a_failure_says_why(served: Served, driven: Driven) -> None:
    found = driven("fails", served(TOOLS))

    assert "The disk is full." in found["failed"]
    assert all(part in found["error"] for part in ("The disk is gone.", "4711", '"disk": 1'))


def test_a_call_that_is_no_task_shows_its_result_and_may_ask_meanwhile(served: Served, driven: Driven) -> None:
    assert driven("inline", served(TOOLS)) == {"sum": {"total": 42, "letters": 6}, "harms": True}


def test_a_result_is_shown_whatever_it_is_made_of(served: Served, driven: Driven) -> None:
    found = driven("shows", served(TOOLS))

    assert all(part in found["text"] for part in ("A text.", "An embedded note.", "note://1", "report"))
    assert (found["image"], found["link"]) == (1, "https://example.com/report")


def test_the_list_is_filtered(served: Served, driven: Driven) -> None:
    found = driven("filters", served(TOOLS))

    assert sorted(found["all"]) == ["Fail", "Show everything", "Wait for an answer"]
    assert (found["failed"], found["active"]) == (["Fail"], ["Wait for an answer"])
    assert found["found"] == ["Show everything"]


def test_the_list_changes_by_itself(served: Served, driven: Driven) -> None:
    assert driven("follows", served(TOOLS))["rows"] == ["Wait for an answer"]


def test_the_inbox_decides_once_and_puts_aside(served: Served, driven: Driven) -> None:
    found = driven("decides", served([*TOOLS, *inbox_tools.TOOLS], inbox_tools.ASKS))

    assert all(part in found["first"] for part in ("Pay 1,200 EUR?", "0 of 3 approvals", "role finance", "IBAN"))
    assert found["tags"] == ["h4", "p", "ul", "blockquote", "p", "pre"]
    assert found["quote"] == ["p: They are for the new office,\u2028all of them.", "blockquote: See offices."]
    assert "Approved by grace, in an inbox" in found["soFar"]
    assert [each.partition(":")[2].split(" EUR? ")[0] for each in found["lately"]] == [" Pay 75", " Pay 80"]
    assert "Declined by grace, in an inbox" in found["lately"][0]
    assert "Declined by you, in an inbox" in found["lately"][1]
    assert (found["before"], found["left"], found["quiet"], found["after"]) == ("4", 1, 0, 1)
    assert found["heard"].startswith("grace has decided this already")


def test_all_of_it_is_done_by_keyboard(served: Served, driven: Driven) -> None:
    found = driven("keyboard", served(TOOLS))

    assert (found["skip"], found["title"]) == ("Skip to content", "Run a tool")
    assert found["after"] == "Wait for an answer"
    assert "Wait for an answer" in found["row"]
    assert found["heard"]


def test_a_server_without_capacity_is_named_and_asked_again(served: Served, driven: Driven) -> None:
    words = "The server has no capacity at present, and did nothing: send this again in 5 seconds."
    error = {"code": -31052, "message": words, "data": {"reason": "unavailable", "retryAfter": 1}}

    told = driven("comes_again", served(TOOLS), given={"times": 2, "error": error})

    assert told == [f"{words} Trying again."] * 2


def test_an_open_task_moves_with_its_reports_and_with_the_list(driven: Driven, served: Served) -> None:
    found = driven("keeps_up", served(TOOLS))

    assert max(found["polled"]) < 10_000
    assert max(found["listed"]) < 20_000
