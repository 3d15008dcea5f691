"""Stores arguments, results, steps and responses as JSON: in the item where they fit, in an S3 object where not."""

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from mcp_tasks.adapters.dynamodb.items import Item
from mcp_tasks.adapters.dynamodb.reading import Fields, from_json, string_attribute
from mcp_tasks.limits.aws import MAX_INLINE_CHARACTERS
from mcp_tasks.tasks.json_values import Read
from mcp_tasks.tasks.model import JSON

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Payloads:
    """Converts values to attributes of an item and back, through S3 where they are too large.

    `client` makes the S3 client, and is called only for a large value: most processes never need one.
    An object is named by its content's hash and written before the item that points to it, so that writing twice is
    harmless and no item points at a missing object.  The bucket's lifecycle rule deletes all objects in the end.
    """

    client: Callable[[], Any]
    bucket: str

    def pack(self, owner_key: str, task_id: str, value: JSON, *, beside: int = 1) -> Item:
        """Return the attributes that store a value, having put its S3 object where it needs one.

        `beside` is how many values one transaction stores: they share what fits into the items.
        """
        text = json.dumps(value, separators=(",", ":"))
        if len(text) <= MAX_INLINE_CHARACTERS // beside:
            return {"json": {"S": text}}
        body = text.encode()
        name = f"{owner_key}/{task_id}/{hashlib.sha256(body).hexdigest()}"
        self.client().put_object(Bucket=self.bucket, Key=name, Body=body, ContentType="application/json")
        return {"object": {"S": name}}

    def unpack(self, item: Mapping[str, Any], read: Read[T]) -> T:
        """Return what `read` makes of the value that an item's attributes store; raises `UnreadableItem`."""
        fields = Fields.of(item)
        if "json" in item:
            return fields.required("json", lambda attribute: read(from_json(attribute)))
        name = fields.required("object", string_attribute)
        body = self.client().get_object(Bucket=self.bucket, Key=name)["Body"].read()
        return fields.required("object", lambda attribute: read(json.loads(body)))
