"""`make serve`: the same door in one process, for those at this machine and nobody else."""

import resource
from collections.abc import Iterator

import pytest

from local.issuer import Issuer
from tests.guest import Guest
from tests.patience import until
from tests.serving import serving
from tests.visitor import Visitor

START_CPU_SECONDS = 2
HELLO = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "tests", "version": "1.0"}}


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with serving() as printed:
        yield printed["url"]


def test_it_starts_within_two_seconds() -> None:
    before = _spent_by_children()
    with serving() as printed:
        Visitor(printed["url"]).shake_hands()

    assert printed["complaints"] == ""

    assert _spent_by_children() - before < START_CPU_SECONDS


def test_anybody_at_this_machine_may_call_a_tool(url: str) -> None:
    somebody = Visitor(url)
    somebody.shake_hands()
    task_id = somebody.start("remind_me", after_seconds=1, about="tea")
    answer, _ = somebody.outcome(task_id)

    assert somebody.call("greet", name="Ada")["content"][0]["text"] == "Hello, Ada!"
    assert answer["result"]["content"][0]["text"] == "Reminder after 1 s: tea"


def test_so_may_who_shakes_no_hands(url: str) -> None:
    somebody = Guest(url)
    wanted = {"taskIds": [somebody.start("remind_me", after_seconds=1, about="tea")]}
    (told,) = somebody.ask("subscriptions/listen", {"notifications": wanted}).notes("notifications/tasks")

    assert somebody.call("greet", name="Zoë")["content"][0]["text"] == "Hello, Zoë!"
    assert told["result"]["content"][0]["text"] == "Reminder after 1 s: tea"


def test_other_tools_are_served_by_the_name_of_their_module() -> None:
    with serving("--tools", "tests.protocol.errands") as printed:
        somebody = Visitor(printed["url"])
        somebody.shake_hands()

        assert somebody.call("add", numbers=[1, 2])["structuredContent"] == {"total": 3}
        assert somebody.refused("tools/call", name="sleep", arguments={"seconds": 1}, task={})["code"] == -32602

    assert "sleep is left out" in printed["complaints"]


def test_a_task_that_asks_waits_for_the_answer() -> None:
    with serving("--tools", "tests.stage.odd_tools") as printed:
        somebody = Guest(printed["url"])
        task_id = somebody.start("curious", rounds=[["a", "b"]])
        until(lambda: somebody.look(task_id)["status"] == "input_required")
        for key in ("a", "b"):
            answer = {key: {"action": "accept", "content": {"said": f"yes to {key}"}}}
            somebody.result("tasks/update", taskId=task_id, inputResponses=answer)
        until(lambda: somebody.look(task_id)["status"] == "completed")

        assert somebody.look(task_id)["result"]["content"][0]["text"] == "noted, yes to a, yes to b"


@pytest.mark.parametrize("host", ["attacker.example", "attacker.example:8000", "", "127.0.0.1.attacker.example:80"])
def test_a_page_that_made_its_name_lead_here_is_refused(url: str, host: str) -> None:
    assert Visitor(url).ask("initialize", HELLO, host=host).status == 403


def test_there_is_nothing_beside_the_door(url: str) -> None:
    assert Visitor(url).get("/").status == 404


def test_with_auth_a_token_is_needed() -> None:
    with serving("--auth") as printed:
        nobody = Visitor(printed["url"]).ask("initialize", HELLO)
        eve = Visitor(printed["url"], Issuer().token("acme", "eve", aud="https://elsewhere.invalid"))
        refused = eve.ask("initialize", HELLO)
        for token in (printed["token"], Issuer().token("globex", "bob")):
            friend = Visitor(printed["url"], token)
            friend.shake_hands()

            assert friend.call("greet", name="Bob")["content"][0]["text"] == "Hello, Bob!"

    assert (nobody.status, nobody.headers["www-authenticate"]) == (401, "Bearer")
    assert refused.status == 401


def _spent_by_children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
