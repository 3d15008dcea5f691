"""What of the simulator belongs to a release: its functions on what all processes share, and the tools that it serves.

These modules import nothing of the tests: a copy of them stands beside the code of an older release, and is bound to
that (`releases`).  What goes in and out is plain data, since two releases share no classes.
"""
