"""How likely it is that a story has something, and how much of it."""

MOVES = (30, 120)
"""How many moves a story has, at least and at most, before it runs until idle."""

RATES, RACES = (0.02, 0.1, 0.1, 0.25), 0.3
"""How likely a fault is at a call, and a race in stories that have nothing else."""

ZEAL = (0.3, 1, 1, 3)
"""How much more or less the actors of a kind do than is usual."""

OF_NEAR, NEAR, IMPATIENT = 0.4, 0.8, 0.3
"""How many stories have others prefer the task that a suspended call is about, how often they choose it then, and how
often they break off what somebody has begun."""

OF_SLOW, SLOW = 0.15, 0.6
"""How many operations are slow in such a story, and how often each is."""
