"""What a client declares that it can be asked, and how to say what is missing; the same words in both revisions."""

from collections.abc import Mapping
from typing import Final

from mcp_tasks.tasks.model import JSON, Question

REQUIRED: Final[Mapping[str, Mapping[str, JSON]]] = {
    "elicitation.form": {"elicitation": {"form": {}}},
    "elicitation.url": {"elicitation": {"url": {}}},
    "sampling": {"sampling": {}},
    "sampling.tools": {"sampling": {"tools": {}}},
    "roots": {"roots": {}},
}
"""What a client would have to declare for each ability."""


def abilities(declared: Mapping[str, JSON]) -> frozenset[str]:
    """Return the abilities that a client's capabilities amount to."""
    found = {name for name, required in REQUIRED.items() if includes(declared, required)}
    # "an empty capabilities object is equivalent to declaring support for form mode only"  -- Elicitation, Capabilities
    if declared.get("elicitation") == {}:
        found.add("elicitation.form")
    return frozenset(found)


def needed_for(question: Question) -> str:
    """Return the ability that a question needs."""
    match question.method:
        case "elicitation/create":
            return "elicitation.url" if question.params.get("mode") == "url" else "elicitation.form"
        case "sampling/createMessage":
            return "sampling.tools" if question.params.keys() & {"tools", "toolChoice"} else "sampling"
        case _:
            return "roots"


def includes(declared: JSON, required: Mapping[str, JSON]) -> bool:
    """Tell whether a client's capabilities have all that is required, and perhaps more."""
    return isinstance(declared, Mapping) and all(
        isinstance(declared.get(name), Mapping) and includes(declared[name], inner) for name, inner in required.items()
    )
