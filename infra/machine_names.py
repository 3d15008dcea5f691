"""What the state machines are called: their ARNs are made of it, as the functions and the machines name each other."""

from collections.abc import Iterable

from aws_cdk import ArnFormat, Stack

from mcp_tasks.limits.aws import MAX_STATE_MACHINE_NAME_CHARACTERS as MAX_CHARACTERS


def machine_name(stack: Stack, name: str) -> str:
    """Return the name of a state machine in the account; raises `SystemExit` for one that is too long."""
    full = f"{stack.stack_name}-{name}"
    if len(full) > MAX_CHARACTERS:
        raise SystemExit(
            f"The state machine {name!r} would be called {full}, which has more than {MAX_CHARACTERS} characters: "
            "rename its file."
        )
    return full


def machine_arns(stack: Stack, machines: Iterable[str]) -> dict[str, str]:
    """Return the ARN of each state machine by its name."""
    form = ArnFormat.COLON_RESOURCE_NAME
    return {
        name: stack.format_arn(
            service="states", resource="stateMachine", resource_name=machine_name(stack, name), arn_format=form
        )
        for name in machines
    }
