"""How soon it is worth looking at a task again; `tasks/pace.py` applies it, DESIGN says what each costs."""

from datetime import timedelta
from typing import Final

MAX_SHARE: Final = 0.05
"""Of the time waited, by which the news may be late."""

MIN_INTERVAL: Final = timedelta(milliseconds=500)
"""By which the news may be late in any case: the share of ten seconds."""

MAX_EARLY_INTERVAL: Final = timedelta(seconds=30)
"""By which the news may be late in the first two hours, whatever is known of the task."""

EARLY_WAIT: Final = timedelta(hours=2)
"""While it lasts, `MAX_EARLY_INTERVAL` holds: whoever waits may still be there."""

MAX_INTERVAL: Final = timedelta(hours=1)
"""Between two looks, however long the wait is."""

LAST_POLL: Final = timedelta(minutes=2)
"""Before a task expires, when each that waits looks: the outcome is there by then."""

HOLD_UNTIL_AGE: Final = timedelta(seconds=50)
"""Up to which age a task of which nothing is known is held for by `await_task`: from then on a look in each 5 % of its
age is cheaper.  `tests/cost/waits.py` has the arithmetic, and a test compares."""

CALLS_HOLD_UNTIL_AGE: Final = timedelta(seconds=7)
"""The same for what `serve_mcp` holds, with eight times the memory."""

HOLD_IF_WITHIN: Final = timedelta(seconds=2)
"""What is expected sooner is held for: a look costs more than two seconds of holding."""

HOLD_MARGIN: Final = timedelta(seconds=10)
"""How far from the expected end a connection is held, at most: before it, and after it."""

MIN_PROGRESS: Final = 0.01
"""Of the work, from which on its progress says how long the rest takes."""

MAX_EXTRA_POLLS: Final = 30
"""So many more than a wait usually takes, and it keeps to the share of the whole wait, not of the task's last phase.

The Python client fails by recursion after some 700 looks, and a task may be resumed any number of times."""

DEBOUNCE: Final = timedelta(seconds=1)
"""How long the first look that is held collects updates before it sends them; each further one a tenth longer."""

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
