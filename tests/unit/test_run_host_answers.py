"""Answers of the host of runs that do not fit, its refusals, and its failures."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from mcp_tasks import Context
from mcp_tasks.engine.runner import RunInterrupted
from mcp_tasks.run_host.client import RemoteHost
from mcp_tasks.run_host.shapes import Unfit
from mcp_tasks.tasks.errors import Unavailable
from mcp_tasks.tasks.model import JSON
from tests.unit.test_run_host import Stranger
from tests.unit.tool_run import tool_run


@pytest.mark.parametrize("answer", [None, 7, [], {}, {"seconds": "7"}, {"seconds": None}, {"seconds": 10**400}])
def test_an_answer_that_no_host_gives_is_refused_in_a_sentence(answer: Any) -> None:
    host = RemoteHost(send=lambda message: answer, ticket="t")

    with pytest.raises(Unfit, match=r"^(what the host answers|seconds) (should be .+, and is .+|is missing: .+)$"):
        host.sleep(Stranger().made.clock.now())


def test_a_refusal_reaches_the_log_of_the_run_in_the_words_of_its_host() -> None:
    def job(context: Context) -> None:
        context.report_status("fine")

    made = tool_run(job)
    send = made.runner.runner.send

    def other(message: Mapping[str, JSON]) -> Mapping[str, JSON]:
        return send({**message, "status_message": 7} if message["does"] == "status_reported" else message)

    runner = replace(made.runner, runner=replace(made.runner.runner, send=other))
    with pytest.raises(RunInterrupted) as interrupted:
        runner.run(made.caller.owner_key, made.task.id)

    causes: list[str] = []
    cause: BaseException | None = interrupted.value
    while cause is not None:
        causes.append(str(cause))
        cause = cause.__cause__
    assert causes[-1] == "status_message should be a text, and is a number"


@pytest.mark.parametrize(
    ("error", "sent", "named"),
    [
        (Unavailable, {}, "RunInterrupted"),
        (Unavailable, {"broken": "error"}, "RunInterrupted"),
        (OSError, {}, "RunInterrupted"),
        (OSError, {"broken": "error"}, "RunBroken"),
    ],
)
def test_a_run_whose_host_fails_ends_in_the_error_that_its_definition_retries(
    error: type[Exception], sent: Mapping[str, JSON], named: str
) -> None:
    def send(message: Mapping[str, JSON]) -> Mapping[str, JSON]:
        raise error

    made = Stranger()
    runner = replace(made.made.runner.runner, send=send)
    with pytest.raises(RunInterrupted) as raised:
        runner.answer({"ticket": made.start, "task": made.made.task.id, "attempt": 1, **sent})

    assert type(raised.value).__name__ == named


def test_a_lone_surrogate_that_a_run_of_an_earlier_release_recorded_is_a_question_mark() -> None:
    stranger = Stranger()

    assert stranger.send("record", step="pay", value={"receipt": "\udce9.pdf"}) == {"recorded": {"receipt": "?.pdf"}}
    assert stranger.send("recall", step="pay") == {"recorded": {"receipt": "?.pdf"}}
