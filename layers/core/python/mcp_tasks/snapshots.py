"""What a process renews when Lambda restores it from a snapshot, with which many processes begin (SnapStart).

It is generators of random numbers.  Nothing else has to be renewed: ids and secrets come from the operating system when
they are needed, ages are measured by the wall clock, and until the first event there is no thread, and no connection
but the one by which botocore asks for its credentials, which it opens again.
"""

import os
import random
import ssl

SEED_BYTES = 48


def renew_after_restore() -> None:
    """Have Lambda renew each process that it restores; where nothing restores any, do nothing."""
    try:
        # A part of Lambda's runtime for Python, and of nothing else that is imported here.
        from snapshot_restore_py import register_after_restore
    except ImportError:
        return
    register_after_restore(_renew)


def _renew() -> None:
    # The jitter of waits and retries.
    random.seed()
    # OpenSSL may have seeded itself when a client was made, and keeps what it has for up to an hour.
    ssl.RAND_add(os.urandom(SEED_BYTES), SEED_BYTES)
