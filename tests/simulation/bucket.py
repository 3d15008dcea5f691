"""The bucket of a story, in memory: what S3 does of which the server makes use."""

from collections.abc import Iterator
from io import BytesIO
from typing import Any

from botocore.exceptions import ClientError


class Bucket:
    """A client of S3 whose objects lie in one bucket."""

    def __init__(self) -> None:
        self.objects: dict[str, bytes] = {}

    def put_object(self, *, Key: str, Body: bytes, **_: str) -> None:
        """Keep an object."""
        self.objects[Key] = Body

    def get_object(self, *, Key: str, **_: str) -> dict[str, Any]:
        """Return an object; raises `ClientError`."""
        if Key not in self.objects:
            raise ClientError({"Error": {"Code": "NoSuchKey", "Message": ""}}, "GetObject")
        return {"Body": BytesIO(self.objects[Key])}

    def delete_object(self, *, Key: str, **_: str) -> None:
        """Delete an object, if there is one."""
        self.objects.pop(Key, None)

    def get_paginator(self, operation: str) -> "Bucket":
        """Return what lists the objects: that alone comes in pages."""
        assert operation == "list_objects_v2", operation
        return self

    def paginate(self, *, Prefix: str, **_: str) -> Iterator[dict[str, Any]]:
        """Yield a page for each object."""
        for key in [key for key in self.objects if key.startswith(Prefix)]:
            yield {"Contents": [{"Key": key}]}
