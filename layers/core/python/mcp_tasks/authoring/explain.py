"""Explains pydantic's validation errors to a model: which field, why, and what was given."""

from collections.abc import Iterable

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from mcp_tasks.authoring.wording import listed, quoted, short
from mcp_tasks.limits.requests import MAX_ERRORS_COUNTED


def explain(error: ValidationError, *, known: Iterable[str], whole: str = "arguments") -> str:
    """Return what does not fit, field by field; `known` are the names of the fields of the `whole`."""
    if error.error_count() > MAX_ERRORS_COUNTED:
        # Pydantic lists all of them or none, half a kilobyte each.
        return f"{error.error_count():,} values do not fit the schema"
    details = error.errors(include_url=False, include_context=False)
    return listed(details, lambda detail: _complaint(detail, known, whole))


def _complaint(detail: ErrorDetails, known: Iterable[str], whole: str) -> str:
    where = short(".".join(str(part) for part in detail["loc"])) or whole
    match detail["type"]:
        case "missing":
            return f"{where} is missing"
        case "json_invalid":
            return f"{where}: {detail['msg']}"
        case "extra_forbidden" if len(detail["loc"]) == 1:
            return f"there is no {where}, only: {', '.join(known) or 'nothing'}"
        case _:
            return f"{where}: {detail['msg']}, not {quoted(detail['input'])}"
