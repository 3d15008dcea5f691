"""A tenant's files as resources, and the prompt that starts from one."""

from collections.abc import Iterator

import pytest

from mcp_tasks import CompletionContext, Context, ResourceNotFound
from tests.cloud import REGION, Cloud, cloud
from tests.deaf_journal import DEAF
from tests.kit import ADA, EVE
from tools.dataset import dataset, look_into

DATA = "data"


@pytest.fixture(autouse=True)
def aws(monkeypatch: pytest.MonkeyPatch) -> Iterator[Cloud]:
    with cloud() as found:
        found.s3.create_bucket(Bucket=DATA, CreateBucketConfiguration={"LocationConstraint": REGION})
        found.s3.put_object(Bucket=DATA, Key="acme/a.csv", Body=b"x\n1\n")
        monkeypatch.setenv("DATA_BUCKET", DATA)
        yield found


def test_a_file_is_read_by_its_name() -> None:
    assert dataset("a.csv", Context(caller=ADA, journal=DEAF)) == "x\n1\n"


@pytest.mark.parametrize(("caller", "name"), [(EVE, "a.csv"), (ADA, "b.csv")], ids=["another tenant", "no such file"])
def test_what_is_not_the_callers_is_not_found(caller: object, name: str) -> None:
    assert isinstance(caller, type(ADA))
    with pytest.raises(ResourceNotFound):
        dataset(name, Context(caller=caller, journal=DEAF))


def test_the_prompt_names_the_tool_and_the_file() -> None:
    asked = look_into("a.csv", aim="quality")

    assert "profile_csv with source 'a.csv'" in asked
    assert "looks wrong" in asked


def test_the_aims_of_the_prompt_are_completed() -> None:
    typing = CompletionContext(caller=ADA)

    assert look_into.work.complete("aim", "o", typing) == ["overview"]
