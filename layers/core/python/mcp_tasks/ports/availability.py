"""Failures of AWS that pass by themselves."""


class Unavailable(Exception):
    """AWS throttled a call, failed in it, or could not be reached: the same call may succeed later.

    State machines retry functions that raise it, by this name (`infra/retries.py`).
    """
