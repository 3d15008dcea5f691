"""The body of a request as JSON, read in time and memory that grow no faster than the body.

What is accepted here can be written again: it has no half characters (lone surrogates), no NaN and no infinity, and is
nested so little that nothing that walks through it runs out of stack.
"""

import json
import re
from itertools import accumulate
from math import isfinite
from typing import Final, NoReturn

from mcp_tasks.limits.requests import MAX_MESSAGE_DEPTH, MAX_MESSAGE_VALUES
from mcp_tasks.tasks.model import JSON

NO_STRUCTURE: Final = bytes(set(range(256)) - set(b'"[]{},'))
STEPS: Final = bytes({ord("["): 1, ord("{"): 1, ord("]"): 255, ord("}"): 255}.get(byte, 0) for byte in range(256))
"""What each byte adds to the depth, as a signed byte."""

LONE_SURROGATE: Final = re.compile(rb"\\u[dD](?:[89abAB]..(?!\\u[dD][c-fC-F])|(?<!\\u[dD][89abAB]..\\u[dD])[c-fC-F])")
"""One escaped surrogate without the other.  Raw ones are not UTF-8."""


class NotJson(ValueError):
    """The body cannot be used; the message says why."""


def read(body: bytes) -> JSON:
    """Return what the body says; raises `NotJson`."""
    _check(body)
    try:
        return DECODER.decode(body.decode())
    except json.JSONDecodeError as error:
        raise NotJson(f"The body is not JSON: {error}.") from error
    except UnicodeDecodeError as error:
        raise NotJson("The body is not UTF-8.") from error
    except ValueError as error:
        raise NotJson("The body is not JSON: it holds a number that is out of range.") from error


def _check(body: bytes) -> None:
    """Refuse what the decoder would take; what is no JSON at all is left to the decoder to describe."""
    # Escaped backslashes and quotes make way, so that each backslash and quote left means what it looks like.
    plain = body.replace(rb"\\", b"__").replace(rb"\"", b"__")
    if LONE_SURROGATE.search(plain):
        raise NotJson("The body escapes half a character: a surrogate without its pair.")
    structure = _structure(plain)
    if len(structure) - structure.count(b"]") - structure.count(b"}") > MAX_MESSAGE_VALUES:
        raise NotJson(f"The body holds more than {MAX_MESSAGE_VALUES:,} values.")
    # Counted without the recursion that a deep body would exhaust.
    if max(accumulate(memoryview(structure.translate(STEPS)).cast("b")), default=0) > MAX_MESSAGE_DEPTH:
        raise NotJson(f"The body is nested more than {MAX_MESSAGE_DEPTH} deep.")


def _structure(plain: bytes) -> bytes:
    """Return the brackets and commas that stand outside of strings.

    Without a regular expression, which would make an object of each string.  Two quotes side by side enclose nothing
    that counts, so most strings are gone before the split.
    """
    marks = plain.translate(None, delete=NO_STRUCTURE).replace(b'""', b"")
    return b"".join(marks.split(b'"')[::2])


def _finite(text: str) -> float:
    number = float(text)
    if not isfinite(number):
        raise ValueError("infinite")
    return number


def _reject(constant: str) -> NoReturn:
    raise ValueError(constant)


DECODER: Final = json.JSONDecoder(parse_float=_finite, parse_constant=_reject)
