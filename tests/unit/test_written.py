"""Every message that is sent can be read by all clients: valid Unicode, and numbers that JSON has."""

import json
from typing import Any

import pytest
from pydantic_core import from_json

from mcp_tasks.wire.http import json_reply, written
from mcp_tasks.wire.sse import Event


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("\ud800", "?"),
        ("a\udfffb", "a?b"),
        ("\ud83d\ude00", "\N{GRINNING FACE}"),
        ("\ude00\ud83d", "??"),
        ("\ud83d\ud83d\ude00", "?\N{GRINNING FACE}"),
        ("\N{GRINNING FACE}\ud800", "\N{GRINNING FACE}?"),
        (r"\ud800", r"\ud800"),
        (r"\\ud800" + "\ud800", r"\\ud800?"),
        ("\\\ud800", "\\?"),
        (r"\\", r"\\"),
        ("\u2028\n\0", "\u2028\n\0"),
        ("é \ud7ff \ue000", "é \ud7ff \ue000"),
    ],
)
def test_half_a_character_is_sent_as_a_question_mark_and_all_else_as_it_is(text: str, read: str) -> None:
    for body in (json_reply({text: [text]}).body, str(Event(message={text: [text]})).removeprefix("data: ")):
        # The strict reader of the two is the Python client's.
        assert json.loads(body) == from_json(body) == {read: [read]}


@pytest.mark.parametrize("number", [float("nan"), float("inf"), -float("inf")])
def test_what_is_no_number_in_json_is_never_sent(number: Any) -> None:
    with pytest.raises(ValueError, match="JSON"):
        written({"progress": number})
