"""Decodes headers that repeat the body, and compares Mcp-Param-* headers with the arguments of a tool."""

import base64
import binascii
import re
from collections.abc import Mapping

from mcp_tasks.authoring.header import header_arguments
from mcp_tasks.authoring.wording import quoted_name
from mcp_tasks.tasks.model import JSON
from mcp_tasks.wire.http import HttpRequest
from mcp_tasks.wire.jsonrpc import RpcError
from mcp_tasks.wire.rev_2026_07_28.errors import header_mismatch

SENTINEL = re.compile(r"=\?base64\?(.*)\?=", re.DOTALL)
HEADER_TEXT = re.compile(r"[ -~\t]*")
INTEGER = re.compile(r"(-?[0-9]{1,400})(\.0+)?")


def decoded(value: str) -> str | None:
    """Return the text that a header's value encodes, or None if the encoding is invalid.

    "=?base64?{Base64EncodedValue}?="  -- Streamable HTTP, Value Encoding
    """
    value = value.strip(" \t")
    if HEADER_TEXT.fullmatch(value) is None:
        return None
    wrapped = SENTINEL.fullmatch(value)
    if wrapped is None:
        return value
    try:
        return base64.b64decode(wrapped[1], validate=True).decode()
    except (binascii.Error, ValueError):
        return None


def argument_mismatch(
    request: HttpRequest, schema: Mapping[str, JSON], arguments: Mapping[str, JSON]
) -> RpcError | None:
    """Return the error if an Mcp-Param-* header is missing or differs from its argument, or None."""
    for name, path in header_arguments(schema).items():
        header, argument = request.headers.get(f"mcp-param-{name.lower()}"), _at(path, arguments)
        if header is None and argument is None:
            continue
        if header is None:
            return header_mismatch(f"The header Mcp-Param-{name} is missing; it repeats {'.'.join(path)}.")
        if not _same(decoded(header), argument):
            return header_mismatch(
                f"The header Mcp-Param-{name} is {quoted_name(header)}, "
                f"which differs from the argument {'.'.join(path)}."
            )
    return None


def _at(path: tuple[str, ...], arguments: JSON) -> JSON:
    for step in path:
        if not isinstance(arguments, dict):
            return None
        arguments = arguments.get(step)
    return arguments


def _same(header: str | None, argument: JSON) -> bool:
    if header is None:
        return False
    match argument:
        case bool():
            return header == str(argument).lower()
        case int() | float():
            # Compared by value: to JSON Schema 7 and 7.0 are the same number.
            written = INTEGER.fullmatch(header)
            return written is not None and int(written[1]) == argument
        case _:
            return bool(header == argument)
