"""Parses the body of a request as JSON, in time and memory linear in its size.

An accepted value can be serialized again, since it holds no lone surrogates, no NaN and no infinity, and its depth is
limited so that recursive code does not exhaust the stack.
"""

import json
import re
from codecs import BOM_UTF8
from itertools import accumulate
from math import isfinite
from typing import Final, NoReturn

from mcp_tasks.limits.requests import MAX_MESSAGE_DEPTH, MAX_MESSAGE_VALUES
from mcp_tasks.tasks.model import JSON

NO_STRUCTURE: Final = bytes(set(range(256)) - set(b'"[]{},'))
STEPS: Final = bytes({ord("["): 1, ord("{"): 1, ord("]"): 255, ord("}"): 255}.get(byte, 0) for byte in range(256))
"""What each byte adds to the nesting depth, as a signed byte (255 is -1)."""

LONE_SURROGATE: Final = re.compile(rb"\\u[dD](?:[89abAB]..(?!\\u[dD][c-fC-F])|(?<!\\u[dD][89abAB]..\\u[dD])[c-fC-F])")
"""An escaped surrogate without its pair.  Unescaped ones are no valid UTF-8."""


class NotJson(ValueError):
    """The body is no JSON, or exceeds a limit; the message says which."""


def read(body: bytes) -> JSON:
    """Return the value of a JSON body; raises `NotJson`."""
    # RFC 8259 8.1: a byte order mark may be ignored.  Some clients on Windows begin with one.
    body = body.removeprefix(BOM_UTF8)
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
    """Reject what the decoder would accept; syntax errors are left to the decoder.  Raises `NotJson`."""
    # With escaped backslashes and quotes replaced, a backslash always begins an escape and a quote delimits a string.
    plain = body.replace(rb"\\", b"__").replace(rb"\"", b"__")
    if LONE_SURROGATE.search(plain):
        raise NotJson("The body escapes a lone surrogate, which is not valid text.")
    structure = _structure(plain)
    if len(structure) - structure.count(b"]") - structure.count(b"}") > MAX_MESSAGE_VALUES:
        raise NotJson(f"The body holds more than {MAX_MESSAGE_VALUES:,} values.")
    # Without recursion, which a deep body would exhaust.
    if max(accumulate(memoryview(structure.translate(STEPS)).cast("b")), default=0) > MAX_MESSAGE_DEPTH:
        raise NotJson(f"The body is nested more than {MAX_MESSAGE_DEPTH} deep.")


def _structure(plain: bytes) -> bytes:
    """Return the brackets and commas outside of strings.

    Without a regular expression, which would allocate an object for each string.  Two adjacent quotes enclose no
    structure, so most strings are removed before the split.
    """
    quoted = plain.translate(None, delete=NO_STRUCTURE).replace(b'""', b"")
    return b"".join(quoted.split(b'"')[::2])


def _finite(text: str) -> float:
    number = float(text)
    if not isfinite(number):
        raise ValueError("infinite")
    return number


def _reject(constant: str) -> NoReturn:
    raise ValueError(constant)


DECODER: Final = json.JSONDecoder(parse_float=_finite, parse_constant=_reject)
