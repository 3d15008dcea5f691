"""Evaluates CloudWatch's filter patterns for JSON log events, as far as this stack has any: `=`, `!=`, `&&`, `||`."""

import json
import re
from collections.abc import Callable
from fnmatch import fnmatchcase
from typing import Any

TOKEN = re.compile(r'\s*(?:(\(|\)|&&|\|\|)|\$((?:\.\w+)+)\s*(!?=)\s*("[^"]*"))')

Matches = Callable[[Any], bool]


def matches(pattern: str, line: str) -> bool:
    """Return whether a pattern matches a line of a log; one that is no JSON object matches none."""
    try:
        event = json.loads(line)
    except ValueError:
        return False
    found = re.fullmatch(r"\{(.*)\}", pattern)
    assert found, f"{pattern} is none for JSON"
    return _parsed(found[1])(event)


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
    while tokens and tokens[0][1] == "||":
        tokens.pop(0)
        terms.append(_all(tokens))
    return lambda event: any(term(event) for term in terms)


def _all(tokens: list[re.Match[str]]) -> Matches:
    terms = [_term(tokens)]
    while tokens and tokens[0][1] == "&&":
        tokens.pop(0)
        terms.append(_term(tokens))
    return lambda event: all(term(event) for term in terms)


def _term(tokens: list[re.Match[str]]) -> Matches:
    token = tokens.pop(0)
    if token[1] != "(":
        return lambda event: _compared(event, token)
    inner = _any(tokens)
    assert tokens.pop(0)[1] == ")", "a parenthesis is not closed"
    return inner


def _compared(event: Any, token: re.Match[str]) -> bool:
    for name in token[2].split(".")[1:]:
        if not isinstance(event, dict) or name not in event:
            return False
        event = event[name]
    return fnmatchcase(str(event), json.loads(token[4])) == (token[3] == "=")
