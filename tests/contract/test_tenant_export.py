"""The export of a tenant with names that file systems refuse or confuse, and with damaged items."""

import json
from pathlib import Path

from mcp_tasks.limits.aws import MAX_INLINE_CHARACTERS
from mcp_tasks.security.tenancy import Caller
from mcp_tasks.tasks.plan import Plan
from tests.cloud import BUCKET, TABLE, Cloud, scan
from tests.contract.test_tenant import Desk, fill, objects
from tests.kit import FixedClock, a_task

ODD_SUBJECTS = (
    "x" * 800,
    "x" * 801,
    "%" * 250,
    "ada",
    "ADA",
    "Ada",
    "ada.",
    "ada..",
    "..",
    ".",
    "/",
    "a/b",
    "a\\b",
    "c:d",
    "é",
)


def test_an_export_gives_every_subject_files_of_its_own(aws: Cloud, clock: FixedClock, tmp_path: Path) -> None:
    desk = Desk(aws, clock)
    for subject in ODD_SUBJECTS:
        caller = Caller(tenant="acme", subject=subject)
        desk.store.create(
            caller.owner_key, a_task(), {"text": subject[:9] * MAX_INLINE_CHARACTERS}, key=None, plan=Plan()
        )

    assert desk.operator.data.export(tmp_path)["object"] == 15

    folders = [path.name for path in (tmp_path / "objects").iterdir()]
    assert len({name.casefold().rstrip(".") for name in folders}) == 15
    assert {"acme#ada", "acme#%2F", "acme#c%3Ad"} < set(folders)
    assert len([path for path in (tmp_path / "objects").rglob("*") if path.is_file()]) == 15


def test_an_export_has_damaged_items_and_objects_as_they_are(aws: Cloud, clock: FixedClock, tmp_path: Path) -> None:
    desk = Desk(aws, clock)
    fill(desk)
    (task, *_) = [
        each for each in scan(aws.dynamodb) if each["SK"]["S"].startswith("task#") and each["PK"]["S"] == "acme#ada"
    ]
    aws.dynamodb.put_item(TableName=TABLE, Item={**task, "details": {"S": "{"}, "odd": {"L": [{"N": "7"}, {"S": "x"}]}})
    (key, *_) = [each for each in objects(aws) if each.startswith("acme#")]
    aws.s3.put_object(Bucket=BUCKET, Key=key, Body=b"\xff\xfe")

    counted = desk.operator.data.export(tmp_path / "acme")

    assert (counted["task"], counted["object"]) == (6, 2)
    items = [json.loads(line) for line in (tmp_path / "acme" / "items.jsonl").read_text().splitlines()]
    assert [each["odd"] for each in items if each["SK"] == task["SK"]["S"] and "odd" in each] == [[7.0, "x"]]
    assert (tmp_path / "acme" / "objects" / key).read_bytes() == b"\xff\xfe"


def test_an_export_has_items_and_objects_as_they_are_stored(aws: Cloud, clock: FixedClock, tmp_path: Path) -> None:
    desk = Desk(aws, clock)
    fill(desk)
    desk.operator.data.export(tmp_path)

    for key in filter(lambda each: each.startswith("acme#"), objects(aws)):
        assert (tmp_path / "objects" / key).read_bytes() == aws.s3.get_object(Bucket=BUCKET, Key=key)["Body"].read()
    lines = map(json.loads, (tmp_path / "items.jsonl").read_text().splitlines())
    exported = {(item["PK"], item["SK"]): item for item in lines}
    found = [each for each in scan(aws.dynamodb) if (each["PK"]["S"], each["SK"]["S"]) in exported]
    for stored in found:
        texts = {name: value["S"] for name, value in stored.items() if "S" in value}
        numbers = {name: float(value["N"]) for name, value in stored.items() if "N" in value}
        assert exported[stored["PK"]["S"], stored["SK"]["S"]] == texts | numbers
    assert len(found) == len(exported) > 10
