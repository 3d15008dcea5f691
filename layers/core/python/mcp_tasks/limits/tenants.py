"""What a tenant may have, and a task; a deployment sets most of it, and these are the defaults."""

from datetime import timedelta
from typing import Final

MAX_ACTIVE_TASKS: Final = 1_000
"""Live tasks of a tenant at a time: one tenant's loop does not take the account's Lambdas from all others."""

MAX_SUBJECT_SHARE: Final = 0.5
"""Of what its tenant has that one subject may use, unless a plan says otherwise: its loop does not stop colleagues."""

MAX_LEASED_REQUESTS: Final = 20
"""That a process takes from a bucket at once: one write for each of two buckets makes one in ten calls."""

MIN_LEASED_REQUESTS: Final = 5
"""The same of a small bucket, which is then asked more often."""

MAX_UNLEASED_REQUESTS: Final = 5
"""Of a subject that a process serves before it takes from the subject's bucket: many make no more."""

MAX_KNOWN_TENANTS: Final = 1_000
"""Whose plans and leases a process keeps: some MB at the most."""

MAX_RECENT_SESSIONS: Final = 100
"""Which a process keeps for some seconds: their clients' capabilities may take half a megabyte of memory each."""

LEAST_PER_SECOND: Final = 0.001
"""Of a rate: what is slower is better a number a day."""

MAX_OF_PLAN: Final = 10**12
"""The highest number in a plan: what is computed with it stays exact."""

MAX_RUNNING_TASKS: Final = 100
"""Tasks of a tenant that run at a time, a tenth of an account's 1,000 Lambdas; others wait for their turn."""

DEFAULT_TTL: Final = timedelta(hours=24)
"""How long a task is kept when neither its client nor its tool says: a user is back by then."""

MAX_TTL: Final = timedelta(days=7)
"""How long a task may be kept: it holds a place among the tenant's active tasks while it waits for its user."""

MAX_ARGUMENTS_BYTES: Final = 4_000_000
"""Of a call: Lambda takes 6 MB of request, in which the gateway's event escapes the body once more."""

MAX_MACHINE_ARGUMENTS_BYTES: Final = 200_000
"""Of a call whose tool has a state machine of its own: its arguments are handed on in 256 KiB of execution input."""

PAGE_SIZE: Final = 50
"""Entries on a page of a list: some tens of KB, which a model can read."""

MAX_LISTED_TASKS: Final = 20
"""Tasks that the `task_list` tool shows unless it is told how many: a model looks for its latest."""

MAX_TASKS_PER_LIST: Final = 100
"""Tasks that one call of `task_list` may ask for: some 30 KB, for a page that shows them to a person."""

REQUESTS_PER_SECOND: Final = 200
"""Of all tenants together, in a burst too: what the gateway lets through."""

MAX_API_KEYS: Final = 16
"""Of a stage, onto which tenants are hashed: of 16 neighbours of a flood, one has its key, and so shares its share."""

MAX_OWNER_KEY_BYTES: Final = 900
"""The key of every S3 object of the caller begins with it, and S3 allows 1,024 bytes; it is ASCII."""

MAX_TOKEN_AGE: Final = timedelta(hours=24)
"""From a token's `iat` to its `exp`: nobody asks the issuer whether it still stands by a token, so this is how long a
stolen one is good.  A day is the most that Cognito and Okta grant; Entra and Keycloak grant less."""

MAX_LISTED_TENANTS: Final = 20
"""On one page of an operator's: each costs a query, and a read unless its plan is known."""

MAX_LISTED_APPROVALS: Final = 20
"""On one page of an inbox: each has a form, and may have a text of pages."""

MAX_INBOX_SCANNED: Final = 200
"""Items read for one page of an inbox: those that the caller asked itself are left out of it."""

MAX_LINK_HOURS: Final = 24
"""For so long a link to an approval is good at most, and by default."""
