"""Checks of a server, at synth: what would deploy and then not work fails with a sentence that says what to do."""

from collections.abc import Mapping

from aws_cdk import Stack
from constructs import IConstruct

from mcp_tasks.limits.operators import check_tenant_of_operators
from mcp_tasks.limits.waits import KEPT

from . import default_machine
from .function_code import check_tools
from .issuers import accepted
from .machine_files import Machine
from .server_settings import ServerSettings
from .tokens import Issuers, Tokens
from .tools import Tools


def check_server(
    server: IConstruct,
    name: str,
    settings: ServerSettings,
    machines: Mapping[str, Machine],
    *,
    package: str | None,
    deployed: Tools | None,
) -> None:
    """Refuse a server that could not be deployed, or in which no task would work; raises `SystemExit`.

    All `machines` but the default one are in `package`; tools that are not deployed are checked where they are run.
    """
    refuse_second_of_a_name(server, name)
    refuse_unkeepable_ttl(settings, machines)
    if settings.canary and not deployed:
        raise SystemExit("The emulator has no CodeDeploy: the stage local has no canary.")
    if settings.snap_start and not deployed:
        raise SystemExit("The emulator takes no snapshots: the stage local has no snap_start.")
    if deployed:
        check_tools(deployed, machines, package, longest_ttl=settings.max_ttl_seconds)


def refuse_second_of_a_name(server: IConstruct, name: str) -> None:
    """Refuse two servers of one name in a stack, whose state machines would have the same names."""
    for other in Stack.of(server).node.find_all():
        if other is not server and type(other) is type(server) and getattr(other, "name", None) == name:
            raise SystemExit(
                f"{server.node.path} and {other.node.path} are both named {name!r}: give one another name."
            )


def accepted_issuers(tokens: Issuers, settings: ServerSettings) -> tuple[Tokens, ...]:
    """Return the issuers of a server.

    Refuses none, such that could name one caller unawares, and such that let anybody be an operator (`SystemExit`).
    """
    try:
        issuers = accepted(tokens)
    except ValueError as error:
        raise SystemExit(f"tokens: {error}.") from None
    try:
        check_tenant_of_operators(settings.operators, issuers)
    except ValueError as error:
        raise SystemExit(f"{error}.") from None
    return issuers


def refuse_unkeepable_ttl(settings: ServerSettings, machines: Mapping[str, Machine]) -> None:
    """Refuse a longest ttl that leaves no time for work, or outlasts a state machine; raises `SystemExit`."""
    longest = settings.max_ttl_seconds
    if longest <= KEPT.total_seconds():
        raise SystemExit(
            f"max_ttl_seconds is {longest}, and an outcome is kept for {KEPT.total_seconds():.0f} seconds, so no time "
            "is left for the work: raise it."
        )
    # A TIMEOUT that a file sets is meant, however short.
    for name, machine in machines.items():
        if machine.timeout is default_machine.TIMEOUT and longest > (timeout := machine.timeout.to_seconds()):
            raise SystemExit(
                f"max_ttl_seconds is {longest}, and an execution of {name!r} ends after {timeout:.0f} "
                f"seconds: set a longer TIMEOUT in {machine.file}, or lower max_ttl_seconds."
            )
