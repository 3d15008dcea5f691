"""What is too large for an item: arguments, results and recorded steps, inline while they fit, in S3 above that."""

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from mcp_tasks.adapters.dynamodb.items import Item
from mcp_tasks.limits.aws import MAX_INLINE_CHARACTERS
from mcp_tasks.tasks.model import JSON


@dataclass(frozen=True, slots=True, kw_only=True)
class Payloads:
    """Values on their way into an item's attributes and back.

    `client` makes the S3 client, and is called only when there is something to move: most processes never need one.
    An object is named by its content and written before the item that points to it, so that writing twice is
    harmless and no item ever points at nothing.  Objects nobody points to are the bucket's lifecycle rule's business.
    """

    client: Callable[[], Any]
    bucket: str

    def pack(self, owner_key: str, task_id: str, value: JSON, *, beside: int = 1) -> Item:
        """Return the attributes that keep one of so many values, once whatever they point to is stored."""
        text = json.dumps(value, separators=(",", ":"))
        if len(text) <= MAX_INLINE_CHARACTERS // beside:
            return {"json": {"S": text}}
        body = text.encode()
        name = f"{owner_key}/{task_id}/{hashlib.sha256(body).hexdigest()}"
        self.client().put_object(Bucket=self.bucket, Key=name, Body=body, ContentType="application/json")
        return {"object": {"S": name}}

    def unpack(self, item: Mapping[str, Any]) -> JSON:
        """Return the value that an item's attributes keep."""
        if "json" in item:
            return json.loads(item["json"]["S"])
        return json.load(self.client().get_object(Bucket=self.bucket, Key=item["object"]["S"])["Body"])
