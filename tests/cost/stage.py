"""What the deployed template says that counts on the bill: memory, what is logged, what is traced."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from local.stack import Stack

DEFAULT_TRACE_RATE = 0.05
"""That of X-Ray's own rule, beyond one a second."""


def name_of(handler: str) -> str:
    """Return the name of the function of a handler."""
    return handler.split(".")[1]


def settings_of(stack: Stack) -> Mapping[str, Any]:
    """Return the settings of a stack."""
    (template,) = (stack.emulator.folder / "cdk.out").glob("*.template.json")
    resources = json.loads(template.read_text())["Resources"]
    functions = [each for each in _of(resources, "AWS::Lambda::Function") if each["Handler"].startswith("functions.")]
    (api,) = _of(resources, "AWS::ApiGateway::Stage")
    rule: Mapping[str, Any] = next((each["SamplingRule"] for each in _of(resources, "AWS::XRay::SamplingRule")), {})
    (level,) = {each["LoggingConfiguration"]["Level"] for each in _of(resources, "AWS::StepFunctions::StateMachine")}
    return {
        "memory": {name_of(each["Handler"]): each["MemorySize"] for each in functions},
        "platform_logged": sorted(
            name_of(each["Handler"]) for each in functions if each["LoggingConfig"].get("SystemLogLevel") != "WARN"
        ),
        "traced": sorted(
            name_of(each["Handler"]) for each in functions if each.get("TracingConfig", {}).get("Mode") == "Active"
        ),
        "gateway_traced": api.get("TracingEnabled", False),
        "trace_rate": rule.get("FixedRate", DEFAULT_TRACE_RATE),
        "access_log": api["AccessLogSetting"]["Format"],
        "executions": level,
    }


def _of(resources: Mapping[str, Any], kind: str) -> Iterator[Mapping[str, Any]]:
    return (each["Properties"] for each in resources.values() if each["Type"] == kind)
