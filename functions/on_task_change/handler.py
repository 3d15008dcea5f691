"""Reconciles tasks by the table's DynamoDB stream: starts, stops and resumes executions, and releases quota.

Records are delivered at least once, and in order for each task; one that fails is retried, for a limited time.  A
record that is damaged, or that only a newer release can read, would fail each time, so it is left to the sweep.

What happened to a task is written here too, since the stream misses nothing, and before all else, since the rest may
fail.  Of an item of an inbox, its audience is told.
"""

import os
from collections.abc import Mapping
from functools import partial
from typing import Any

from aws_lambda_powertools.utilities.batch import BatchProcessor, EventType, process_partial_response
from aws_lambda_powertools.utilities.data_classes.dynamo_db_stream_event import DynamoDBRecord

from mcp_tasks import audit, bootstrap
from mcp_tasks.adapters.dynamodb.changes import change_of, deleted_while_live
from mcp_tasks.adapters.dynamodb.inbox_changes import inbox_change_of, is_of_inbox
from mcp_tasks.adapters.dynamodb.items import owner_and_id
from mcp_tasks.engine.task_events import EXPIRED, events_of
from mcp_tasks.fallbacks import skip_unreadable
from mcp_tasks.security.tenancy import Caller
from mcp_tasks.settings import Settings

RECONCILER = bootstrap.reconciler(Settings.of(os.environ))
NOTICES = bootstrap.approval_notices(Settings.of(os.environ))
BATCH = BatchProcessor(event_type=EventType.DynamoDBStreams)


def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    """Handle a batch of records; returns those that failed, which Lambda delivers again."""
    return dict(process_partial_response(event, on_record, BATCH, context))


def on_record(record: DynamoDBRecord) -> None:
    """Reconcile the task of one record, or tell of the approval that it is about; raises whatever prevents it."""
    described = record.raw_event["dynamodb"]
    if is_of_inbox(described):
        on_approval(described)
        return
    owner_key, task_id = owner_and_id(described["Keys"])
    left = partial(skip_unreadable, "the task is left as it is", owner_key=owner_key, task=task_id)
    with left():
        change = change_of(described)
        for happened in events_of(change.before, change.after):
            audit.write(happened.name, Caller.of_owner_key(owner_key), happened.fields)
        # A record that met a damaged counter would fail until that is repaired, from the tasks that there are then.
        with left():
            RECONCILER.changed(owner_key, change.before, change.after)
        return
    if deleted_while_live(described):
        # The item is gone, so no sweep can find it, nor does anybody know more of it than its key.
        audit.write(EXPIRED, Caller.of_owner_key(owner_key), {"task": task_id})
        with left():
            RECONCILER.deleted(owner_key, task_id)


def on_approval(described: Mapping[str, Any]) -> None:
    """Tell those whose inbox an item is in; raises whatever prevents it."""
    # What is before the place may name a subject.
    tenant, place = described["Keys"]["PK"]["S"], described["Keys"]["SK"]["S"].rpartition("#")[2]
    with skip_unreadable("nobody is told of the approval", tenant=tenant, approval=place):
        NOTICES.changed(*inbox_change_of(described))
