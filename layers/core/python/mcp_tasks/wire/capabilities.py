"""Client capabilities, in both revisions: which input requests a client supports, and how to name a missing one."""

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
"""What a client has to declare for each capability, as `ClientCapabilities` of the schema."""


def client_capabilities(declared: Mapping[str, JSON]) -> frozenset[str]:
    """Return the names of the capabilities (keys of `REQUIRED`) that a client declared."""
    found = {name for name, required in REQUIRED.items() if includes(declared, required)}
    # "an empty capabilities object is equivalent to declaring support for form mode only"  -- Elicitation, Capabilities
    if declared.get("elicitation") == {}:
        found.add("elicitation.form")
    return frozenset(found)


def capability_needed(input_request: InputRequest) -> str:
    """Return the name of the capability that a client needs to answer an input request."""
    match input_request.method:
        case "elicitation/create":
            return "elicitation.url" if input_request.params.get("mode") == "url" else "elicitation.form"
        case "sampling/createMessage":
            return "sampling.tools" if input_request.params.keys() & {"tools", "toolChoice"} else "sampling"
        case _:
            return "roots"


def includes(declared: JSON, required: Mapping[str, JSON]) -> bool:
    """Return whether the declared capabilities include all that are required, at every depth."""
    return isinstance(declared, Mapping) and all(
        isinstance(declared.get(name), Mapping) and includes(declared[name], inner) for name, inner in required.items()
    )
