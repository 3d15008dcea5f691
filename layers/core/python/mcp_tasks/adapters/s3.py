"""Stores arguments, results, steps and responses as JSON: small ones in the item, others in an S3 object."""

import hashlib
import json
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, TypeVar

from botocore.exceptions import ClientError

from mcp_tasks.adapters.aws_failures import patiently
from mcp_tasks.adapters.dynamodb.items import Item
from mcp_tasks.adapters.dynamodb.reading import Fields, from_json, string_attribute
from mcp_tasks.limits.aws import MAX_INLINE_CHARACTERS
from mcp_tasks.records import record
from mcp_tasks.tasks.errors import PayloadRefused
from mcp_tasks.tasks.json_values import Read
from mcp_tasks.tasks.model import JSON

T = TypeVar("T")


@record
class Packed:
    """The attributes that store a value, and what the object that they point to is to hold, if they do."""

    attributes: Item
    body: bytes | None = None


@record
class Payloads:
    """Converts values to attributes of an item and back, through S3 where an object costs less.

    `client` makes the S3 client, and is called only for a large value: many processes never need one.
    An object is named by its content's hash and written before the item that points to it, so that writing twice is
    harmless and no item points at a missing object.  The bucket's lifecycle rule deletes all objects in the end.
    """

    client: Callable[[], Any]
    bucket: str

    def pack(self, owner_key: str, task_id: str, value: JSON) -> Packed:
        """Return what stores a value, with an S3 object where it is large; puts nothing."""
        text = json.dumps(value, separators=(",", ":"))
        if len(text) <= MAX_INLINE_CHARACTERS:
            return Packed(attributes={"json": {"S": text}})
        body = text.encode()
        name = f"{owner_key}/{task_id}/{_digest(body)}"
        return Packed(attributes={"object": {"S": name}}, body=body)

    def put(self, packed: Packed) -> Item:
        """Return the attributes that store a value, having put its object if it needs one."""
        if packed.body is not None:
            name = packed.attributes["object"]["S"]
            put = {"Bucket": self.bucket, "Key": name, "Body": packed.body, "ContentType": "application/json"}
            patiently(partial(self.client().put_object, **put))
        return packed.attributes

    def unpack(self, item: Mapping[str, Any], read: Read[T]) -> T:
        """Return what `read` makes of the value that an item's attributes store; raises `UnreadableItem`.

        It raises that too where the object is gone, is another owner's, or does not hold what was put.
        """
        fields = Fields.of(item)
        if "json" in item:
            return fields.required("json", lambda attribute: read(from_json(attribute)))
        return fields.required(
            "object", lambda attribute: read(json.loads(self._object(item, string_attribute(attribute))))
        )

    def _object(self, item: Mapping[str, Any], name: str) -> bytes:
        """Return the content of an item's object; raises `ValueError` where that is not what the item's owner put."""
        if not name.startswith(f"{item['PK']['S']}/"):
            raise ValueError
        try:
            body: bytes = patiently(lambda: self.client().get_object(Bucket=self.bucket, Key=name)["Body"].read())
        except ClientError as error:
            match error.response["Error"]["Code"]:
                case "NoSuchKey":
                    raise ValueError from error
                case "AccessDenied":
                    raise PayloadRefused(item["SK"]["S"]) from error
            raise
        if _digest(body) != name.rpartition("/")[2]:
            raise ValueError
        return body


def _digest(body: bytes) -> str:
    return hashlib.sha256(body).hexdigest()
