"""What the state machines are called: their ARNs are made of it, as the functions and the machines name each other."""

import re
from collections.abc import Iterable

from aws_cdk import ArnFormat, Stack
from constructs import Construct

from mcp_tasks.limits.aws import MAX_STATE_MACHINE_NAME_CHARACTERS as MAX_CHARACTERS


def machine_name(server: str, name: str) -> str:
    """Return the name of a server's state machine in the account; raises `SystemExit` for one that it may not have."""
    full = f"{server}-{name}"
    if not re.fullmatch(r"[\w-]+", name, re.ASCII):
        raise SystemExit(
            f"The state machine {name!r} would be called {full}, and AWS takes the letters a to z, digits, - and _: "
            "rename its file."
        )
    if len(full) > MAX_CHARACTERS:
        raise SystemExit(
            f"The state machine {name!r} would be called {full}, which has more than {MAX_CHARACTERS} characters: "
            "rename its file."
        )
    return full


def machine_arns(scope: Construct, server: str, machines: Iterable[str]) -> dict[str, str]:
    """Return the ARN of each state machine of a server by its name."""
    stack = Stack.of(scope)
    form = ArnFormat.COLON_RESOURCE_NAME
    return {
        name: stack.format_arn(
            service="states", resource="stateMachine", resource_name=machine_name(server, name), arn_format=form
        )
        for name in machines
    }
