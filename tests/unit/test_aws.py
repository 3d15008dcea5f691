"""`aws.client`: what all clients of AWS have in common."""

from collections.abc import Mapping
from typing import Any

import botocore.session
import pytest
from botocore.awsrequest import AWSPreparedRequest, AWSResponse
from botocore.config import Config

from mcp_tasks import aws
from tests.no_account import NO_ACCOUNT

ELSEWHERE = Config(region_name="eu-north-1")


def test_a_call_is_named_as_botocore_names_this_process_and_checked_by_aws_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name, value in NO_ACCOUNT.items():
        monkeypatch.setenv(name, value)
    client, sent = aws.client("dynamodb", aws.NETWORK.merge(ELSEWHERE)), list[Mapping[str, Any]]()

    def answer(request: AWSPreparedRequest, **_: Any) -> AWSResponse:
        sent.append({name.lower(): value for name, value in request.headers.items()})
        return AWSResponse(request.url, 200, {}, Answer())

    client.meta.events.register("before-send", answer)
    # A number where botocore's own check wants a text.
    client.get_item(TableName="tasks", Key={"PK": {"S": 1}})

    # Powertools, which some functions import, adds words of its own.
    (named,) = (str(each["user-agent"], "ascii") for each in sent)
    assert named.split(" PT/")[0] == botocore.session.get_session().user_agent()


class Answer:
    """The body of an answer: an empty object."""

    def stream(self) -> list[bytes]:
        """Return all of it."""
        return [b"{}"]
