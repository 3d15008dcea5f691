"""All that there is for the protocol tests."""

from mcp_tasks.features.listing import Features
from tests.protocol import errands, inquiries, library, parcels, questions

ALL = Features.of(
    [*errands.TOOLS, *library.TOOLS, *questions.TOOLS, *parcels.TOOLS, *inquiries.TOOLS],
    [*library.PROMPTS, *questions.PROMPTS],
    [*library.RESOURCES, *questions.RESOURCES],
)
