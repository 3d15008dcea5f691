"""What AWS sets and we stay below."""

from datetime import timedelta
from typing import Final

GATEWAY_TIMEOUT: Final = timedelta(seconds=29)
"""After which API Gateway closes a connection."""

LONGEST_HOLD: Final = GATEWAY_TIMEOUT - timedelta(seconds=2)
"""From when the gateway took a request to when a waiting client is answered: the rest is for the response to travel."""

LONGEST_REQUEST: Final = GATEWAY_TIMEOUT - timedelta(seconds=1)
"""From when the gateway took a request to when it is given up, and answered with an error."""

LONGEST_WAY: Final = timedelta(seconds=20)
"""From when the gateway took a request to when its function begins: the authorizer has 10 s, a cold start as many."""

LAST_ATTEMPT: Final = timedelta(seconds=4)
"""How long before the end of a request AWS is called again for the last time: a throttled call takes up to 3 s."""

MAX_HEADERS_BYTES: Final = 10_240
"""API Gateway's, on the values of all headers of a request."""

MAX_BODY_BYTES: Final = 6 * 1024 * 1024
"""Lambda's, on what a function is given."""

MAX_DECOMPRESSED_BYTES: Final = 10 * 1024 * 1024
"""API Gateway's, on a body that came compressed."""

MAX_SORT_KEY_BYTES: Final = 1_024
"""DynamoDB's."""

MAX_INLINE_CHARACTERS: Final = 12_000
"""Of JSON in an item, at one write unit a KB: 12 KB with its keys.  An S3 object costs what 12 units do, put and read
once, with the time that both take (DESIGN.md, decision 80)."""

MAX_TAG_CHARACTERS: Final = 256
"""Of the value of a tag: STS's, and Lambda's of a tenant's id."""

MAX_CAUSE_CHARACTERS: Final = 32_768
"""Step Functions', on why an execution was stopped."""

MAX_STATE_MACHINE_NAME_CHARACTERS: Final = 80
"""Step Functions'."""

MAX_SWEPT: Final = 10_000
"""Live tasks checked in one sweep: more than there is time for at some 28 ms each, a read and a write."""

MAX_DESCRIBED: Final = 100
"""Due tasks up to which a sweep describes their executions one by one; where more are due it lists what runs first."""

MAX_LISTED: Final = 100_000
"""Running executions listed by one sweep: some 80 seconds of it, and 10 MB."""

MAX_LISTED_AT_ONCE: Final = 1_000
"""Step Functions', in one call of ListExecutions."""

BETWEEN_DESCRIPTIONS: Final = timedelta(milliseconds=200)
"""Between two calls of DescribeExecution, of which most regions allow an account 10 a second: half are for others."""

BETWEEN_LISTS: Final = timedelta(milliseconds=500)
"""Between two calls of ListExecutions, of which most regions allow 2 a second, and 100 that were saved up."""

MAX_PRESENTATION_BYTES: Final = 2_048
"""Of a server's title, description, website, icons and instructions: Lambda allows 4 KB of environment in all."""

MAX_PLANS_BYTES: Final = 768
"""Of the plans of a stage, as JSON: they are in the same 4 KB."""

MAX_OPERATORS_BYTES: Final = 256
"""Of a stage's operators, as JSON: they share the 4 KB of a function's variables."""

MAX_ISSUERS_BYTES: Final = 3_072
"""Of the issuers of a stage, as JSON: they are in the 4 KB of the authorizer."""

MAX_UNZIPPED_BYTES: Final = 250 * 1024 * 1024
"""Lambda's, on a function and all its layers."""

MAX_TOOLS_LAYER_BYTES: Final = MAX_UNZIPPED_BYTES - 40 * 1024 * 1024
"""The rest is for the core layer and the functions."""

LOGGED_AROUND: Final = timedelta(minutes=10)
"""How long before and after its task a record may have been written, by clocks that differ and logs that come late."""
