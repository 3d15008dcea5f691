"""Adopters' code as the endpoint has it, in the same process: messages travel as JSON, and nothing else does."""

from mcp_tasks.features.listing import Features
from mcp_tasks.run_host.in_process import as_json
from mcp_tasks.run_inline.client import InlineClient
from mcp_tasks.run_inline.server import InlineServer
from tests.kit import FixedClock


def elsewhere(features: Features) -> InlineClient:
    """Return what makes works whose code is in these features."""
    return InlineClient(invoke=as_json(InlineServer(features=features, clock=FixedClock()).answer))
