"""Arguments of a context's methods that have a wrong type: each error names the argument, and what was given."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from tests.unit.contexts import Name, run_context


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda context: context.report_progress("half"), "progress is a number, not 'half'"),
        (lambda context: context.report_progress("5"), "progress is a number, not '5'"),
        (lambda context: context.report_progress(None), "progress is a number, not None"),
        (lambda context: context.report_progress(1, [2]), r"total is a number, not \[2\]"),
        (lambda context: context.report_progress(1, 2, 0), "the message of a report is a text, not 0"),
        (lambda context: context.report_status(5), "the message of a report is a text, not 5"),
        (lambda context: context.report_status(b"so"), "the message of a report is a text, not b'so'"),
        (lambda context: context.log("info", "x", logger=5), "the name of a logger is a text, not 5"),
        (lambda context: context.complete_elicitation(5), "an elicitation_id is a text, not 5"),
        (lambda context: context.step("charge", 5), "step charge is given a value \\(int\\), and not a function"),
        (lambda context: asyncio.run(context.step_async("charge", 5)), "step charge is given a value"),
        (lambda context: context.step(5, list), "the name of a step is a text, not 5"),
        (lambda context: context.elicit(5, Name), "the message of an elicitation is a text, not 5"),
        (lambda context: context.elicit("Who?", {"name": str}), "the form of an elicitation is a class, .*, not {"),
        (lambda context: context.elicit("Who?", Name, key=5), "the key of an input request is a text, not 5"),
        (
            lambda context: context.elicit("Who?", Name, of="finance"),
            r"of names whom to ask, by role\(.*, not 'finance'",
        ),
        (lambda context: context.elicit_url("Go", 5), "the URL of an elicitation is a text, not 5"),
        (lambda context: context.elicit_url(5, "https://a.example"), "the message of an elicitation is a text, not 5"),
        (lambda context: context.sample(5, max_tokens=1), "messages is a text, a Message or a list of these, not 5"),
        (lambda context: context.sample("x", max_tokens="1"), "max_tokens is how many .*, not '1'"),
        (lambda context: context.sample("x", max_tokens=1, system_prompt=5), "the system_prompt is a text, not 5"),
        (lambda context: context.sample([5], max_tokens=1), "it is of type int, and not a str, an Image"),
        (lambda context: context.list_roots(key=5), "the key of an input request is a text, not 5"),
        (lambda context: context.sleep(5), "context.sleep: duration is a timedelta"),
        (lambda context: context.expect(5), "context.expect: duration is a timedelta"),
        (lambda context: context.patched(5), "the name of a step is a text, not 5"),
    ],
)
def test_an_argument_of_a_wrong_type_is_named(call: Callable[[Any], Any], words: str) -> None:
    with pytest.raises(TypeError, match=f"^{words}"):
        call(run_context())
