"""The content of a form is validated by its schema in bounded time."""

from collections.abc import Mapping

import pytest

from mcp_tasks.authoring.form_validation import validation_error
from mcp_tasks.limits.requests import MAX_CHOSEN
from mcp_tasks.tasks.model import JSON

CHOICES: JSON = [{"const": word, "title": word.title()} for word in ("red", "green", "blue")]
COLOURS: JSON = {"type": "array", "items": {"anyOf": CHOICES}}


@pytest.mark.parametrize("items", [COLOURS, {"type": "array", "items": {"type": "string", "enum": ["red", "blue"]}}])
def test_a_list_longer_than_anybody_chooses_is_rejected_unread(items: JSON) -> None:
    schema: Mapping[str, JSON] = {"type": "object", "properties": {"colours": items}}

    assert validation_error(schema, {"colours": ["blue"] * MAX_CHOSEN}) is None
    error = validation_error(schema, {"colours": ["blue"] * (MAX_CHOSEN + 1)})
    assert error is not None
    assert error.startswith('colours should be at most 1,000 of the choices, not ["blue", ')
