"""Tells whether clients can compile a regular expression: they read it as ECMAScript with the flag `u`; pure.

Pydantic takes what Rust and Python compile.  Some TypeScript clients get no tool at all from a list in which one
pattern does not compile.  -- JSON Schema 2020-12, Core, 6.4
"""

import re
from typing import Final

# General categories by their short names: clients differ in the scripts that they know.
_CATEGORY: Final = r"\\[pP]\{(?:C[cfnos]?|L[lmotu]?|M[cen]?|N[dlo]?|P[cdefios]?|S[ckmo]?|Z[lps]?)\}"
_SET: Final = rf"(?:\\[dDwWsS]|{_CATEGORY})"
_ESCAPED: Final = (
    r"\\(?:[fnrtv^$\\.*+?()\[\]{}|/]|c[A-Za-z]|0(?![0-9])|x[0-9A-Fa-f]{2}"
    r"|u[0-9A-Fa-f]{4}|u\{(?:10|[0-9A-Fa-f])?[0-9A-Fa-f]{1,4}\})"
)
_MEMBER: Final = rf"(?:[^\\\[\]-]|\\-|{_ESCAPED})"
_TOKENS: Final = re.compile(
    r"(?P<assertion>[\^$]|\\[bB])|(?P<open>\((?:\?(?:[:=!]|<[=!]|<[A-Za-z_][A-Za-z0-9_]*>))?)|(?P<close>\))"
    r"|(?P<quantifier>(?:[*+?]|\{(?P<least>[0-9]+)(?:,(?P<most>[0-9]*))?\})\??)|(?P<either>\|)"
    rf"|(?P<atom>[^\\^$*+?()\[\]{{}}|]|{_SET}|{_ESCAPED}|\[\^?-?(?:{_MEMBER}-{_MEMBER}|{_MEMBER}|{_SET})*-?\])"
)
_RANGE: Final = re.compile(rf"({_MEMBER})-({_MEMBER})")
_LOOKAROUNDS: Final = ("(?=", "(?!", "(?<=", "(?<!")


def is_ecmascript(pattern: str) -> bool:
    """Return whether every client compiles the pattern; False also for rare ones that only some do."""
    groups: list[str] = []
    place, names, repeatable = 0, set[str](), False
    while place < len(pattern):
        token = _TOKENS.match(pattern, place)
        if token is None:
            return False
        place, text, kind = token.end(), token[0], token.lastgroup
        if not _is_right(token, groups, repeatable) or text in names:
            return False
        if kind == "open":
            groups.append(text)
            names |= {text} if text.endswith(">") else set()
        repeatable = kind == "atom" or (kind == "close" and groups.pop() not in _LOOKAROUNDS)
    return not groups


def _is_right(token: re.Match[str], groups: list[str], repeatable: bool) -> bool:
    match token.lastgroup:
        case "close":
            return bool(groups)
        case "quantifier":
            return repeatable and not (token["most"] and int(token["least"]) > int(token["most"]))
        case "atom" if token[0].startswith("["):
            return not any(len(first) == len(last) == 1 and first > last for first, last in _RANGE.findall(token[0]))
    return True
