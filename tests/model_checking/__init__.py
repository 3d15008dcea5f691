"""Model checking: every order of what may happen to one task, or to two that want one slot, with the real code.

A breadth-first search begins with an empty stage and makes each possible move: of a client, of Step Functions, of the
table's stream, of the sweep.  Each may also die after each of its writes, and what AWS promises at least once comes
twice.  Two stages that differ in ids and versions only are one state, so the search ends.  `stage.py` is what a state
is, `moves.py` what may happen, `laws.py` what has to hold, `search.py` the search.
"""
