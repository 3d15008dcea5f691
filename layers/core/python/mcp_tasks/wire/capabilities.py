"""What a client declares that it can be asked, and how to say what is missing; the same words in both revisions."""

from collections.abc import Mapping
from typing import Final

from mcp_tasks.tasks.model import JSON, InputRequest

REQUIRED: Final[Mapping[str, Mapping[str, JSON]]] = {
    "elicitation.form": {"elicitation": {"form": {}}},
    "elicitation.url": {"elicitation": {"url": {}}},
    "sampling": {"sampling": {}},
    "sampling.tools": {"sampling": {"tools": {}}},
    "roots": {"roots": {}},
}
"""What a client would have to declare for each capability."""


def client_capabilities(declared: Mapping[str, JSON]) -> frozenset[str]:
    """Return the capabilities that a client's capabilities amount to."""
    found = {name for name, required in REQUIRED.items() if includes(declared, required)}
    # "an empty capabilities object is equivalent to declaring support for form mode only"  -- Elicitation, Capabilities
    if declared.get("elicitation") == {}:
        found.add("elicitation.form")
    return frozenset(found)


def capability_needed(input_request: InputRequest) -> str:
    """Return the capability that an input request needs."""
    match input_request.method:
        case "elicitation/create":
            return "elicitation.url" if input_request.params.get("mode") == "url" else "elicitation.form"
        case "sampling/createMessage":
            return "sampling.tools" if input_request.params.keys() & {"tools", "toolChoice"} else "sampling"
        case _:
            return "roots"


def includes(declared: JSON, required: Mapping[str, JSON]) -> bool:
    """Tell whether a client's capabilities have all that is required, and perhaps more."""
    return isinstance(declared, Mapping) and all(
        isinstance(declared.get(name), Mapping) and includes(declared[name], inner) for name, inner in required.items()
    )
