"""How likely it is that a story has something, and how much of it."""

from datetime import timedelta

MOVES = (30, 120)
"""How many moves a story has, at least and at most, before it runs until idle."""

MOST_MOVES = 600
"""After so many, those of others meanwhile included, nobody acts any more while a call is suspended."""

RATES, RACES = (0.02, 0.1, 0.1, 0.25), 0.3
"""How likely a fault is at a call, and a race in stories that have nothing else."""

ZEAL = (0.3, 1, 1, 3)
"""How much more or less the actors of a kind do than is usual."""

OF_OTHERS, OF_OUTAGES = 0.4, 0.3
"""How many stories have tasks that ask others than their caller, and outages of the executor."""

OF_LATE_READS, OF_DEEP = 0.5, 0.5
"""How many have late reads, and faults within the store's methods."""

OF_ERASED, OF_REJECTED = 0.2, 0.5
"""How many have a tenant that is erased, and names of ended executions that are rejected."""

OF_ODD, OF_EVEN, OF_LARGE = 0.3, 0.3, 0.3
"""How many have odd tools, faults at rare calls as often as at frequent ones, and values too large for an item."""

EVEN = 0.5
"""How likely a fault is then at the first call of an operation; at the second it is half as likely, and so on."""

LATE = 0.9
"""How often a read is late that need not be consistent, or one of the index, soon after a write."""

OF_NEAR, NEAR, IMPATIENT = 0.4, 0.8, 0.3
"""How many stories have others prefer the task that a suspended call is about, how often they choose it then, and how
often they break off what somebody has begun."""

OF_SLOW, SLOW = 0.15, 0.6
"""How many operations are slow in such a story, and how often each is."""

OF_REPEATS, TIMES = 0.3, (1, 2, 7)
"""How many stories repeat some things many times, and how many times."""

OF_ONE_NAME, OF_BRINKS = 0.3, 0.4
"""How many stories have runs of one name, and time that passes to where something ends."""

OF_BUSY, BUSY_SWEEPS = 0.3, 2
"""How many stories have sweeps that fail at one task, and how many sweeps that is."""

OF_LOADED, LOADED = 0.3, 40
"""How many stories have runs that load only some of what steps and input requests have recorded, and how many
characters of it."""

OF_SKEWED, SKEW = 0.3, timedelta(seconds=1)
"""How many stories have processes whose clocks differ, and by how much at the most."""

OF_STUBBORN = 0.2
"""How many stories have clients that answer badly in the end, whatever they are asked."""

OF_FICKLE, CHANGES = 0.5, 0.3
"""How many stories have clients of 2026-07-28 that change answers, and how often they do each thing of that kind."""

OF_SLEEPS, OF_ENDS = 0.4, 0.7
"""How many stories have tools that sleep more than once, and how often what a run of them sent late is what it ended
with."""

OF_SEEN, SEES = 0.6, 0.3
"""How many stories have clients of 2025-11-25 that look whether they are sent what they are to be asked: in the end,
and so often after a move while there is something."""

FOLLOWS, LEAVES, RESPONDS = 0.6, 0.25, 0.8
"""How often they follow a task before that which asks them something, give up to follow one, and answer one."""

OF_TELLING = 0.5
"""How many stories have a tool that says how far it is each time before it asks."""

OF_ESCALATES = 0.3
"""How many stories have approvals that escalate."""

OF_JOINS = 0.3
"""How many stories have calls that join the task of an earlier one."""

OF_WORKS, RENEWALS = 0.3, (0, 1, 20, 20)
"""How many stories have runs that renew their leases before they die, and how often those do: 20 times is longer than
their work may last."""

OF_HANDLES = 0.3
"""How many stories have models that know of tasks by the built-in tools alone."""

OF_STEALS = 0.3
"""How many stories have clients that try what is another owner's."""

PRIES = 0.2
"""How often a client that listens does so for somebody else's task as well."""

OF_AWAY, SECONDS_AWAY = 0.1, (45, 300)
"""How many stories have services of AWS that are away for long, alone or two at once, and for how long."""

OF_POISONS = 0.2
"""How many stories have records of the stream that cannot be read."""

SESSION_ENDS = 0.2
"""How often a client may end its session at all, so that streams live for some time."""
