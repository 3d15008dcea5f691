"""What docs/operations.md says that a stage takes of its account's quotas, with the function of this revision's own."""

import re
from collections import Counter

from tests.checkout import ROOT
from tests.infra.assembly import Assembly

ROWS = dict(re.findall(r"^\| ([^|]+) \| [^|]+ \| ([^|]+) \|", (ROOT / "docs/operations.md").read_text(), re.MULTILINE))
"""What a stage uses, by quota."""


def used(quota: str) -> list[int]:
    """Return the numbers of a row."""
    return [int(number) for number in re.findall(r"\d+", ROWS[quota].replace(",", ""))]


def test_the_concurrency_that_prod_reserves_is_said(prod: Assembly) -> None:
    reserved = [each.get("ReservedConcurrentExecutions", 0) for each in prod.of("AWS::Lambda::Function").values()]

    assert used("Lambda: concurrent executions") == [sum(reserved), 100]


def test_what_prod_has_of_what_a_deploy_may_be_refused_for_is_said(prod: Assembly) -> None:
    count = Counter(each["Type"] for each in prod.resources.values())

    assert used("IAM: roles of an account")[0] == count["AWS::IAM::Role"]
    assert used("API Gateway: API keys, usage plans") == [
        count["AWS::ApiGateway::ApiKey"],
        count["AWS::ApiGateway::UsagePlan"],
    ]
    said, *_ = used("CloudFormation: resources of a stack")
    assert said - 25 < count.total() < said + 25
