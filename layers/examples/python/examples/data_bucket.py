"""Access to the data bucket, limited to the folder of the caller's tenant."""

import os
import re
from functools import cache
from typing import Any
from urllib.parse import quote

from mcp_tasks import Caller, ToolError

# Without the right to list a bucket, S3 answers AccessDenied where a key does not exist.
MISSING = {"NoSuchKey", "AccessDenied"}


class NoSuchObject(ToolError):
    """The caller's folder has no such object."""


def is_there() -> bool:
    """Return whether this server has a data bucket."""
    return bool(os.environ.get("DATA_BUCKET"))


def read_text(caller: Caller, name: str, *, at_most: int) -> str:
    """Return the UTF-8 object of that name in the caller's folder.

    Raises `ToolError`, which does not reveal the folder, if there is none or it has more than `at_most` bytes.
    """
    from botocore.exceptions import ClientError

    bucket, key = _bucket(), _key(caller, name)
    # Another tenant's object and no object give the same error.
    missing = NoSuchObject(f"Your tenant has no object {name}.")
    if _climbs(key):
        raise missing
    try:
        found = _s3().get_object(Bucket=bucket, Key=key)
    except ClientError as error:
        if error.response["Error"]["Code"] in MISSING:
            raise missing from None
        raise
    if found["ContentLength"] > at_most:
        raise ToolError(f"{name} is {found['ContentLength']:,} bytes long; at most {at_most:,} are read.")
    try:
        return str(found["Body"].read(), encoding="utf-8")
    except UnicodeDecodeError as error:
        raise ToolError(f"{name} is not UTF-8 text: byte {error.start:,} fits nowhere.") from None


def write_text(caller: Caller, name: str, text: str) -> None:
    """Write a text to the object of that name in the caller's folder; raises `ToolError` without a data bucket."""
    key = _key(caller, quote(name, safe=""))
    _s3().put_object(Bucket=_bucket(), Key=key, Body=text.encode(), ContentType="text/markdown")


def _bucket() -> str:
    bucket = os.environ.get("DATA_BUCKET")
    if not bucket:
        raise ToolError("This server has no data bucket.")
    return bucket


def _key(caller: Caller, name: str) -> str:
    # Quoted, a tenant's name is one folder, whatever characters it has.
    return f"{quote(caller.tenant, safe='')}/{name}"


def _climbs(key: str) -> bool:
    # To S3 ".." is an ordinary name, but not to everything that implements its API.
    return any(re.fullmatch(r"(\.|%2e)*", part, re.IGNORECASE) for part in re.split(r"/|\\|%2f|%5c", key))


@cache
def _s3() -> Any:
    # Created on first use: most calls do not need it.
    from botocore.config import Config
    from botocore.session import get_session

    # The client waits while a resource is read, and the gateway times out after 29 s.  A large object takes many reads.
    soon = Config(connect_timeout=1, read_timeout=3, retries={"mode": "standard", "total_max_attempts": 3})
    return get_session().create_client("s3", config=soon)
