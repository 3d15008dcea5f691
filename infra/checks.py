"""Checks at synth for what would deploy and then not work; each fails with a sentence that says what to do."""

import json
from collections.abc import Iterable

from aws_cdk import Annotations
from constructs import IConstruct

from mcp_tasks.limits.waits import KEPT

from .bytecode.bundling import ROOT
from .bytecode.wheels import unhashed
from .machines import MACHINES
from .settings import REQUIRED, StageSettings

# RFC 2606 reserves it, so no issuer has it.
PLACEHOLDER = "example.com"


def check_settings(stack: IConstruct, settings: StageSettings) -> None:
    """Refuse settings with which no task would work; raises `SystemExit`, or adds an error to the stack."""
    refuse_placeholders(stack, settings)
    refuse_unkeepable_ttl(settings)


def refuse_placeholders(stack: IConstruct, settings: StageSettings) -> None:
    """Add an error for settings that still name example.com: `make synth` ignores it, `make deploy` does not."""
    left = [name for name in REQUIRED if PLACEHOLDER in getattr(settings, name)]
    if left:
        Annotations.of(stack).add_error(
            f"Every token would be refused, because cdk.json still has placeholders for {' and '.join(left)} of stage "
            f"{settings.stage!r}: write there whose tokens to accept (docs/deploy.md), or pass them with -c name=value."
        )


def refuse_unkeepable_ttl(settings: StageSettings) -> None:
    """Refuse a longest ttl that leaves no time for work, or outlasts a state machine; raises `SystemExit`."""
    longest = settings.max_ttl_seconds
    if longest <= KEPT.total_seconds():
        raise SystemExit(
            f"max_ttl_seconds is {longest}, and an outcome is kept for {KEPT.total_seconds():.0f} seconds, so no time "
            "is left for the work: raise it."
        )
    for name, machine in MACHINES.items():
        if longest > (timeout := machine.TIMEOUT.to_seconds()):
            raise SystemExit(
                f"max_ttl_seconds is {longest}, and an execution of {name!r} ends after {timeout:.0f} "
                f"seconds: raise TIMEOUT in infra/machines/{name}.py, or lower max_ttl_seconds."
            )


def refuse_unknown_machines(catalogue: str) -> None:
    """Refuse tools whose state machine is not in `MACHINES`; raises `SystemExit`."""
    machines = {tool["name"]: tool["machine"] for tool in json.loads(catalogue)["tools"]}
    for tool, machine in machines.items():
        if machine in MACHINES:
            continue
        raise SystemExit(
            f"The tool {tool!r} names the state machine {machine!r}, which does not exist: list it in MACHINES of "
            f"infra/machines/__init__.py, or name one of {', '.join(sorted(MACHINES))}."
        )


def refuse_unhashed(layers: Iterable[str]) -> None:
    """Refuse layers whose requirements lack a hash; raises `SystemExit`."""
    for layer in layers:
        file = ROOT / "layers" / layer / "requirements.txt"
        if missing := unhashed(file) if file.exists() else []:
            raise SystemExit(
                f"{file.relative_to(ROOT)} lists {', '.join(missing)} without a hash: run `make pin` to complete it."
            )
