"""The body of a request is read as JSON that can also be written again, in little memory."""

import json
import tracemalloc
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from mcp_tasks.limits.requests import MAX_MESSAGE_DEPTH
from mcp_tasks.wire.json_body import NotJson, read

LARGE = 1_000_000


def plainly(body: bytes) -> Any:
    """Read JSON in the plain way, with no thought of what it costs; raises `ValueError`."""
    value = json.loads(body.decode(), parse_constant=_reject)
    json.dumps(value, ensure_ascii=False, allow_nan=False).encode()
    if depth(value) > MAX_MESSAGE_DEPTH:
        raise ValueError("too deep")
    return value


def _reject(constant: str) -> None:
    raise ValueError(constant)


def depth(value: Any) -> int:
    match value:
        case dict():
            return 1 + max(map(depth, value.values()), default=0)
        case list():
            return 1 + max(map(depth, value), default=0)
        case _:
            return 0


PIECES = [
    '"',
    "\\",
    '\\"',
    "\\\\",
    "[",
    "]",
    "{",
    "}",
    ":",
    ",",
    "a",
    "é",
    "\\ud83d",
    "\\uDE00",
    "\\u00e9",
    "1e999",
    "7",
]
pieces = st.lists(st.sampled_from(PIECES), max_size=12).map("".join)
documents = pieces | pieces.map('"{}"'.format) | pieces.map('["{}", "[["]'.format)


@settings(max_examples=500)
@given(documents)
@example(r'"\ud83d\\\ude00"')
@example(r'"\\ud83d"')
@example(r'"\\\ud83d"')
@example(r'"\ud83d\ud83d\ude00"')
@example(r'"\ud83d\ude00\ude00"')
@example(r'["\\", "["]')
@example("[" * MAX_MESSAGE_DEPTH + "]" * MAX_MESSAGE_DEPTH)
@example("[" * (MAX_MESSAGE_DEPTH + 1) + "]" * (MAX_MESSAGE_DEPTH + 1))
@example('["' + "[" * 200 + '"]')
@example('["\\"' + "[" * 200 + '"]')
@example('{"a": ' * MAX_MESSAGE_DEPTH + "1" + "}" * MAX_MESSAGE_DEPTH)
def test_what_is_read_is_what_the_plain_way_reads_and_nothing_else(document: str) -> None:
    body = document.encode()
    try:
        expected = plainly(body)
    except ValueError:
        with pytest.raises(NotJson):
            read(body)
    else:
        assert read(body) == expected


@pytest.mark.parametrize(
    ("body", "says"),
    [
        (b"", "not JSON: Expecting value"),
        (b"\xef\xbb\xbf" * 2 + b"1", "not JSON"),
        (b"1\xef\xbb\xbf", "not JSON"),
        (b"\xff", "not UTF-8"),
        ('"\ud800"'.encode(errors="surrogatepass"), "not UTF-8"),
        (rb'"\uD800"', "escapes a lone surrogate"),
        (rb'"\udfff"', "escapes a lone surrogate"),
        (b"NaN", "out of range"),
        (b"-1e309", "out of range"),
        (b"9" * 4301, "out of range"),
        (b"[" * 100_000, "more than 100 deep"),
        (b'{"a":' * 100_000, "more than 100 deep"),
        (b"[" + b"0," * 500_000 + b"0]", "more than 500,000 values"),
    ],
    ids=lambda value: repr(value)[:40],
)
def test_what_is_wrong_with_a_body_is_said(body: bytes, says: str) -> None:
    with pytest.raises(NotJson, match=says):
        read(body)


def rows() -> bytes:
    row = json.dumps({"id": 123456, "name": 'Ada \\ "Countess" of Lovelace', "born": 1815.12, "tags": ["x", "y"]})
    return b"[" + b",".join([row.encode()] * (LARGE // (len(row) + 1))) + b"]"


@pytest.mark.parametrize(
    ("body", "times"),
    [
        (b'"' + b"An honest line of text.\\n" * (LARGE // 25) + b'"', 4),
        (b'"' + rb"\"" * (LARGE // 2) + b'"', 4),
        (b'"' + "Zoë, 日本語; ".encode() * (LARGE // 18) + b'"', 4),
        (rows(), 12),
        (b"[" + b'"a",' * (LARGE // 4) + b"1]", 6),
        (b'["]' * (LARGE // 3), 30),
        (b'["["],' * (LARGE // 6), 30),
        (b"[" + b"{}," * (LARGE // 3) + b"1]", 30),
    ],
    ids=["text", "escapes", "unicode", "rows", "texts", "quotes", "brackets", "objects"],
)
def test_reading_a_large_body_takes_a_multiple_of_its_size_in_memory(body: bytes, times: int) -> None:
    tracemalloc.start()
    try:
        read(body)
    except NotJson:
        pass
    finally:
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()

    assert peak < times * len(body)
