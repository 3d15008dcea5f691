"""The issuers of a stage in `cdk.json`: one, described by settings of the stage itself, or a list."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import Field, fields
from typing import Any, get_origin

from aws_cdk import Annotations, Stack

from .issuers import accepted
from .tokens import Tokens

FIELDS: Mapping[str, Field[Any]] = {field.name: field for field in fields(Tokens)}
REQUIRED = ("issuer", "audience", "jwks_url")
# RFC 2606 reserves it, so no issuer has it.
PLACEHOLDER = "example.com"


def issuers_of(values: Mapping[str, Any]) -> tuple[Tokens, ...]:
    """Return the issuers of a stage with these settings; raises `ValueError`, whose text says what to write instead."""
    own = {name: value for name, value in values.items() if name in FIELDS}
    if "issuers" not in values:
        return accepted(_tokens("", own))
    if own:
        raise ValueError(f"it has a list of issuers, and {', '.join(own)} beside it: write that into the list")
    return accepted([_tokens(f"issuer {place}", each) for place, each in enumerate(values["issuers"], start=1)])


def refuse_placeholders(stack: Stack, stage: str, issuers: Iterable[Tokens]) -> None:
    """Add an error for settings that still name example.com: `make synth` ignores it, `make deploy` does not."""
    left = [name for name in REQUIRED if any(PLACEHOLDER in getattr(each, name) for each in issuers)]
    if left:
        Annotations.of(stack).add_error(
            f"Every token would be refused, because cdk.json still has placeholders for {' and '.join(left)} of stage "
            f"{stage!r}: write there whose tokens to accept (docs/deploy.md), or pass them with -c name=value."
        )


def _tokens(which: str, values: Any) -> Tokens:
    start = f"{which or 'it'} "
    if not isinstance(values, Mapping):
        raise ValueError(f'{start}is an object, such as {{"issuer": "https://..."}}, not {json.dumps(values)}')
    for name in values.keys() - FIELDS.keys():
        raise ValueError(f"{start}has a setting {name!r}: there is no such setting")
    given = {*values, "audience"} if "client_ids" in values else values.keys()
    if missing := [name for name in REQUIRED if name not in given]:
        raise ValueError(f"{start}lacks {', '.join(missing)}")
    for name, value in values.items():
        _check_kind(f"{start}has {name}", FIELDS[name], value)
    return Tokens(**values)


def _check_kind(start: str, field: Field[Any], value: Any) -> None:
    if get_origin(field.type) is Sequence and not isinstance(value, list | tuple):
        raise ValueError(f"{start}, which is a list, such as {json.dumps([value])}, not {json.dumps(value)}")
    if field.type is str and not isinstance(value, str):
        raise ValueError(f"{start}, which is a text, not {json.dumps(value)}")
