"""The bucket of a story, in memory: what S3 does of which the server makes use."""

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
