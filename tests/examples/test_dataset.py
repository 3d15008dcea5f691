"""A tenant's files as resources, and the prompt that starts from one."""

from typing import Any

import pytest

from examples.dataset import dataset, look_into
from mcp_tasks import Caller, CompletionContext, Context, ResourceNotFound
from mcp_tasks.testing.harness import CALLER
from mcp_tasks.testing.journal import NULL_JOURNAL

ADA = CALLER
EVE = Caller(tenant="rival", subject="eve")


@pytest.fixture(autouse=True)
def table(s3: Any, bucket: str) -> None:
    """A table of the tenant's."""
    s3.put_object(Bucket=bucket, Key="acme/a.csv", Body=b"x\n1\n")


def test_a_file_is_read_by_its_name() -> None:
    assert dataset("a.csv", Context(caller=ADA, journal=NULL_JOURNAL)) == "x\n1\n"


@pytest.mark.parametrize(("caller", "name"), [(EVE, "a.csv"), (ADA, "b.csv")], ids=["another tenant", "no such file"])
def test_what_is_not_the_callers_is_not_found(caller: Caller, name: str) -> None:
    with pytest.raises(ResourceNotFound):
        dataset(name, Context(caller=caller, journal=NULL_JOURNAL))


def test_the_prompt_names_the_tool_and_the_file() -> None:
    asked = look_into("a.csv", aim="quality")

    assert "profile_csv with source 'a.csv'" in asked
    assert "looks wrong" in asked


def test_the_aims_of_the_prompt_are_completed() -> None:
    typing = CompletionContext(caller=ADA)

    assert look_into.work.complete("aim", "o", typing) == ["overview"]
