"""A tool that requests input within a task and gets no response, or whose replay makes another request."""

from datetime import timedelta

import pytest

from mcp_tasks import Accepted, Context, Elicit, ListRoots, ToolError
from mcp_tasks.authoring.errors import InputRequestFailed, MissingCapability, NoAnswer
from mcp_tasks.features.results import failure
from mcp_tasks.limits.waits import KEPT
from mcp_tasks.tasks.model import Returned
from tests.unit.contexts import EVERYTHING, Confirmation, Name, accepted
from tests.unit.jobs import MINUTE
from tests.unit.tool_run import greet, text, tool_run

FOLDERS = {"roots": [{"uri": "file:///home"}]}


# --- answers that are none


def test_an_input_request_that_timed_out_raises_in_the_tool() -> None:
    def job(context: Context) -> str:
        try:
            return f"{context.elicit('Who?', Name, key='name', timeout=MINUTE)}"
        except NoAnswer as error:
            return f"nobody said {error.key}"

    made = tool_run(job, client_capabilities=EVERYTHING)
    assert made.run_once() == MINUTE
    made.suspend()
    made.clock.advance(MINUTE)

    assert made.run() == text("nobody said name")


def test_a_tool_that_makes_nothing_of_that_fails() -> None:
    def job(context: Context) -> str:
        return f"{context.elicit('Who?', Name, key='name', timeout=MINUTE)}"

    made = tool_run(job, client_capabilities=EVERYTHING).wait()
    made.clock.advance(MINUTE)

    assert made.run() == failure("Nobody answered 'name' in time.")


def test_an_input_request_may_end_with_a_default() -> None:
    def job(context: Context) -> str:
        name = context.elicit("Who?", Name, key="name", timeout=MINUTE, default=Accepted(Name(name="nobody")))
        return f"{name}"

    made = tool_run(job, client_capabilities=EVERYTHING).wait()
    made.clock.advance(MINUTE)

    assert made.run() == text("Accepted(value=Name(name='nobody'))")


def test_one_answer_may_come_and_another_not() -> None:
    def job(context: Context) -> str:
        requests = Elicit("Who?", Name, key="name"), ListRoots(key="roots", timeout=MINUTE, default=[])
        name, roots = context.gather(*requests)
        return f"{name.value.name} in {roots}"

    made = tool_run(job, client_capabilities=EVERYTHING).wait()
    made.clock.advance(MINUTE)
    assert made.run_once() == timedelta(hours=24) - KEPT - MINUTE
    assert made.open_keys() == ["name"]
    made.answer(name=accepted(name="Ada"))

    assert made.run() == text("Ada in []")


@pytest.mark.parametrize("caught", [True, False])
def test_an_error_response_of_the_client_raises_in_the_tool(caught: bool) -> None:
    def job(context: Context) -> str:
        try:
            return f"{context.list_roots(key='roots')}"
        except InputRequestFailed as error:
            if caught:
                return f"{error.key}: {error.message} ({error.code})"
            raise

    made = tool_run(job, client_capabilities=EVERYTHING).wait()
    made.answer(roots={"code": -1, "message": "no"})

    expected = text("roots: no (-1)") if caught else failure("The client answered 'roots' with an error: no (code -1).")
    assert made.run() == expected


def test_an_answer_that_fits_the_schema_and_not_the_form_fails_the_tool() -> None:
    class Known(Name):
        """A form with a rule that its schema does not show."""

        def model_post_init(self, context: object, /) -> None:
            if self.name != "Ada":
                raise ValueError("nobody knows them")

    def job(context: Context) -> str:
        return f"{context.elicit('Who?', Known, key='name')}"

    made = tool_run(job, client_capabilities=EVERYTHING).wait()
    made.answer(name=accepted(name="Eve"))
    outcome = made.run()

    assert isinstance(outcome, Returned)
    assert outcome.is_error
    assert outcome.result["content"][0]["text"].startswith("the answer to 'name' does not fit: ")


# --- clients that cannot be asked


def test_a_client_is_asked_nothing_that_it_cannot_be_asked() -> None:
    made = tool_run(greet, client_capabilities=frozenset({"sampling"}))

    assert made.run() == failure(str(MissingCapability("elicitation.form")))
    assert made.current().requested == ()


def test_a_tool_may_do_without() -> None:
    def job(context: Context) -> str:
        try:
            return greet(context)
        except ToolError as error:
            return f"nobody, since {type(error).__name__}"

    assert tool_run(job).run() == text("nobody, since MissingCapability")


# --- non-deterministic runs


def test_a_run_that_asks_otherwise_than_the_one_before_fails_and_names_both() -> None:
    keys = iter(["monday", "tuesday"])

    def job(context: Context) -> str:
        return f"{context.elicit('Who?', Name, key=next(keys))}"

    made = tool_run(job, client_capabilities=EVERYTHING).wait()
    made.answer(monday=accepted(name="Ada"))
    outcome = made.run()

    assert isinstance(outcome, Returned)
    assert outcome.is_error
    words = outcome.result["content"][0]["text"]
    assert words.startswith("job failed: it asked 'monday' the last time and now 'tuesday' instead; ")


def test_an_input_request_in_other_words_is_another_input_request() -> None:
    words = iter(["Delete 3 files?", "Delete 4 files?"])

    def job(context: Context) -> str:
        return f"{context.elicit(next(words), Confirmation)}"

    made = tool_run(job, client_capabilities=EVERYTHING).wait()
    made.answer(**{made.open_keys()[0]: accepted(ok=True)})
    outcome = made.run()

    assert isinstance(outcome, Returned)
    assert "instead; run again, a tool must make the same input requests" in outcome.result["content"][0]["text"]


def test_a_tool_that_asks_more_than_can_be_kept_fails() -> None:
    def job(context: Context) -> str:
        return f"{context.elicit('x' * 200_000, Name, key='name')}"

    made = tool_run(job, client_capabilities=EVERYTHING)
    outcome = made.run()

    assert isinstance(outcome, Returned)
    assert outcome.is_error
    assert made.current().requested == ()
