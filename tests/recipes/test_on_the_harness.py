"""The recipes run: the state machines as synthesised, on moto's Step Functions, with what they bring."""

import json
from typing import Any

from mcp_tasks.testing.state_machines.resources import client
from tests.harness.tasks import DeployedTasks
from tests.states import sequence


def brought(tasks: DeployedTasks, kind: str) -> list[str]:
    """Return the names of the resources of a type that the machines bring."""
    return [name for name, of, _ in tasks.harness.template.brought() if of == kind]


def test_nightly_export(tasks: DeployedTasks) -> None:
    keys = [f"acme/2026-11-22/{shard:02}.json" for shard in range(1, 21)]
    task = tasks.start("nightly_export", day="2026-11-22")
    tasks.advance(seconds=1)

    assert task.result.structured == {"day": "2026-11-22", "keys": keys}
    (bucket,), (table,) = brought(tasks, "AWS::S3::Bucket"), brought(tasks, "AWS::DynamoDB::GlobalTable")
    assert [found["Key"] for found in client("s3").list_objects_v2(Bucket=bucket)["Contents"]] == keys
    items = client("dynamodb").scan(TableName=table)["Items"]
    assert sorted(item["key"]["S"] for item in items) == keys
    assert {item["day"]["S"] for item in items} == {"2026-11-22"}


def test_count_lines(tasks: DeployedTasks) -> None:
    client("s3").create_bucket(Bucket="acme-files")
    for key, lines in {"acme/logs/a": 3, "acme/logs/b": 4, "acme/other": 5, "globex/logs/c": 6}.items():
        client("s3").put_object(Bucket="acme-files", Key=key, Body=b"line\n" * lines)

    task = tasks.start("count_lines", prefix="logs/")
    tasks.advance(seconds=1)

    assert task.result.structured == {"files": 2, "lines": 7}


def test_existing_machine(tasks: DeployedTasks) -> None:
    states: list[Any] = [{"Type": "Wait", "Seconds": 3600}, {"Type": "Pass", "Output": {"rows": 7}}]
    definition = json.dumps({"QueryLanguage": "JSONata", **sequence(*states)})
    role = "arn:aws:iam::123456789012:role/theirs"
    client("stepfunctions").create_state_machine(name="nightly-load", definition=definition, roleArn=role)

    assert tasks.run("load_warehouse", day="2026-11-22").structured == {"rows": 7}
