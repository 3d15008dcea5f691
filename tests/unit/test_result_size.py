"""An outcome is as large as its tenant's plan allows, to the last byte."""

import json

import pytest

from mcp_tasks.engine.result_size import within
from mcp_tasks.features.results import failure
from mcp_tasks.tasks.model import Failed, Returned
from mcp_tasks.tasks.stored_bytes import size_of

RETURNED = Returned(result={"content": [{"type": "text", "text": "é"}]})
LOST = {"rows": ["é"]}


def test_a_result_is_as_large_as_the_plan_allows() -> None:
    size = size_of(RETURNED.result)

    assert within(size, RETURNED) is RETURNED
    says = f"The result is {size:,} bytes of JSON; this tenant's plan allows result_bytes: {size - 1:,}."
    assert within(size - 1, RETURNED) == failure(says)


def test_an_error_loses_data_that_is_larger_and_nothing_else(caplog: pytest.LogCaptureFixture) -> None:
    failed = Failed(code=7, message="no", data=LOST)

    assert within(size_of(LOST), failed) is failed
    assert caplog.records == []
    assert within(size_of(LOST) - 1, failed) == Failed(code=7, message="no")
    assert [record.levelname for record in caplog.records] == ["ERROR"]


def test_an_error_without_data_is_left_as_it_is(caplog: pytest.LogCaptureFixture) -> None:
    failed = Failed(code=7, message="no")

    assert within(len(json.dumps(None)) - 1, failed) is failed
    assert caplog.records == []
