"""A simulator: one seed is one story of clients, workers, the stream, the sweep and time, with faults at every call.

The code under test is the real one: service, wire of both revisions, runner, suspension, reconciler.  It runs on memory
adapters, or on those of AWS and a table in memory (`tests/dynamodb`): a release alone, or beside one before it.  Then
each process runs the code of either, while deploys, canaries and rollbacks move the alias.
All chance comes from the seed, so that it repeats the same story, with the same trace byte for byte.

- an actor is a class in `actors` with `weights` and `moves()`, made in `story`, or in `actors.clients`
- a fault of a call is an entry in `faults.FAULTS`; outages, late reads and lost answers are drawn apart
- what can happen is listed in `kinds`: a run of many stories fails if some of it never did
- a law is a module of `laws`, which gives `World.demand` what must hold
- a bug that has to be found is an entry in `planted.PLANTED`
- a release before is a commit in `releases.COMMITS`; what is bound to each release is in `deployed`
"""
