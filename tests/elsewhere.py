"""Adopters' code as the endpoint has it, in the same process: messages travel as JSON, and nothing else does."""

import json
from collections.abc import Mapping

from mcp_tasks.features.listing import Features
from mcp_tasks.run_inline.client import InlineClient
from mcp_tasks.run_inline.server import InlineServer
from mcp_tasks.tasks.model import JSON
from tests.kit import FixedClock


def elsewhere(features: Features) -> InlineClient:
    """Return what makes works whose code is in these features."""
    server = InlineServer(features=features, clock=FixedClock())

    def invoke(message: Mapping[str, JSON]) -> JSON:
        return json.loads(json.dumps(server.answer(json.loads(json.dumps(message)))))

    return InlineClient(invoke=invoke)
