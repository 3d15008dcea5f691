"""The settings of a stage, read once from the CDK context."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import Field, dataclass, field, fields
from typing import Any, Self, get_origin

from aws_cdk import Environment
from constructs import Node

from .domain import check_domain
from .existing_table import check_table
from .server_settings import ServerSettings
from .setting_kinds import check_kind
from .stage_issuers import FIELDS, issuers_of
from .tokens import Tokens


@dataclass(frozen=True, slots=True, kw_only=True)
class StageSettings:
    """One stage as `cdk.json` describes it; `-c name=value` overrides a value, in JSON unless it is text.

    A stage has every field of `ServerSettings`; every field of `Tokens`, or a list of `issuers`, each of which has
    these; and beside them the modules of the tools and of the state machines, the tags of all resources, a domain of
    its own ({"name", "certificate_arn", "hosted_zone_id"}), a table that exists in place of its own ({"arn",
    "stream_arn"}), and whether a key of its own encrypts what it keeps.
    """

    stage: str
    issuers: Sequence[Tokens]
    server: ServerSettings
    tools_module: str = "tools"
    machines_module: str = "infra.machines"
    domain: Mapping[str, str] = field(default_factory=dict)
    table: Mapping[str, str] = field(default_factory=dict)
    tags: Mapping[str, str] = field(default_factory=dict)
    customer_key: bool = False
    local: bool = False

    @classmethod
    def from_context(cls, node: Node) -> Self:
        """Read the stage that the context names: `local=1`, or `stage=<name>`, or `dev`.

        Raises:
            SystemExit: There is no such stage, or a setting of it is missing, unknown or invalid.
        """
        stage = "local" if node.try_get_context("local") else node.try_get_context("stage") or "dev"
        stages = node.get_context("stages")
        values = _stage(stages, stage)
        for name in values.keys() - SETTINGS.keys():
            raise SystemExit(f"Stage {stage!r} in cdk.json has a setting {name!r}: there is no such setting.")
        if node.try_get_context("issuers") is not None:
            values = {name: value for name, value in values.items() if name not in FIELDS}
        for setting in SETTINGS.values():
            if (given := node.try_get_context(setting.name)) is not None:
                values[setting.name] = _given(setting, given)
            if get_origin(setting.type) is Sequence and setting.name in values:
                values[setting.name] = _listed(setting.name, values[setting.name])
        try:
            server = ServerSettings(**_fields(values | {"stage": stage}))
            _check_own(values)
            issuers = issuers_of(values)
            check_domain(values.get("domain", {}))
            check_table(values.get("table", {}))
        except ValueError as error:
            raise SystemExit(f"Stage {stage!r} in cdk.json: {error}.") from None
        own = {name: values[name] for name in OWN if name in values}
        return cls(stage=stage, issuers=issuers, server=server, local=stage == "local", **own)

    @property
    def environment(self) -> Environment:
        """The account and region of the credentials; the emulator's fixed ones when local."""
        return Environment(account="000000000000", region="us-east-1") if self.local else Environment()


OWN = ("tools_module", "machines_module", "domain", "table", "tags", "customer_key")
SETTINGS: Mapping[str, Field[Any]] = {
    each.name: each
    for kind in (Tokens, ServerSettings, StageSettings)
    for each in fields(kind)
    if kind is not StageSettings or each.name in (*OWN, "issuers")
}


def _stage(stages: Mapping[str, Any], stage: str) -> dict[str, Any]:
    if stage not in stages:
        raise SystemExit(
            f"There is no stage {stage!r} in cdk.json, only {', '.join(stages)}: choose one by -c stage=NAME."
        )
    if not isinstance(stages[stage], Mapping):
        raise SystemExit(f"Stage {stage!r} in cdk.json is an object, not {json.dumps(stages[stage])}.")
    return dict(stages[stage])


def _check_own(values: Mapping[str, Any]) -> None:
    for name in values.keys() & {*OWN}:
        check_kind(name, SETTINGS[name].type, values[name])
    for tag, value in values.get("tags", {}).items():
        check_kind(f"the tag {tag}", str, value)


def _fields(values: Mapping[str, Any]) -> dict[str, Any]:
    return {each.name: values[each.name] for each in fields(ServerSettings) if each.name in values}


def _given(setting: Field[Any], given: Any) -> Any:
    if setting.type is str or not isinstance(given, str):
        return given
    try:
        return json.loads(given)
    except ValueError:
        raise SystemExit(f"{setting.name} is JSON on the command line, and {given!r} is none.") from None


def _listed(name: str, value: Any) -> tuple[Any, ...]:
    if not isinstance(value, list):
        raise SystemExit(f"{name} is a list, such as {json.dumps([value])}, not {json.dumps(value)}.")
    return tuple(value)
