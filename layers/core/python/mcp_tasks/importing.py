"""Imports that the garbage collector does not look through, neither meanwhile nor ever after."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def uncollected() -> Iterator[None]:
    """Collect nothing while large libraries are imported, and leave what they made out of all later collections.

    It stays as long as the process, and to look through it again and again takes a twelfth of a cold start.
    """
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
        gc.freeze()
    finally:
        if collecting:
            gc.enable()
