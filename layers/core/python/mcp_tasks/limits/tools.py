"""What a tool may say: to its client, and of itself."""

from typing import Final

MAX_LINE_CHARACTERS: Final = 500
"""Of what people read at a glance: status and progress messages, and reasons for errors."""

MAX_ERROR_CHARACTERS: Final = 1_000
"""Of the text of an error that a tool raised: a model reads it, and it may quote anything."""

MAX_RESULT_CHARACTERS: Final = 2_500_000
"""Of a result as JSON: Lambda answers with 6 MB at most, and escaping JSON within JSON may double it."""

MAX_INLINED_CHARACTERS: Final = 64 * 1024
"""Of a schema as JSON without `$defs`: beyond that, what types have in common is written once, and referred to."""

MAX_STEP_CHARACTERS: Final = 4_000_000
"""Of what a step returns, as JSON: it is sent to the function that records it, and Lambda takes 6 MB."""

MAX_STEP_NAME_CHARACTERS: Final = 10_000
"""Of the name of a step: it may hold what the step works on."""

MAX_LOADED_CHARACTERS: Final = 500_000
"""Of steps, and of responses, that a run is given when it begins; for each of the others it asks when it needs it."""

MAX_RUN_CHARACTERS: Final = 64
"""Of the name that a run gives itself: it is kept with its task, and is in its ticket."""

MAX_VERSION_CHARACTERS: Final = 64
"""Of a version that an author gives to a tool: it is kept with each task, and said in an error."""

MAX_INPUT_REQUESTS: Final = 50
"""Open at once: as many may be answered in one write, of which DynamoDB makes no more than 100 actions."""

MAX_INPUT_REQUESTS_CHARACTERS: Final = 100_000
"""Of all that are open at once, as JSON: they are kept with the task, and read with it."""

MAX_APPROVALS: Final = 10
"""Of the input requests that are open at once, those for others to answer: each is two or three actions of a write."""

MAX_QUORUM: Final = 10
"""People who must accept, each of whom is kept with the answer."""

MAX_ACCEPTED_CHARACTERS: Final = 100_000
"""Of all that people accepted of one approval, as JSON: their forms are kept beside it until as many agree."""

MAX_REMINDERS: Final = 20
"""Of one approval: whoever was told so often knows."""

MAX_SHOWN_CHARACTERS: Final = 20_000
"""Of what a tool shows to those who decide: more is not read before a decision."""

MAX_AUDIENCE_BYTES: Final = 512
"""Of a role or a subject as it stands in a key, of which DynamoDB takes 1,024."""

MAX_REQUESTED_CHARACTERS: Final = 100_000
"""Of the keys of all input requests that a task ever made, as JSON: they are kept with it beside those that are open,
and its item must never be too large for its outcome to be written."""

MAX_ASKED_AGAIN: Final = 10
"""Times that an input request is made again, since the answer does not fit the tool's code of today: a form that is
another one in each run would be asked for ever."""

MAX_ELICITATION_ID_CHARACTERS: Final = 256
"""Of the id that an author gives to a URL elicitation."""

MAX_NOTIFICATIONS: Final = 100
"""Of one call that is answered at once: they all arrive together, so only the last of them mean anything."""

MAX_INTEGER: Final = 2**53
"""Of a whole number that a run sends, either way from 0: up to there every client reads it exactly."""

MAX_MESSAGES: Final = 50_000
"""Messages that the runs of a task send their host at once: ten a second for 14 minutes are 8,400, and a run may be
repeated five times."""

MESSAGES_PER_SECOND: Final = 20
"""Messages that the runs of a task may send beside those: twice what a loop sends that reports every 100 ms."""

MESSAGE_BYTES: Final = 20_000
"""Characters of a message, as JSON, that count as one message more: that is 1 GB at once, and 400 KB a second."""

MAX_LEASED_MESSAGES: Final = 1_000
"""Messages of a task that a process serves before it takes from the task's bucket, and then takes at once: most tasks
send fewer, and cost no write."""
