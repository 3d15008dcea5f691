"""Patterns that clients can compile: Node is asked, which reads them as TypeScript clients do."""

import json
import random
import subprocess

import pytest

from mcp_tasks.features.patterns import is_ecmascript

PIECES = [
    *"ab01^$.*+?()[]{}|-,:=!<>Pp\\\n",
    *("(?:", "(?=", "(?<!", "(?<n>", "[^", "[a-z]", "{1,2}", "{3,2}", "{,2}", "é", "😀"),
    *(r"\d", r"\w", r"\b", r"\A", r"\z", r"\-", r"\:", r"\/", r"\n", r"\1", r"\p{L}", r"\p{Greek}", r"\u{1F600}"),
]
COMPILE = """
const patterns = JSON.parse(require('fs').readFileSync(0))
const compiles = (pattern) => { try { return new RegExp(pattern, 'u') && true } catch { return false } }
console.log(JSON.stringify(patterns.map(compiles)))
"""


def compiles(patterns: list[str]) -> list[bool]:
    """Return which patterns Node compiles."""
    done = subprocess.run(
        ["node", "-e", COMPILE], input=json.dumps(patterns), capture_output=True, text=True, check=True
    )
    found: list[bool] = json.loads(done.stdout)
    return found


@pytest.mark.parametrize(
    "pattern",
    [
        *("", "a|b", r"^\d{3}-\d{4}$", r"^[^\s\\/]{1,64}$", r"[\w.-]+@[\w-]+", "(?:a)+?", "(?<year>[0-9]+)(?!x)"),
        *(r"\p{L}", "[a\\-z]", r"\u{1F600}", "(?<=a)b", r"\$\{x\}", r"[\]]"),
    ],
)
def test_a_pattern_that_all_clients_compile_is_kept(pattern: str) -> None:
    assert compiles([pattern]) == [True]
    assert is_ecmascript(pattern)


@pytest.mark.parametrize(
    "pattern",
    [
        *(r"(?i)^[a-z]+$", r"(?P<id>x)", r"\A..\z", r"a\-b", r"https\:", "[[:alpha:]]", r"\p{Greek}", "a{,3}", "x++"),
        *("(?>a)", "(?#c)a", "(?=a)*", "^*", "[z-a]", r"[\w-a]", "]", "}", "{", "(", ")", "(?<n>a)(?<n>b)", r"\00"),
    ],
)
def test_a_pattern_that_javascript_cannot_compile_is_found(pattern: str) -> None:
    assert compiles([pattern]) == [False]
    assert not is_ecmascript(pattern)


def test_no_pattern_that_is_kept_fails_in_javascript() -> None:
    chance = random.Random(20260128)
    patterns = ["".join(chance.choices(PIECES, k=chance.randrange(1, 9))) for _ in range(5_000)]
    compiled = compiles(patterns)

    assert [each for each, works in zip(patterns, compiled, strict=True) if is_ecmascript(each) and not works] == []
    kept = sum(map(is_ecmascript, patterns))
    assert kept > sum(compiled) * 0.9 > 300
