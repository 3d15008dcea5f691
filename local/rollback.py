"""`make rollback`: has all aliases of a stage lead to the versions of the release before."""

import sys
from collections.abc import Sequence
from typing import Any

import boto3
from botocore.exceptions import BotoCoreError, ClientError

from local.releases import Published, Version, aliases_of, is_elsewhere, published, release_before, releases
from local.stage import UNREADABLE, Refused, reason, stack_of, stage_parser

AFTERWARDS = """\
Tasks in flight run it too, but for executions that 0.3 started.  State machines, permissions and the table stay as the
last deploy left them.  The next deploy that changes code goes forward."""


def return_to(lambdas: Any, functions: Sequence[Published], release: str) -> list[tuple[Published, Version]]:
    """Have all aliases lead to a release; returns those that did not, and the version that each leads to now.

    Raises `Refused` where nothing has such a release, where this has its tasks in another table, and where an alias was
    changed by somebody else meanwhile.
    """
    found = [(each, version) for each in functions if (version := each.of(release))]
    if not found:
        raise Refused(f"No function has a version of a release {release!r}.")
    if any(is_elsewhere(function, version) for function, version in found):
        raise Refused(
            f"The release {release} has another table or bucket than the stack: deploy its code again instead."
        )
    moves = [(function, version) for function, version in found if function.held != version.number]
    for done, (function, version) in enumerate(moves):
        try:
            lambdas.update_alias(
                FunctionName=function.name,
                Name=function.alias,
                FunctionVersion=str(version.number),
                RevisionId=function.revision,
            )
        except (BotoCoreError, ClientError) as error:
            raise Refused(
                f"{function.name} stays at version {function.held}, after {done} of {len(moves)} were moved: {error}. "
                "Run this again: it moves the others."
            ) from error
    return moves


def main(arguments: list[str] | None = None) -> int:
    """Do what the arguments say, print it, and return the exit status."""
    parser = stage_parser("make rollback")
    parser.add_argument("--release", help="another release than the one before, the one deployed last among them")
    given = parser.parse_args(arguments)
    stack = stack_of(given)
    try:
        roll_back(stack, given.release)
    except Refused as error:
        sys.exit(str(error))
    except UNREADABLE as error:
        sys.exit(f"The functions of {stack} cannot be read: {reason(error)}")
    return 0


def roll_back(stack: str, release: str | None) -> None:
    """Return to a release, or to the one before the one deployed last, and print what came of it; raises `Refused`."""
    lambdas = boto3.client("lambda")
    functions = published(lambdas, aliases_of(stack))
    release = release or release_before(functions)
    if release is None:
        raise Refused(f"The stack {stack} has no release before {_deployed(functions)}: nothing was changed.")
    moves = return_to(lambdas, functions, release)
    if not moves:
        print(f"{stack} runs the release {release} already: nothing was changed.")
        return
    for function, version in moves:
        print(f"{function.name}: version {function.held} of {function.release} -> {version.number}")
    for function in functions:
        if not function.of(release):
            print(f"{function.name}: has no version of {release}, and stays at version {function.held}")
    when = min(version.published for _, version in moves)
    print(f"{stack} runs the release {release} of {when:%Y-%m-%d %H:%M} UTC; {_deployed(functions)} was deployed last.")
    print(AFTERWARDS)
    if others := ", ".join(name for name in releases(functions) if name != release):
        print(f"RELEASE=name returns to another one: {others}.")


def _deployed(functions: Sequence[Published]) -> str:
    return " and ".join(sorted({function.deployed for function in functions}))


if __name__ == "__main__":
    sys.exit(main())
