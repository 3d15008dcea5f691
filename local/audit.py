"""`make audit`: exports the audit of a stage from a time on, and proves it, or an earlier export, by the anchors.

The stage `local` is that of `make stack`; any other is on AWS, with the credentials that are set.
"""

import argparse
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Self

import boto3
from botocore.exceptions import ClientError

from local.arguments import existing, moment
from local.audit_proof import Export, Place, Proof, fingerprint, place_of, prove
from local.printable import printable
from local.stage import UNREADABLE, Refused, reason, stack_of, stage_parser
from mcp_tasks import aws
from mcp_tasks.adapters.cloudwatch_logs import AuditLog
from mcp_tasks.adapters.dynamodb.anchors import DynamoAnchors
from mcp_tasks.adapters.dynamodb.table import Table
from mcp_tasks.audit.anchors import Anchor
from mcp_tasks.limits.audit import HEADS_REMEMBERED, READ_AGAIN, READ_AT_ONCE
from mcp_tasks.settings import Settings

ANCHORS = "Functionsanchoraudit"
"""In the logical id of the function whose environment says what is where."""

A_DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Trail:
    """The audit of a stage, as an operator may read it."""

    anchors: DynamoAnchors
    log: AuditLog

    @classmethod
    def of(cls, stack: str) -> Self:
        """Find that of a deployed stack; raises `Refused`."""
        settings = settings_of(stack)
        client = boto3.client("dynamodb")
        return cls(
            anchors=DynamoAnchors(table=Table(client=client, name=settings.table_name, clock=aws.clock)),
            log=AuditLog(client=lambda: boto3.client("logs"), groups=settings.audit_groups),
        )

    def public_key(self) -> bytes:
        """Return the key by which anchors are verified; raises `Refused`."""
        if (key := self.anchors.public_key()) is None:
            raise Refused("Nothing was anchored yet: look again in a minute.")
        return key

    def export(self, since: datetime) -> Export:
        """Return what was anchored since then, with all that the log has of it, and what it should not have."""
        known = list(self.anchors.since(since - HEADS_REMEMBERED))
        exported = [each for each in known if each.anchor.until >= since]
        before = anchored(each.anchor for each in known if each.anchor.until < since)
        if not exported:
            raise Refused("Nothing was anchored since then.")
        wanted = anchored(each.anchor for each in exported)
        # The anchors say how many records were rejected, and these have no place in it.
        forged = {digest for each in known for digest in each.anchor.forged}
        until = exported[-1].anchor.until
        # What may still be anchored is no part of it.
        settled = until - READ_AGAIN
        records = [
            each.record
            for each in self.log.read(since - READ_AT_ONCE - READ_AGAIN, until)
            if each.digest not in forged
            and (
                place_of(each.record) in wanted or (place_of(each.record) not in before and since <= each.at < settled)
            )
        ]
        return Export(public_key=self.public_key(), anchors=exported, records=_once(records))


def anchored(anchors: Iterator[Anchor]) -> set[Place]:
    """Return the places of the records that these anchors are of."""
    return {
        (chain, number)
        for anchor in anchors
        for chain, links in anchor.chains.items()
        for link in links
        for number in range(link.first, link.last + 1)
    }


def _once(records: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Return the records without those that CloudWatch has twice."""
    return list({str(sorted(each.items())): each for each in records}.values())


def settings_of(stack: str) -> Settings:
    """Return the settings of the function that anchors; raises `Refused`."""
    pages = boto3.client("cloudformation").get_paginator("list_stack_resources").paginate(StackName=stack)
    try:
        resources = [each for page in pages for each in page["StackResourceSummaries"]]
    except ClientError as error:
        raise Refused(f"There is no stack {stack}: {error}.") from None
    found = [
        each["PhysicalResourceId"]
        for each in resources
        if each["ResourceType"] == "AWS::Lambda::Function" and ANCHORS in each["LogicalResourceId"]
    ]
    if len(found) != 1:
        raise Refused(
            f"The stack {stack} has {len(found)} functions that anchor an audit, and this is for one of them."
        )
    configuration = boto3.client("lambda").get_function_configuration(FunctionName=found[0])
    return Settings.of(configuration["Environment"]["Variables"])


def said(proof: Proof) -> Iterator[str]:
    """Yield what a proof found, in lines, which have nothing in them that a terminal would do."""
    for each in (*proof.faults, *proof.noted):
        # A file that somebody else wrote may name anything as a chain.
        yield printable(each)
    if proof.faults:
        yield f"Not proven: {len(proof.faults)} faults."
    elif proof.anchors:
        first, last = proof.anchors[0], proof.anchors[-1]
        yield (
            f"Proven: {proof.records - proof.unsure} records, up to {last.until.isoformat(timespec='seconds')}, "
            f"by the anchors {first.number} to {last.number} of the key {fingerprint(proof.key)}."
        )


def check(file: Path, key: str) -> Proof:
    """Prove a file whose public key has this fingerprint; raises `Refused`."""
    try:
        lines = file.read_text().splitlines()
    except (OSError, ValueError) as error:
        raise Refused(f"{file} cannot be read: {error}") from None
    proof = prove(lines)
    if fingerprint(proof.key) != key:
        proof.faults.insert(0, f"It is signed by the key {fingerprint(proof.key)}, which is another one.")
    return proof


def main(arguments: list[str] | None = None) -> int:
    """Do what the arguments say, print what was found, and return the exit status."""
    parser = stage_parser("make audit")
    parser.add_argument("--since", type=moment, default=aws.clock.now() - A_DAY, help="a date, or a time in UTC")
    parser.add_argument("--export", type=Path, help="the file to write")
    parser.add_argument("--check", type=existing, help="an export to prove, in place of the stage's audit")
    parser.add_argument("--key", help="the fingerprint of the key that has signed it, if not that of the stage")
    given = parser.parse_args(arguments)
    try:
        proof = _proof(given)
    except Refused as error:
        sys.exit(str(error))
    except UNREADABLE as error:
        sys.exit(f"The audit cannot be read: {reason(error)}")
    for line in said(proof):
        print(line)
    return 1 if proof.faults or proof.noted else 0


def _proof(given: argparse.Namespace) -> Proof:
    if given.check and given.key:
        return check(given.check, given.key)
    trail = Trail.of(stack_of(given))
    if given.check:
        return check(given.check, fingerprint(trail.public_key()))
    lines = list(trail.export(given.since).lines())
    if given.export:
        given.export.write_text("\n".join([*lines, ""]))
    return prove(lines)


if __name__ == "__main__":
    sys.exit(main())
