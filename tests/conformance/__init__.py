"""What the official conformance runner expects of a server: tools, prompts and resources by their exact names.

make serve TOOLS=tests.conformance
make stack TOOLS=tests.conformance

Beside them is what runs it: `make conformance`.
"""

from tests.conformance.input_requests import TOOLS as INPUT_REQUESTS
from tests.conformance.input_requests import test_input_required_result_prompt
from tests.conformance.plain import TOOLS as PLAIN
from tests.conformance.prompts import PROMPTS as PLAIN_PROMPTS
from tests.conformance.resources import RESOURCES
from tests.conformance.tasks import TOOLS as TASKS

__all__ = ["PROMPTS", "RESOURCES", "TOOLS"]

# The first one is called with nothing, to see whether the headers are right.
TOOLS = [*PLAIN, *INPUT_REQUESTS, *TASKS]
PROMPTS = [*PLAIN_PROMPTS, test_input_required_result_prompt]
