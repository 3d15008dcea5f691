"""Evaluates CloudWatch's metric filters for JSON log events, as far as this stack has any.

Patterns have `&&`, `||`, `NOT EXISTS`, and comparisons: `=` and `!=` with text, in which `*` stands for any, and all
six with numbers.  A comparison matches values of its own type alone: what AWS does with others it does not say.
"""

import json
import operator
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

TOKEN = re.compile(
    r"""\s*(?:(?P<sign>\(|\)|&&|\|\|)"""
    r"""|\$(?P<field>(?:\.\w+)+)\s*(?:(?P<absent>NOT\ EXISTS)|(?P<compared>[!<>]?=|<|>)\s*(?P<value>"[^"]*"|-?\d+)))"""
)
COMPARISONS: Mapping[str, Callable[[Any, Any], bool]] = {
    **{"=": operator.eq, "!=": operator.ne},
    **{"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge},
}
MISSING = object()

Matches = Callable[[Any], bool]


@dataclass(frozen=True, slots=True, kw_only=True)
class Published:
    """A value of a metric, with the dimensions that tell it from others of the name."""

    namespace: str
    name: str
    dimensions: Mapping[str, str]
    value: float


def published(metric_filter: Mapping[str, Any], line: str) -> Published | None:
    """Return what a metric filter of a template publishes of a line of its log, or None if the pattern has no match.

    A dimension or value that the event lacks is an error here: such a filter would publish something else than it says.
    """
    if not matches(metric_filter["FilterPattern"], line):
        return None
    event, (made,) = json.loads(line), metric_filter["MetricTransformations"]
    dimensions = {each["Key"]: str(_existing(event, each["Value"])) for each in made.get("Dimensions", ())}
    assert len(dimensions) <= 3, "a metric filter has three dimensions at most"
    value = _existing(event, made["MetricValue"]) if made["MetricValue"].startswith("$") else made["MetricValue"]
    return Published(
        namespace=made["MetricNamespace"], name=made["MetricName"], dimensions=dimensions, value=float(value)
    )


def matches(pattern: str, line: str) -> bool:
    """Return whether a pattern matches a line of a log; one that is no JSON object matches none."""
    try:
        event = json.loads(line)
    except ValueError:
        return False
    found = re.fullmatch(r"\{(.*)\}", pattern)
    assert found, f"{pattern} is none for JSON"
    return _parsed(found[1])(event)


def fields_of(pattern: str) -> set[str]:
    """Return the fields that a pattern looks at, as `$.name`."""
    return set(re.findall(r"\$(?:\.\w+)+", re.sub(r'"[^"]*"', "", pattern)))


def _existing(event: Any, selector: str) -> Any:
    found = _field(event, selector.removeprefix("$"))
    assert found is not MISSING, f"{selector} is not in {event}"
    return found


def _field(event: Any, path: str) -> Any:
    for name in path.split(".")[1:]:
        if not isinstance(event, dict) or name not in event:
            return MISSING
        event = event[name]
    return event


def _parsed(text: str) -> Matches:
    tokens, at = [], 0
    while text[at:].strip():
        found = TOKEN.match(text, at)
        assert found, f"cannot read {text[at:]}"
        tokens.append(found)
        at = found.end()
    matches = _any(tokens)
    assert not tokens, "more than one expression"
    return matches


def _any(tokens: list[re.Match[str]]) -> Matches:
    terms = [_all(tokens)]
    while tokens and tokens[0]["sign"] == "||":
        tokens.pop(0)
        terms.append(_all(tokens))
    return lambda event: any(term(event) for term in terms)


def _all(tokens: list[re.Match[str]]) -> Matches:
    terms = [_term(tokens)]
    while tokens and tokens[0]["sign"] == "&&":
        tokens.pop(0)
        terms.append(_term(tokens))
    return lambda event: all(term(event) for term in terms)


def _term(tokens: list[re.Match[str]]) -> Matches:
    token = tokens.pop(0)
    if token["sign"] != "(":
        assert token["field"], f"{token[0]} is where a comparison should be"
        return lambda event: _compared(_field(event, token["field"]), token)
    inner = _any(tokens)
    assert tokens.pop(0)["sign"] == ")", "a parenthesis is not closed"
    return inner


def _compared(found: Any, token: re.Match[str]) -> bool:
    if token["absent"]:
        return found is MISSING
    value = json.loads(token["value"])
    if isinstance(value, str):
        assert token["compared"] in ("=", "!="), f"{token[0]} orders text"
        return isinstance(found, str) and fnmatchcase(found, value) == (token["compared"] == "=")
    is_number = isinstance(found, int | float) and not isinstance(found, bool)
    return is_number and COMPARISONS[token["compared"]](found, value)
