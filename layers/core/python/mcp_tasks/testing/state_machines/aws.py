"""AWS as code finds it that a state machine runs in this process: moto's; all other code reaches what it names."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from typing import Any

import botocore
from botocore.config import Config
from botocore.handlers import BUILTIN_HANDLERS
from botocore.session import get_session

_inside: ContextVar[bool] = ContextVar("inside", default=False)


@contextmanager
def inside() -> Iterator[None]:
    """Let clients reach moto, in this thread; threads that the code starts are not in it."""
    token = _inside.set(True)
    try:
        yield
    finally:
        _inside.reset(token)


def install() -> None:
    """Have each session that is made from here on make clients that look where their caller is."""
    BUILTIN_HANDLERS.append(("before-send", _answer))
    # Whoever has no credentials of AWS needs none for moto.
    BUILTIN_HANDLERS.append(("choose-signer", _unsigned))


@cache
def client(service: str) -> Any:
    """Return a client that always reaches moto."""
    return make_client(service)


def make_client(service_name: str, *, config: Config | None = None, **_: Any) -> Any:
    """Make a client that always reaches moto, whatever the credentials and the endpoint."""
    made = get_session().create_client(
        service_name, region_name="us-east-1", aws_access_key_id="moto", aws_secret_access_key="moto", config=config
    )
    made.meta.events.register_first("before-send", _moto())
    return made


def _answer(**request: Any) -> Any:
    return _moto()(**request) if _inside.get() else None


def _unsigned(**_: Any) -> Any:
    return botocore.UNSIGNED if _inside.get() else None


@cache
def _moto() -> Any:
    # Imported here, since it takes seconds, and `install` is called when a process starts.
    from moto.core.botocore_stubber import BotocoreStubber

    stubber = BotocoreStubber()
    stubber.enabled = True
    return stubber
