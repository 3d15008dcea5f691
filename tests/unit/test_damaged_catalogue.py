"""An entry of a catalogue that is damaged, or of a newer release, is left out and logged; all others are served."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from mcp_tasks.features import catalogue
from mcp_tasks.features.listing import Features
from tests.elsewhere import elsewhere
from tests.unit import one_of_each

REAL = Features.of(one_of_each.TOOLS, one_of_each.PROMPTS, one_of_each.RESOURCES)
DAMAGES: list[tuple[str, str, Any, str]] = [
    ("tools", "description", None, "KeyError('description')"),
    ("tools", "timeout", "long", "TypeError("),
    ("tools", "ttl", 1e300, "OverflowError("),
    ("tools", "tasks", "seldom", "ValueError(\"crunch: tasks is 'never', 'allowed' or 'always', not 'seldom'\")"),
    ("tools", "name", 7, "ValueError('7 is no name for a tool"),
    ("tools", "input_schema", [], "TypeError("),
    ("tools", "output_schema", "none", "TypeError("),
    ("tools", "scopes", 7, "TypeError("),
    ("prompts", "arguments", [{"name": "code"}], "KeyError('description')"),
    ("prompts", "title", 7, "TypeError("),
    ("resources", "uri", "nowhere", "ValueError(\"'nowhere' is not a URI"),
    ("resources", "ttl", None, "KeyError('ttl')"),
]


def entries() -> Any:
    """Return the catalogue of the sample features."""
    return json.loads(catalogue.write(one_of_each.__name__))


def read(written: Any) -> Features:
    """Return the features of a catalogue."""
    return catalogue.read(json.dumps(written), elsewhere(REAL))


def names(features: Features) -> dict[str, list[str]]:
    """Return what is listed, by its kind."""
    return {
        "tools": [each.name for each in features.tools],
        "prompts": [each.name for each in features.prompts],
        "resources": [each.uri for each in features.resources],
    }


@pytest.mark.parametrize(("kind", "name", "value", "reason"), DAMAGES)
def test_a_damaged_entry_is_left_out_and_logged_and_all_others_are_listed(
    kind: str, name: str, value: Any, reason: str, caplog: pytest.LogCaptureFixture
) -> None:
    written, expected = entries(), names(REAL)
    written[kind][0] |= {name: value}
    if value is None:
        del written[kind][0][name]
    del expected[kind][0]

    assert names(read(written)) == expected
    (record,) = caplog.records
    said = f"{kind}[0] of the catalogue is left out, it cannot be read: {reason}"
    assert (record.getMessage()[: len(said)], vars(record)["fallback"]) == (said, "unreadable_entry")


def test_what_a_newer_release_says_of_a_feature_is_ignored(caplog: pytest.LogCaptureFixture) -> None:
    written = entries()
    arguments = [argument for prompt in written["prompts"] for argument in prompt["arguments"]]
    for entry in (*(entry for kind in written.values() for entry in kind), *arguments):
        entry["later"] = {"of": "a newer release"}

    assert names(read({**written, "later": []})) == names(REAL)
    assert caplog.records == []


@pytest.mark.parametrize(
    "damage",
    [
        lambda text: text[:-9],
        lambda text: "[]",
        lambda text: "{}",
        lambda text: text.replace('"prompts"', '"later"'),
        lambda text: '{"tools": [7], "prompts": [], "resources": []}',
    ],
)
def test_what_is_no_catalogue_is_refused_in_words(damage: Callable[[str], str]) -> None:
    with pytest.raises(ValueError, match="this release cannot read the catalogue: write it anew"):
        catalogue.read(damage(json.dumps(entries())), elsewhere(REAL))
