"""`make prune`: deletes versions of functions that no rollback needs, since Lambda keeps each deploy's until then."""

import sys
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta

import boto3

from local.arguments import number_of
from local.releases import Published, Version, aliases_of, published, release_before
from local.stage import UNREADABLE, Refused, reason, stack_of, stage_parser
from mcp_tasks import aws

KEEP_DAYS = 8
"""As long as an execution may last: whoever finds out that a release harms its tasks can return to the one before."""


def outdated(functions: Sequence[Published], before: datetime) -> Iterator[tuple[Published, Version]]:
    """Yield the versions published before a moment that no alias leads to, and a rollback would not return to."""
    kept = {release_before(functions), *(each.release for each in functions), *(each.deployed for each in functions)}
    for function in functions:
        for version in function.versions:
            if version.release not in kept and version.published < before:
                yield function, version


def main(arguments: list[str] | None = None) -> int:
    """Delete what the arguments name, print it, and return the exit status."""
    parser = stage_parser("make prune")
    parser.add_argument("--days", type=number_of("days", 0, 3_650), default=KEEP_DAYS)
    given = parser.parse_args(arguments)
    try:
        aliases = aliases_of(stack_of(given))
        lambdas = boto3.client("lambda")
        functions = published(lambdas, aliases)
        for function, version in outdated(functions, aws.clock.now() - timedelta(days=given.days)):
            lambdas.delete_function(FunctionName=function.name, Qualifier=str(version.number))
            print(f"{function.name}: version {version.number} of {version.release} is deleted")
    except Refused as error:
        sys.exit(str(error))
    except UNREADABLE as error:
        sys.exit(f"The versions cannot be deleted: {reason(error)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
