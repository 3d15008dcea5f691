"""All that there is for the protocol tests."""

from mcp_tasks.features.listing import Features
from tests.protocol import input_requests, inquiries, library, parcels, sample_tools

ALL = Features.of(
    [*sample_tools.TOOLS, *library.TOOLS, *input_requests.TOOLS, *parcels.TOOLS, *inquiries.TOOLS],
    [*library.PROMPTS, *input_requests.PROMPTS],
    [*library.RESOURCES, *input_requests.RESOURCES],
)
