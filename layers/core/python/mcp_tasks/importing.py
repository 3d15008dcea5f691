"""Imports of large libraries without garbage collection."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def uncollected() -> Iterator[None]:
    """Disable garbage collection during imports, and exempt the objects that they create from later collections.

    These live as long as the process, and traversing them again and again takes a twelfth of a cold start.
    """
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
        gc.freeze()
    finally:
        if collecting:
            gc.enable()
