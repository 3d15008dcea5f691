"""Every sample tool, prompt and resource of the protocol tests, as the features of one server."""

from mcp_tasks.features.listing import Features
from tests.protocol import call_input_tools, prompts_and_resources, sample_tools, schema_tools, task_input_tools

ALL = Features.of(
    [
        *sample_tools.TOOLS,
        *prompts_and_resources.TOOLS,
        *call_input_tools.TOOLS,
        *schema_tools.TOOLS,
        *task_input_tools.TOOLS,
    ],
    [*prompts_and_resources.PROMPTS, *call_input_tools.PROMPTS],
    [*prompts_and_resources.RESOURCES, *call_input_tools.RESOURCES],
)
