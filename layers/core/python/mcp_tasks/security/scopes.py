"""OAuth scopes: which texts are one."""

import re
from typing import Final

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
