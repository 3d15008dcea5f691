"""Resources."""

from mcp_tasks import resource
from tests.conformance.samples import PNG


@resource("test://static-text", mime_type="text/plain")
def static_text() -> str:
    """Return text."""
    return "This is the content of the static text resource."


@resource("test://static-binary", mime_type="image/png")
def static_binary() -> bytes:
    """Return bytes."""
    return PNG


@resource("test://watched-resource", mime_type="text/plain", subscribable=True)
def watched_resource() -> str:
    """Return what may change."""
    return "Watched resource content"


@resource("test://template/{id}/data", mime_type="application/json")
def template(id: str) -> dict[str, object]:
    """Return what the address says."""
    return {"id": id, "templateTest": True, "data": f"Data for ID: {id}"}


RESOURCES = [static_text, static_binary, watched_resource, template]
