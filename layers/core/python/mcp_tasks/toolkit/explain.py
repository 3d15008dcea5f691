"""What pydantic finds wrong, in words for a model: which field, why, and what was given."""

import json
from collections.abc import Iterable
from typing import Final

from pydantic import ValidationError
from pydantic_core import ErrorDetails

MOST_COMPLAINTS: Final = 5
LONGEST_QUOTE: Final = 80


def explain(error: ValidationError, *, known: Iterable[str]) -> str:
    """Say what does not fit, field by field; `known` are the names that there are at the top."""
    details = error.errors(include_url=False, include_context=False)
    lines = [_complaint(detail, known) for detail in details[:MOST_COMPLAINTS]]
    if len(details) > MOST_COMPLAINTS:
        lines.append(f"and {len(details) - MOST_COMPLAINTS} more")
    return "; ".join(lines)


def _complaint(detail: ErrorDetails, known: Iterable[str]) -> str:
    where = _short(".".join(str(part) for part in detail["loc"])) or "arguments"
    match detail["type"]:
        case "missing":
            return f"{where} is missing"
        case "json_invalid":
            return f"{where}: {detail['msg']}"
        case "extra_forbidden" if len(detail["loc"]) == 1:
            return f"there is no {where}, only: {', '.join(known) or 'nothing'}"
        case _:
            given = json.dumps(detail["input"], ensure_ascii=False, default=str)
            return f"{where}: {detail['msg']}, not {_short(given)}"


def _short(text: str) -> str:
    return text if len(text) <= LONGEST_QUOTE else text[: LONGEST_QUOTE - 1] + "…"
