"""How often tasks are polled, and how long connections are held; `tasks/pace.py` applies it, DESIGN has the costs."""

from datetime import timedelta
from typing import Final

MAX_SHARE: Final = 0.05
"""Of the time waited, which a poll interval may be: an update is late by no more."""

MIN_INTERVAL: Final = timedelta(milliseconds=500)
"""Between two polls at the least: the share of ten seconds."""

MAX_EARLY_INTERVAL: Final = timedelta(seconds=30)
"""Between two polls at most, in the first two hours, whatever is known of the task."""

EARLY_WAIT: Final = timedelta(hours=2)
"""While it lasts, `MAX_EARLY_INTERVAL` holds: whoever waits may still be there."""

MAX_INTERVAL: Final = timedelta(hours=1)
"""Between two polls at most, however long the wait is."""

LAST_POLL: Final = timedelta(minutes=2)
"""Before a task expires, when each client that waits polls: the outcome is there by then."""

HOLD_UNTIL_AGE: Final = timedelta(seconds=50)
"""Up to which age of a task of which nothing is known `await_task` holds a connection: from then on a poll in each 5 %
of its age is cheaper.  `tests/cost/waits.py` has the arithmetic, and a test compares."""

CALLS_HOLD_UNTIL_AGE: Final = timedelta(seconds=7)
"""The same for what `serve_mcp` holds, with eight times the memory."""

HOLD_IF_WITHIN: Final = timedelta(seconds=2)
"""If the end is expected sooner, the connection is held: a poll costs more than two seconds of holding."""

HOLD_MARGIN: Final = timedelta(seconds=10)
"""How far from the expected end a connection is held, at most: before it, and after it."""

MIN_PROGRESS: Final = 0.01
"""Of the work, from which on the time that the rest takes is estimated from its progress."""

MAX_EXTRA_POLLS: Final = 30
"""So many polls more than a wait usually takes, and backoff counts from its start, not from the task's last phase.

The Python client fails by recursion after some 700 polls, and a task may be resumed any number of times."""

DEBOUNCE: Final = timedelta(seconds=1)
"""How long the first held poll collects updates before it sends them; each further one a tenth longer."""

KEEPALIVE_INTERVAL: Final = timedelta(seconds=40)
"""Between two notifications to a client that asked for progress: the TypeScript SDK gives up after 60 s of silence, and
what is due arrives within 45, a slow start of the function included."""

MIN_LISTENING_RETRY: Final = timedelta(seconds=5)
"""After which a client that listens comes again, while it has lately been sent something."""

MAX_LISTENING_SHARE: Final = 0.1
"""Of the time for which nothing has come, by which what comes for a listener may be late."""

MAX_LISTENING_RETRY: Final = timedelta(seconds=90)
"""By which it may be late at most: an hour of listening is 40 requests then."""

SHORTEST_DURATION: Final = timedelta(milliseconds=250)
"""Of the tasks of a tool that are told from shorter ones."""

MIN_MEASURED: Final = 20
"""So many tasks of a tool, of late, say how long its next one takes: of fewer, the 5th percentile is the shortest."""

BETWEEN_MEASURES: Final = timedelta(minutes=1)
"""Between two writes of how long a tool took, by one process, and for how long one is believed that was read."""

MEASURES_KEPT: Final = timedelta(days=30)
"""After the last task of a tool: one that is called once a month says nothing of its next call."""

MAX_MEASURED_TOOLS: Final = 2_000
"""Of all tenants, of which a process remembers anything."""

MAX_REMEMBERED: Final = 400
"""So many tasks count for how long a tool takes; beyond it all counts are halved, so that a change is soon noticed."""
