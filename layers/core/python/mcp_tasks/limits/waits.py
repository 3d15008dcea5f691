"""How long things wait, and how long they last."""

from datetime import timedelta
from typing import Final

# --- calls

MAX_HOLD: Final = timedelta(seconds=25)
"""How long an HTTP request is held open: less than the gateway's 29 seconds, authorizing and starting included."""

INLINE_WAIT: Final = timedelta(seconds=3)
"""How long a call that is no task waits for its tool.

Some hosts give up after 5 seconds; what is left is for the network, cold starts and the writes before the wait.
"""

LONGEST_RESULT_WAIT: Final = timedelta(seconds=20)
"""What the `wait_seconds` of the `task_result` tool may be: the gateway hangs up after 29."""

HANDLE_AFTER: Final = timedelta(milliseconds=500)
"""How long a call waits for a quick tool before it returns a task handle; that of a slow tool comes so much later."""

REQUEST_STATE_LIFETIME: Final = timedelta(hours=1)
"""Of a `requestState`, which is how long a user may take to answer before there is a task."""

# --- tasks

LONGEST_RUN: Final = timedelta(minutes=14)
"""What the default machine allows a tool: a Lambda lives 15 minutes, and the last one is for recording the outcome."""

RUN_TICKET_LIFETIME: Final = LONGEST_RUN + timedelta(minutes=3)
"""How long a run may reach its task: longer than a Lambda lives, by as much as two functions' clocks may differ."""

MAX_DIRECT_RUNS: Final = 3
"""Of a task without an execution: the first, and two more where nobody renews the lease of the one before."""

RUN_LEASE: Final = timedelta(minutes=1)
"""How long the lease of a run without an execution lasts after it was renewed. That of the last run, which no other
replaces, lasts until the run's time is over."""

BETWEEN_RENEWALS: Final = timedelta(seconds=20)
"""Between two renewals of such a lease: two may fail, each after retries of 30 seconds at the most."""

UNNOTICED: Final = timedelta(hours=1)
"""How long a task without an execution may wait for its runs, beside their own time: for events that Lambda delays or
loses, and for the sweeps that notice it."""

TENANT_SESSION: Final = timedelta(hours=1)
"""Of the credentials for what is a tenant's own: the longest that STS grants a role that takes another one."""

KEPT: Final = timedelta(minutes=5)
"""How long an outcome is kept at the least: the work must end this long before its task expires."""

POLL_INTERVAL: Final = timedelta(milliseconds=500)
"""How often clients should poll at first, unless the tool says otherwise."""

LONGEST_POLL_INTERVAL: Final = KEPT
"""What a tool may say instead: whoever polls more rarely may find that the task has expired, with its outcome."""

LONGEST_UNAVAILABLE: Final = timedelta(minutes=1)
"""For which a run sends its host a message again; then it ends, and is repeated. It holds a process meanwhile."""

LONGEST_HOST_BACKOFF: Final = timedelta(seconds=10)
"""Between two of these attempts."""

BETWEEN_REPORTS_UNAVAILABLE: Final = timedelta(seconds=30)
"""After a progress report that could not be sent: to fail may take half a minute, which the tool waits."""

BETWEEN_REPORTS: Final = timedelta(seconds=1)
"""Between two progress reports that are written: each is a write, and nobody reads faster."""

MIN_SURPRISE: Final = 0.5
"""Of the remaining time that was expected: a new expectation that differs by as much is written at once, one in the
time above, which is rare where a loop declares at each turn how long it still takes."""

BACKOFF: Final = timedelta(seconds=1)
"""Before a step is retried for the first time, unless the step says otherwise; twice as long each time that follows."""

LONGEST_BACKOFF: Final = timedelta(minutes=1)
"""Where the doubling ends."""

MAX_DOUBLINGS: Final = 16
"""Of the wait before a retry: more could not be added to a time."""

LONGEST_INLINE_BACKOFF: Final = timedelta(seconds=20)
"""Of all waits within one request, which is interrupted after 28 seconds."""

BETWEEN_REMINDERS: Final = timedelta(minutes=5)
"""Of an approval, at the least: they are found by sweeps, which come as often."""

BETWEEN_NOTICES: Final = timedelta(minutes=20)
"""Of an approval, that holders of its links ask for: at most three an hour, whoever has a link that was used."""

EXCHANGE_REPEATED: Final = timedelta(seconds=60)
"""How long a tab may exchange its link again: its answer was lost, or the button was clicked twice."""

DECIDED_KEPT: Final = timedelta(days=1)
"""How long those who come too late to a decision are told who made it, and when."""

MAX_WRITE_ATTEMPTS: Final = 60
"""Of one write: it is repeated when another write comes first, and `MAX_INPUT_REQUESTS` of them may come at once, with
one response each."""

MAX_TURNS_LOST: Final = 10
"""Of one attempt to start the next queued task: whoever took a turn instead makes the next attempt."""

MAX_SUBJECTS_ASKED: Final = 20
"""Of a tenant, whose turn it may be: those that run their share are passed over, with the usual share two at a time."""

MAX_STARTED_AT_ONCE: Final = 25
"""Queued tasks, when slots became free: each is a transaction and a call that starts its work."""

MAX_PLACE: Final = 200
"""Up to which a queued task is told its place, which is counted each time it is read."""

MAX_EARLIER_TOKENS: Final = 4
"""How many attempts to suspend a task may be late; Step Functions makes five at a time."""

# --- the reconciler

FIRST_CHECK: Final = timedelta(minutes=1)
"""From its creation, or its last response, to the first sweep that checks whether the task's execution runs."""

GRACE: Final = timedelta(minutes=1)
"""How long after its time the work may still record its outcome before the sweep finishes the task."""

BETWEEN_CHECKS: Final = timedelta(minutes=50)
"""Until a task is due for its next check.  With what passes until a sweep comes to it, the end of an execution whose
event was lost stays unknown for an hour at most."""

BETWEEN_CHECKS_RUNNING: Final = timedelta(minutes=4)
"""The same for work that holds a slot, so that each sweep checks it: others may wait for the slot.  A run takes 14
minutes at most, so that this is three checks more, of the few tasks that run at a time."""

LONGEST_SWEEP: Final = timedelta(seconds=210)
"""After which a sweep checks no further task; its function has four minutes, and starts every five."""

SHARDS_TRIED: Final = timedelta(minutes=1)
"""For which a sweep tries to read the parts of the index of live tasks that DynamoDB refuses, out of the time above."""

MAX_EVENT_AGE: Final = timedelta(minutes=5)
"""After which Lambda drops an event that was to start a run: by then, a sweep has sent another."""

BETWEEN_CHECKS_SUSPENDED: Final = timedelta(days=1)
"""The same for work that is suspended: a task is checked soon after it is answered, too."""

# --- plans

PLAN_FRESH: Final = timedelta(seconds=30)
"""How long a process caches a tenant's plan: a change of it holds everywhere within a minute."""

BETWEEN_LEASES: Final = timedelta(seconds=1)
"""Between two attempts of a process to take from an empty bucket, and the soonest that a client should retry."""

BURST_LASTS: Final = timedelta(seconds=10)
"""Of a plan's rate that may come at once, where the plan does not say: a host that starts lists everything."""

TASK_ENDS: Final = timedelta(seconds=10)
"""When a client that may not start a task should try again: nobody knows when one ends."""

ADMITTED_AGAIN: Final = timedelta(minutes=1)
"""When a client of a suspended tenant may try again: somebody has to change that first."""

AVAILABLE_AGAIN: Final = timedelta(seconds=5)
"""When a client may send a request again for which AWS had no capacity."""

WAIT_ENDS: Final = timedelta(seconds=5)
"""When a client whose connection is not held should ask again: a fifth of how long each is held."""

WAIT_WINDOW: Final = timedelta(seconds=30)
"""In which held waits are counted, by their beginnings: longer than any is held."""

KEPT_WINDOW: Final = timedelta(hours=1)
"""In which bytes are counted, by when their tasks expire: a week of them is read in one query."""

# --- what clients hold

IDEMPOTENCY_KEY_LIFETIME: Final = timedelta(hours=24)
"""How long a key gives a repeated call the same task: a client that lost its connection is back by then."""

SESSION_LIFETIME: Final = timedelta(hours=24)
"""After a session's last use, about: a laptop that sleeps overnight finds it again."""

SESSION_FRESH: Final = timedelta(seconds=5)
"""How long a process caches a session: so long after a DELETE, other processes may still serve it."""

UNINITIALIZED: Final = timedelta(minutes=10)
"""For how long at most a session is sent nothing unasked where no `notifications/initialized` comes: a process of the
release before does not note it."""

SUBSCRIPTION_LIFETIME: Final = timedelta(days=7)
"""Of a subscription that nobody ends: as long as a session is likely to be kept alive."""

CURSOR_LIFETIME: Final = timedelta(hours=24)
"""Of the place in a list that a client carries."""

EVENT_ID_LIFETIME: Final = timedelta(hours=24)
"""Of the place in a stream that a client carries: as long as its session."""

LATE_RESPONSES: Final = timedelta(days=1)
"""For so long after a task is gone, responses to its input requests are ignored, rather than rejected as forged."""

LISTS_FRESH: Final = timedelta(minutes=5)
"""How long a client may go without requesting a list again: it changes with a deployment only."""

DISCOVERY_FRESH: Final = timedelta(hours=1)
"""The same for `server/discover`."""

# --- records

CHANGE_LIFETIME: Final = timedelta(days=30)
"""Of the version of a resource: longer than any subscription, so that listeners can compare with it."""

KEY_LIFETIME: Final = timedelta(days=70)
"""Of a month's signing key: from the first day of a month beyond the end of the next, so that what it signed is good
for 39 days or more."""

KEYS_FRESH: Final = timedelta(minutes=1)
"""How long a process caches a signing key: so long after a rotation, all sign with the new one."""

KEYS_REREAD_AFTER: Final = timedelta(seconds=1)
"""The soonest that an unknown name makes a process read again which keys there are: anybody can make up names."""

RETIRED_KEY_LIFETIME: Final = timedelta(days=1)
"""How long a key is accepted after a rotation: as long as cursors, event ids and sessions last."""

LONGEST_SPAN: Final = timedelta(days=36_500)
"""Of a duration that is stored: nothing lasts so long, and what is longer could not be added to a time."""

TENANT_SEEN: Final = timedelta(days=1)
"""For how long a process that kept that there is a tenant does not do so again."""

COUNTER_LIFETIME: Final = timedelta(days=400)
"""Of a quota's counter after it last counted up: longer than any task lives."""

MARKER_LIFETIME: Final = timedelta(days=16)
"""As long as the record of a deletion may wait to be handled: a day in the stream, two weeks in a queue of failures."""

# --- tokens

TOKEN_LEEWAY: Final = timedelta(seconds=10)
"""By which the issuer's clock may differ from ours."""

CLOCK_SKEW: Final = timedelta(minutes=5)
"""By how much another process's clock may be ahead; it may sign with the key of the next month already."""

ISSUER_KEYS_FRESH: Final = timedelta(minutes=5)
"""How long the issuer's keys are cached without asking it again."""

ISSUER_KEYS_STALE: Final = timedelta(hours=1)
"""How long they are cached while the issuer does not answer."""

ISSUER_KEYS_FETCHED_WITHIN: Final = timedelta(seconds=3)
"""All in all: a request waits for it."""

ISSUER_KEYS_REFETCHED_AFTER: Final = timedelta(seconds=30)
"""The soonest that a token which names an unknown key makes them fetched again: anybody can make up such tokens."""

ISSUER_KEYS_FIRST_RETRY: Final = timedelta(seconds=2)
"""After a fetch that failed, and twice as long after each that follows, up to the time above."""

PREFLIGHT_SECONDS: Final = 7_200
"""How long a browser may remember the answer to a preflight: the longest that Chrome does."""
