"""Says which annotation of a function has no JSON Schema, and what to write instead."""

from collections.abc import Callable, Mapping
from typing import Any

from pydantic import PydanticUserError, TypeAdapter

USABLE = "use str, int, float, bool, list, dict, Literal, Enum, a dataclass, a TypedDict or a pydantic model"


def check_schemas(function: str, hints: Mapping[str, Any], make: Callable[[], object]) -> None:
    """Call `make`, which makes the schemas of a function; raises `TypeError`, which names the annotation at fault."""
    try:
        make()
    except PydanticUserError as error:
        raise TypeError(f"{function}: {_fault(hints) or error.message}") from None


def _fault(hints: Mapping[str, Any]) -> str | None:
    for name, hint in hints.items():
        try:
            TypeAdapter(hint).json_schema()
        except PydanticUserError as error:
            what = "what it returns" if name == "return" else name
            if error.code == "typed-dict-version":
                return f"{what} uses typing.TypedDict: before Python 3.12, import TypedDict from typing_extensions"
            return f"{what} is annotated {_shown(hint)}, which has no JSON Schema: {USABLE}"
    return None


def _shown(hint: Any) -> str:
    return hint.__qualname__ if isinstance(hint, type) else str(hint)
