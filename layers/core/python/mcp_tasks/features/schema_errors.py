"""Says which annotation of a function has no JSON Schema, and what to write instead."""

import json
from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields, is_dataclass
from typing import Any
from warnings import catch_warnings

from pydantic import PydanticUserError, TypeAdapter
from pydantic.json_schema import PydanticJsonSchemaWarning

from mcp_tasks.authoring.wording import short
from mcp_tasks.limits.tools import MAX_LINE_CHARACTERS

USABLE = "use str, int, float, bool, list, dict, Literal, Enum, a dataclass, a TypedDict or a pydantic model"


def check_schemas(function: str, hints: Mapping[str, Any], make: Callable[[], object]) -> None:
    """Call `make`, which makes the schemas of a function; raises `TypeError`, which names the annotation at fault."""
    try:
        # A default that is no JSON, such as an `object()`, is left out, which serves its author well.
        with catch_warnings(action="ignore", category=PydanticJsonSchemaWarning):
            _check_sendable(make())
    except Exception as error:  # noqa: BLE001  # pydantic raises many kinds, and so may the types of an adopter
        # Pydantic warns of the alias of an argument, which has no effect there.
        with catch_warnings(action="ignore", category=UserWarning):
            fault = _fault(hints)
        fault = fault or f"clients could not use its schema: {_reason(error)}"
        raise TypeError(f"{function}: {fault}") from None


def check_fields(function: str, returned: Any) -> None:
    """Raise `TypeError` for a field of a dataclass that pydantic leaves out of schema and result without a word."""
    for each in fields(returned) if is_dataclass(returned) else ():
        if not each.init and each.default is MISSING and each.default_factory is MISSING:
            raise TypeError(
                f"{function}: clients would not get {each.name} of what it returns: "
                f"give it a default, as in field(init=False, default=...)"
            )


def _check_sendable(schemas: object) -> None:
    """Raise an error for what is no JSON, such as NaN or a lone surrogate: clients could not read the list of tools."""
    json.dumps(schemas, allow_nan=False, ensure_ascii=False).encode()


def _fault(hints: Mapping[str, Any]) -> str | None:
    for name, hint in hints.items():
        what = "what it returns" if name == "return" else name
        try:
            _check_sendable(TypeAdapter(hint).json_schema())
        except PydanticUserError as error:
            if error.code == "typed-dict-version":
                return f"{what} uses typing.TypedDict: before Python 3.12, import TypedDict from typing_extensions"
            if error.code in ("class-not-fully-defined", "undefined-annotation"):
                return f"{what} is annotated {_shown(hint)}: {_reason(error)}"
            return f"{what} is annotated {_shown(hint)}, which has no JSON Schema: {USABLE}"
        except Exception as error:  # noqa: BLE001  # as above
            return f"{what} is annotated {_shown(hint)}, which has no JSON Schema: {_reason(error)}"
    return None


def _reason(error: Exception) -> str:
    message = error.message if isinstance(error, PydanticUserError) else str(error)
    # Of an error within an error the last line says what was wrong.
    return short(message.strip().rpartition("\n")[2], MAX_LINE_CHARACTERS)


def _shown(hint: Any) -> str:
    return short(hint.__qualname__ if isinstance(hint, type) else str(hint))
