"""OAuth scopes: which texts are one, which a stage asks for, and which a caller lacks."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from itertools import chain
from typing import Final, Self

from mcp_tasks.records import record
from mcp_tasks.security.tenancy import Caller

INSUFFICIENT_SCOPE: Final = -31051
"""The JSON-RPC error code for a caller without the scopes: outside of the reserved range, as 2026-07-28 asks for."""

SCOPE_TOKEN: Final = re.compile(r"[\x21\x23-\x5b\x5d-\x7e]+")
"""What a scope is written with, so that a challenge can quote it: `%x21 / %x23-5B / %x5D-7E`.  -- RFC 6749, 3.3"""


def check_scopes(owner: str, scopes: object) -> None:
    """Raise `TypeError` or `ValueError` unless these are scopes, each of them once."""
    # A string is a sequence too, of its characters, each of which would be a scope.
    if isinstance(scopes, str) or not isinstance(scopes, list | tuple):
        raise TypeError(f'{owner}: scopes is a list of OAuth scopes, such as ["reports:write"], not {scopes!r}')
    for each in scopes:
        if not isinstance(each, str):
            raise TypeError(f"{owner}: a scope is a text, not {each!r}")
        if not SCOPE_TOKEN.fullmatch(each):
            raise ValueError(
                f"{owner}: {each!r} is no scope: write it without spaces, quotes or backslashes, in printable ASCII"
            )
        if scopes.count(each) > 1:
            raise ValueError(f"{owner}: the scope {each!r} is listed twice")


@record
class StageScopes:
    """The scopes that every request of a kind needs in a stage, beside those of the tool or the resource.

    `call` is for calls of tools, `read` for resources and tasks, `cancel` for cancelling a task and `answer` for
    answering its input requests.
    """

    call: Sequence[str] = ()
    read: Sequence[str] = ()
    cancel: Sequence[str] = ()
    answer: Sequence[str] = ()

    def __post_init__(self) -> None:
        """Raise `TypeError` or `ValueError` for what is no scope."""
        for kind in fields(self):
            check_scopes(f"required_scopes: {kind.name}", getattr(self, kind.name))

    @classmethod
    def of(cls, given: Mapping[str, Sequence[str]]) -> Self:
        """Return the scopes of a stage's setting; raises `ValueError` for an unknown kind, or for what is no scope."""
        kinds = [kind.name for kind in fields(cls)]
        for unknown in given.keys() - set(kinds):
            raise ValueError(f"required_scopes has {unknown!r}: requests are of the kinds {', '.join(kinds)}")
        return cls(**given)


def united(*scopes: Iterable[str]) -> tuple[str, ...]:
    """Return scopes of several sources, each once."""
    return tuple(dict.fromkeys(chain(*scopes)))


def lacks(caller: Caller, needed: Iterable[str]) -> bool:
    """Return whether a caller lacks one of these scopes; nobody does where the server runs without authorization."""
    return caller.identified and not caller.scopes.issuperset(needed)
