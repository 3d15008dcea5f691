"""`make top`: shows in a terminal what a stage does, again and again: tenants, their tasks, rates, the last errors.

The stage `local` is that of `make stack`; any other is on AWS, with the credentials that are set, which need to read
and no more.  With an address it shows what the caller of that server has, as of `make serve`, which has one caller.
"""

import argparse
import os
import sys
import time
from collections.abc import Callable

import boto3
from rich.console import Console
from rich.live import Live

from local.arguments import address, number_of
from local.audit import settings_of
from local.stage import NO_TOKEN, UNREADABLE, Refused, given_token, reason, stack_of, stage_parser
from local.top_data import Frame, Stage, read_only
from local.top_served import served
from local.top_view import shown
from mcp_tasks.adapters.clock import SystemClock

Reading = Callable[[], Frame]


def deployed(stack: str) -> Reading:
    """Return what reads a deployed stack; raises `Refused`."""
    settings = settings_of(stack)
    stage = Stage(
        dynamodb=boto3.client("dynamodb"),
        logs=boto3.client("logs"),
        table=settings.table_name,
        groups=settings.audit_groups,
        clock=SystemClock(),
    )
    return stage.read


def watch(read: Reading, every: float) -> None:
    """Show one reading after another until Ctrl-C."""
    with Live(shown(read()), screen=True, auto_refresh=False) as live:
        while True:
            time.sleep(every)
            live.update(shown(read()), refresh=True)


def main(arguments: list[str] | None = None) -> int:
    """Show what the arguments name, and return the exit status."""
    parser = stage_parser("make top")
    parser.add_argument("--url", type=address, help="the address of a server, in place of a stage: its caller's tasks")
    parser.add_argument("--every", type=number_of("seconds", 1, 86_400), default=10.0, help="seconds between readings")
    parser.add_argument("--once", action="store_true", help="print one reading")
    given = parser.parse_args(arguments)
    try:
        read = _reading(given)
        if given.once:
            Console().print(shown(read()))
        else:
            watch(read, given.every)
    except KeyboardInterrupt:
        return 0
    except Refused as error:
        sys.exit(str(error))
    except (OSError, *UNREADABLE) as error:
        sys.exit(f"The stage cannot be read: {reason(error)}")
    return 0


def _reading(given: argparse.Namespace) -> Reading:
    if given.url:
        if os.environ.get("TOKEN") and given_token() is None:
            raise Refused(f"{NO_TOKEN}.")
        return served(given.url, given_token())
    stack = stack_of(given)
    # Whatever is called from here on: nothing but reads.
    boto3.setup_default_session()
    read_only(boto3.DEFAULT_SESSION)
    return deployed(stack)


if __name__ == "__main__":
    sys.exit(main())
