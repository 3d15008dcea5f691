"""A message or an answer that is damaged, or of a newer release, is refused in words, and holds up nothing else."""

from collections.abc import Mapping
from functools import partial
from typing import Any, Final

import pytest

from mcp_tasks.authoring.errors import McpError
from mcp_tasks.tasks.model import JSON
from mcp_tasks.testing.state_machines.template import Template
from tests.harness.executions import active
from tests.harness.tasks import DeployedTasks
from tests.releases.replay_messages import deployed_now, invoke, return_to

MOMENT: Final = "a time with its offset from UTC, such as 2026-01-31T12:00:00+00:00"
LATER: Mapping[str, JSON] = {"does": "later"}
NO_SUCH: Final = (
    "does should be one of load, renew, check, progressed, status_reported, expected, recall, record, count_steps, "
    "response, tenant_credentials, published, request_input, sleep, finish, and is"
)
TO_HOST: list[tuple[str, Mapping[str, JSON], str]] = [
    # In the order in which runs send them: time does not go back.
    ("load", {"ticket": {"later": "SECRET"}}, "this is no start ticket"),
    ("record", {"step": ["SECRET"]}, "step should be a text of 10,000 characters at most, and is a list of 1"),
    (
        "progressed",
        {"progress": "SECRET"},
        "progress should be an object with progress, a number, and perhaps total and message, and is a text of 6 "
        "characters",
    ),
    ("expected", {"at": "SECRET"}, f"at should be {MOMENT}, and is a text of 6 characters"),
    ("sleep", {"wakes_at": 7}, f"wakes_at should be {MOMENT}, and is a number"),
    ("request_input", {"input_requests": [{}]}, "input_requests.0.key is missing: it should be a text"),
    ("check", LATER, f"{NO_SUCH} a text of 5 characters"),
    ("check", {"does": None}, f"{NO_SUCH} null"),
    ("check", {"ticket": "acme#ada:SECRET"}, "this is no run ticket"),
    (
        "finish",
        {"outcome": {"later": 1}},
        "outcome should be an outcome: an object with returned, or with faulted, and is an object",
    ),
]
ANSWERS: list[JSON] = [
    None,
    "SECRET",
    {},
    {"later": "SECRET"},
    {"journal": {}},
    {"value": {"SECRET": 1}, "journal": {}},
]


def test_the_host_refuses_what_it_cannot_read_and_answers_the_message_that_it_can(
    template: Template, recorded: Mapping[str, Any]
) -> None:
    with deployed_now(template, recorded) as harness:
        for does, damage, said in TO_HOST:
            run = next(run for run in recorded["runs"] if does in [each["sent"]["does"] for each in run["messages"]])
            (whole,) = [each["sent"] for each in run["messages"] if each["sent"]["does"] == does][:1]
            return_to(harness, run)
            before = harness.table.items()

            answer, failed = invoke(harness, "host_run", whole | damage)

            assert not failed, (does, damage, answer)
            assert answer == {"refused": said}
            assert harness.table.items() == before
            assert not invoke(harness, "host_run", whole)[1]


@pytest.mark.parametrize("answer", [{"later": "SECRET"}, {"run": {}, "ticket": "t"}], ids=str)
def test_a_task_whose_host_answers_what_cannot_be_read_ends_failed_and_others_go_on(
    template: Template, recorded: Mapping[str, Any], answer: JSON
) -> None:
    with deployed_now(template, recorded) as harness:
        tasks = DeployedTasks(harness=harness, revision=recorded["revision"])
        host = harness.replace("host_run", partial(returning, answer))
        task = tasks.start("go_on", name="Ada")
        tasks.advance(minutes=10)
        harness.replace("host_run", host)
        other = tasks.start("go_on", name="Ada")

        assert (task.status, task.message) == ("failed", "The server failed at each attempt to do the work.")
        assert (other.status, active(tasks)) == ("input_required", 1)


def test_run_inline_refuses_what_it_does_not_know_and_answers_what_it_does(
    template: Template, recorded: Mapping[str, Any]
) -> None:
    with deployed_now(template, recorded) as harness:
        whole = recorded["inline"][0]["sent"]
        answer, failed = invoke(harness, "run_inline", whole | LATER)

        assert (failed, answer["errorType"]) == (True, "LookupError")
        assert answer["errorMessage"] == "run_inline cannot do 'later': the endpoint is of another release"
        assert not invoke(harness, "run_inline", whole)[1]


def test_a_client_is_told_in_words_of_an_answer_that_cannot_be_read_and_one_record_says_so(
    template: Template, recorded: Mapping[str, Any], caplog: pytest.LogCaptureFixture
) -> None:
    greeting = {"name": "greet", "arguments": {"name": "Ada"}}
    with deployed_now(template, recorded) as harness:
        client = DeployedTasks(harness=harness, revision=recorded["revision"]).connect()
        for answer in ANSWERS:
            inline = harness.replace("run_inline", partial(returning, answer))
            caplog.clear()

            with pytest.raises(McpError, match=r"^Internal error\.$"):
                client.request("prompts/get", greeting)
            errors = [each for each in caplog.records if each.levelname == "ERROR"]
            harness.replace("run_inline", inline)

            assert [each.getMessage() for each in errors] == ["a request failed"]
            assert "SECRET" not in caplog.text
            assert client.request("prompts/get", greeting)["messages"]


def returning(answer: JSON, event: object, context: object) -> JSON:
    """Be a function that answers this, whatever it is sent."""
    return answer
