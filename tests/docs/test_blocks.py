"""Every block of code in the documents is at least read by the program that its language is for."""

import json
import re
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.docs.blocks import PAGES, ROOT, Block, blocks_of, programs, strays

# Diagrams, messages and records: nobody types or runs them.
NO_CODE = {"text", "mermaid"}
RUFF = (sys.executable, "-m", "ruff")
CHECK = (*RUFF, "check", "--quiet", "--output-format=concise")
FORMAT = (*RUFF, "format", "--quiet", "--diff")
LINTED = ("layers/", "infra/", "tests/")
"""The folders whose files `make lint` checks: what a reader copies there passes as it is."""
PROGRAMS = {"aws", "cd", "cdk", "claude", "copier", "curl", "git", "grep"}
PROGRAMS |= {"cut", "npm", "npx", "pip", "python", "python3", "rm", "uv"}
LOCK = "local/requirements/{}.lock"
MAKEFILE = (ROOT / "Makefile").read_text()
TARGETS = {
    target: re.findall(r"\[([A-Z_]+)=", described)
    for target, described in re.findall(r"^([a-z-]+):.*?##(.*)$", MAKEFILE, re.MULTILINE)
}


def wrong(block: Block) -> str:
    """Return what is wrong with a block, or nothing."""
    match block.language:
        case "python":
            return _unclean(block)
        case "js":
            return _rejected_by("node", "--input-type=module", "--check", "-", code=block.code)
        case "json" | "toml":
            return _unreadable(block)
        case "sh":
            return "\n".join(wrong for line in commands(block.code) if (wrong := _mistyped(line)))
        case language:
            return "" if language in NO_CODE else f"nothing reads {language or 'a block without a language'}"


def commands(code: str) -> Iterator[list[str]]:
    """Yield the words of each command of a block."""
    for line in code.replace("\\\n", "").splitlines():
        lexer = shlex.shlex(line, posix=True, punctuation_chars="&|;")
        lexer.whitespace_split = True
        words: list[str] = []
        for word in lexer:
            if set(word) <= set("&|;"):
                yield words
                words = []
            else:
                words.append(word)
        if words:
            yield words


def _mistyped(words: list[str]) -> str:
    program = Path(words[0]).name
    if program == "make":
        environments = [word for word in words[1:] if re.fullmatch(r"\.local/\w+/ready", word)]
        if unlocked := [each for each in environments if not (ROOT / LOCK.format(Path(each).parent.name)).exists()]:
            return f"no lock says what is in {', '.join(unlocked)}"
        target, *variables = [word for word in words[1:] if word not in environments] or ["help"]
        if target not in TARGETS:
            return f"there is no target {target}"
        unknown = {variable.split("=")[0] for variable in variables} - set(TARGETS[target])
        return f"make {target} takes no {', '.join(sorted(unknown))}" if unknown else ""
    if program.startswith("python") and words[1:2] == ["-m"] and words[2] not in ("venv", "pip", "pytest"):
        return "" if find_spec(words[2]) else f"there is no module {words[2]}"
    return "" if program in PROGRAMS else f"{program} is no program that these pages use"


def _unreadable(block: Block) -> str:
    try:
        json.loads(block.code) if block.language == "json" else tomllib.loads(block.code)
    except ValueError as error:
        return str(error)
    return ""


def _unclean(block: Block) -> str:
    if not block.file.startswith(LINTED):
        return _rejected_by(*CHECK, "--ignore=D,E402,T201", "-", code=block.code)
    place = (f"--stdin-filename={block.file}", "-")
    return _rejected_by(*CHECK, *place, code=block.code) + _rejected_by(*FORMAT, *place, code=block.code)


def _rejected_by(*command: str, code: str) -> str:
    done = subprocess.run(command, input=code, capture_output=True, text=True, cwd=ROOT)
    return done.stdout + done.stderr if done.returncode else ""


@pytest.mark.parametrize("block", programs(), ids=str)
def test_a_block_is_right(block: Block) -> None:
    assert not wrong(block)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_no_code_is_outside_of_a_block(page: Path) -> None:
    assert strays(page.read_text()) == []


@pytest.mark.parametrize(
    ("language", "code", "said"),
    [
        ("python", "import os\nprint(o)\n", "F821"),
        ("js", "const = 1\n", "SyntaxError"),
        ("json", "{'a': 1}\n", "Expecting property name"),
        ("toml", "a = \n", "Invalid value"),
        ("sh", "make tests\n", "no target tests"),
        ("sh", "make demo && make serve PROT=8000  # comment\n", "make serve takes no PROT"),
        ("sh", "make .local/client/ready .local/clint/ready\n", "no lock says what is in .local/clint/ready"),
        ("sh", "python -m local.prxy\n", "no module local.prxy"),
        ("sh", "podman run\n", "podman is no program"),
        ("", "anything\n", "a block without a language"),
        ("yaml", "a: 1\n", "nothing reads yaml"),
    ],
)
def test_a_wrong_block_is_found(language: str, code: str, said: str) -> None:
    (block,) = blocks_of(f"Text.\n\n```{language}\n{code}```\n", "page.md")

    assert said in wrong(block)


@pytest.mark.parametrize(
    ("file", "code", "said"),
    [
        ("layers/tools/python/tools/a.py", "def f(x):\n    print(x)\n", ""),
        ("layers/tools/python/tools/a.py", "import os\n", "F401"),
        ("tests/tools/test_a.py", "def test_a():\n  assert 1 + 1 == 2\n", "+    assert"),
        ("infra/tool_access.py", "A = 1\n", "D100"),
    ],
)
def test_a_block_is_right_where_it_is_copied_to(file: str, code: str, said: str) -> None:
    found = wrong(Block("page.md", 1, "python", file, code))

    assert said in found
    assert bool(said) is bool(found)


@pytest.mark.parametrize("stray", ["    make demo\n", "- item\n\n  ```sh\n  make demo\n  ```\n", "```sh\nmake demo\n"])
def test_code_outside_of_a_block_is_found(stray: str) -> None:
    assert strays(f"Text.\n\n{stray}\nMore.\n")


def test_a_block_says_which_file_it_is() -> None:
    (block,) = blocks_of("Text.\n\n```python layers/tools/python/tools/a.py\nA = 1\n```\n", "page.md")

    assert (block.line, block.language, block.file, block.code) == (
        3,
        "python",
        "layers/tools/python/tools/a.py",
        "A = 1\n",
    )
