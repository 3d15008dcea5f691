"""All that there is for the protocol tests."""

from mcp_tasks.features.listing import Features
from tests.protocol import errands, input_requests, inquiries, library, parcels

ALL = Features.of(
    [*errands.TOOLS, *library.TOOLS, *input_requests.TOOLS, *parcels.TOOLS, *inquiries.TOOLS],
    [*library.PROMPTS, *input_requests.PROMPTS],
    [*library.RESOURCES, *input_requests.RESOURCES],
)
