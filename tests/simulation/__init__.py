"""A simulator: one seed is one story of clients, workers, the stream, the sweep and time, with faults at every call.

The code under test is the real one: service, wire of both revisions, runner, suspension, reconciler.  It runs on memory
adapters, or on those of AWS and a table in memory (`tests/dynamodb`): a release alone, or beside one before it.  Then
each process runs the code of either, while deploys, canaries and rollbacks move the alias.
All chance comes from one `random.Random`, so that a seed repeats the same story, with the same trace byte for byte.

- an actor is a class with `weights` and `moves()`, made in `story`
- a fault is an entry in `faults.FAULTS`
- a law is a function in `laws`, which gives `World.demand` what must hold
- a bug that has to be found is an entry in `planted.PLANTED`
- a release before is a commit in `releases.COMMITS`; what is bound to each release is in `deployed`
"""
