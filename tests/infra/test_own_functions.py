"""A Lambda function of a machine's own is as the server's are: its layers, its logs, its role."""

from typing import Any

from tests.infra.assembly import Assembly
from tests.infra.test_least_privilege import EVERYTHING_TRACED, permissions
from tests.infra.test_state_machines import definition, states, validate


def function(assembly: Assembly, name: str) -> dict[str, Any]:
    """Return a function's properties."""
    return assembly.of("AWS::Lambda::Function")[name]


def test_it_has_what_every_function_has_but_a_handler_in_the_layer_of_the_tools(sampled: Assembly) -> None:
    own, ours = function(sampled, "WorkownfunctionExportShard"), function(sampled, "Functionsreportprogress")
    same = ["Runtime", "Architectures", "Layers", "TracingConfig", "Code"]
    logs = sampled.of("AWS::Logs::LogGroup")["WorkownfunctionExportShardLogs"]

    assert {name: own[name] for name in same} == {name: ours[name] for name in same}
    assert own["LoggingConfig"] == {
        **ours["LoggingConfig"],
        "LogGroup": {"Ref": "WorkownfunctionExportShardLogs"},
    }
    assert logs["RetentionInDays"] == 14
    assert own["Handler"] == "tools.export.export_shard"
    assert own["Environment"]["Variables"] == {
        "LOG_LEVEL": "INFO",
        "SERVICE_DATA": "/opt/python/mcp_tasks/service_data",
        "BUCKET": {"Ref": "WorkownfunctionExports"},
        "RELEASE": ours["Environment"]["Variables"]["RELEASE"],
    }
    assert (own["Timeout"], own["MemorySize"]) == (60, 512)


def test_it_may_do_what_its_machine_allows_and_nothing_else(sampled: Assembly) -> None:
    assert permissions(sampled)["WorkownfunctionExportShardRole"] == {
        "<WorkownfunctionExports.Arn>/*": {"s3:PutObject"},
        "<WorkownfunctionExportShardLogs.Arn>": {"logs:CreateLogStream", "logs:PutLogEvents"},
        **EVERYTHING_TRACED,
    }


def test_its_machine_is_valid_and_may_invoke_it(sampled: Assembly) -> None:
    machine = definition(sampled, "own_function")
    alias, unqualified = "<WorkownfunctionExportShardLive>", "<WorkownfunctionExportShard.Arn>"

    assert validate(machine).returncode == 0
    (each,) = (state for state in states(machine).values() if state["Type"] == "Map")
    assert each["ItemProcessor"]["States"]["Export"]["Arguments"]["FunctionName"] == alias
    # By its own ARN it is invoked by executions that 0.3 started.
    may = permissions(sampled)["WorkownfunctionMachineRole"]
    assert may[alias] == may[unqualified] == may["<Functionsreportprogress.Arn>"] == {"lambda:InvokeFunction"}
