"""What would deploy and then not work: refused at synth, in one sentence each."""

import json
from collections.abc import Iterable

from aws_cdk import Annotations
from constructs import IConstruct

from infra.bytecode.bundling import ROOT
from infra.bytecode.wheels import unhashed
from infra.machines import MACHINES
from infra.settings import Settings

# RFC 2606: nobody can own it.
PLACEHOLDER = "example.com"


def refuse_placeholders(stack: IConstruct, settings: Settings) -> None:
    """Let no stage be deployed that believes nobody's tokens; to look at its template is no harm."""
    left = [name for name in ("issuer", "audience", "jwks_url") if PLACEHOLDER in getattr(settings, name)]
    if left:
        Annotations.of(stack).add_error(
            f"Every token would be refused, because cdk.json still has placeholders for {' and '.join(left)} of stage "
            f"{settings.stage!r}: write there whose tokens to accept (docs/deploy.md), or pass them with -c name=value."
        )


def refuse_unknown_machines(catalogue: str) -> None:
    """Refuse tools that no machine would run; raises `SystemExit`."""
    lost = {tool["name"]: tool["machine"] for tool in json.loads(catalogue)["tools"] if tool["machine"] not in MACHINES}
    for tool, machine in lost.items():
        raise SystemExit(
            f"The tool {tool!r} names the machine {machine!r}, which does not exist: list it in MACHINES of "
            f"infra/machines/__init__.py, or name one of {', '.join(sorted(MACHINES))}."
        )


def refuse_unhashed(layers: Iterable[str]) -> None:
    """Refuse wheels that could be others at the next deploy; raises `SystemExit`."""
    for layer in layers:
        file = ROOT / "layers" / layer / "requirements.txt"
        if missing := unhashed(file) if file.exists() else []:
            raise SystemExit(
                f"{file.relative_to(ROOT)} lists {', '.join(missing)} without a hash: run `make pin` to complete it."
            )
