"""The list prices of us-east-1 in US dollars, and everything that is assumed where nothing could be counted.

As of 2026-11-24, by the pages named, of which stored copies were read; no free tier and no discount is taken off.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

MILLION: Final = 1_000_000
GB: Final = 1_000_000_000
HOURS_A_MONTH: Final = 730


@dataclass(frozen=True, slots=True, kw_only=True)
class Price:
    """What so many of a thing cost."""

    dollars: float
    per: float = 1
    what: str
    source: str

    @property
    def each(self) -> float:
        """Return the price of one."""
        return self.dollars / self.per


LAMBDA_PAGE: Final = "https://aws.amazon.com/lambda/pricing/"
DYNAMODB_PAGE: Final = "https://aws.amazon.com/dynamodb/pricing/on-demand/"

REQUEST: Final = Price(
    dollars=3.50,
    per=MILLION,
    what="requests to a REST API of API Gateway, the first 333 million of a month",
    source="https://aws.amazon.com/api-gateway/pricing/",
)
DATA_OUT: Final = Price(
    dollars=0.09,
    per=GB,
    what="bytes sent to the internet",
    source="https://aws.amazon.com/ec2/pricing/on-demand/, data transfer",
)
INVOCATION: Final = Price(dollars=0.20, per=MILLION, what="invocations of Lambda functions", source=LAMBDA_PAGE)
GB_SECOND: Final = Price(dollars=13.3334, per=MILLION, what="GB-seconds of Lambda on arm64", source=LAMBDA_PAGE)
WRITE_UNIT: Final = Price(
    dollars=0.625,
    per=MILLION,
    what="write request units of DynamoDB on demand",
    source=DYNAMODB_PAGE,
)
READ_UNIT: Final = Price(
    dollars=0.125,
    per=MILLION,
    what="read request units of DynamoDB on demand",
    source=DYNAMODB_PAGE,
)
STREAM_READ: Final = Price(
    dollars=0.02,
    per=100_000,
    what="read requests of a table's stream, but for Lambda's own",
    source=DYNAMODB_PAGE,
)
TRANSITION: Final = Price(
    dollars=25,
    per=MILLION,
    what="state transitions of Step Functions, Standard",
    source="https://aws.amazon.com/step-functions/pricing/",
)
S3_WRITE: Final = Price(
    dollars=5, per=MILLION, what="PUT requests of S3 Standard", source="https://aws.amazon.com/s3/pricing/"
)
S3_READ: Final = Price(
    dollars=0.40, per=MILLION, what="GET requests of S3 Standard", source="https://aws.amazon.com/s3/pricing/"
)
LOGGED: Final = Price(
    dollars=0.50,
    per=GB,
    what="bytes taken in by CloudWatch Logs, Standard",
    source="https://aws.amazon.com/cloudwatch/pricing/",
)
TRACE: Final = Price(
    dollars=5, per=MILLION, what="traces recorded by X-Ray", source="https://aws.amazon.com/xray/pricing/"
)
FARGATE_CPU: Final = Price(
    dollars=0.03238,
    what="an hour of a vCPU of Fargate on ARM",
    source="https://aws.amazon.com/fargate/pricing/, by https://cloudburn.io/blog/aws-fargate-pricing (April 2026)",
)
FARGATE_GB: Final = Price(dollars=0.00356, what="an hour of a GB of Fargate on ARM", source="the same")
BALANCER: Final = Price(
    dollars=0.0225,
    what="an hour of an Application Load Balancer",
    source="https://aws.amazon.com/elasticloadbalancing/pricing/",
)
BALANCER_UNIT: Final = Price(dollars=0.008, what="an hour of its capacity unit", source="the same")
AGENTCORE_CALL: Final = Price(
    dollars=5,
    per=MILLION,
    what="invocations of tools by Bedrock AgentCore Gateway",
    source="https://aws.amazon.com/bedrock/agentcore/pricing/, by https://blog.serverworks.co.jp/agentcore_gateway-pricing"
    " (March 2026)",
)

FULL_CPU_MB: Final = 1769
"""The memory with which a function has a whole CPU (AWS's documentation); CPU time is counted on this machine's."""

MILLISECONDS: Final[Mapping[str, float]] = {
    "dynamodb.GetItem": 4,
    "dynamodb.Query": 5,
    "dynamodb.PutItem": 6,
    "dynamodb.UpdateItem": 6,
    "dynamodb.DeleteItem": 6,
    "dynamodb.TransactWriteItems": 12,
    "dynamodbstreams.DescribeStream": 10,
    "dynamodbstreams.GetShardIterator": 5,
    "dynamodbstreams.GetRecords": 5,
    "lambda.Invoke": 10,
    "s3.GET": 25,
    "s3.HEAD": 20,
    "s3.PUT": 40,
    "states.StartExecution": 60,
    "states.SendTaskSuccess": 40,
    "states.StopExecution": 40,
    "sts.AssumeRole": 50,
}
"""ASSUMED: what a function waits for a call within the region, which the emulator's own time says nothing of; beside
that of another function, what that one takes."""

LOG_OVERHEAD: Final = 26
"""Bytes that CloudWatch Logs adds to each event."""

PLATFORM_LOG: Final = 640
"""ASSUMED bytes of what Lambda itself logs of an invocation, its start and its report, by AWS's examples of both."""

ACCESS_FIELD: Final = 24
"""ASSUMED bytes of a value in the access log of API Gateway: a request's id has 36, a status 3."""
