"""Access to the data bucket, limited to the folder of the caller's tenant."""

import os
import re
from functools import cache
from typing import Any
from urllib.parse import quote

from mcp_tasks import Caller, Context, ToolError

# Without the right to list a bucket, S3 answers AccessDenied where a key does not exist.
MISSING = {"NoSuchKey", "AccessDenied"}


class NoSuchObject(ToolError):
    """The caller's folder has no such object."""


def is_there() -> bool:
    """Return whether this server has a data bucket."""
    return bool(os.environ.get("DATA_BUCKET"))


def client_of_task(context: Context) -> Any:
    """Return the client for a task, which IAM holds to the folder of its caller's tenant; raises `ToolError`."""
    _bucket()
    return context.aws("s3", config=_soon())


@cache
def client_of_call() -> Any:
    """Return the client for a call that is no task, which reaches all folders."""
    # Imported on first use, as below: most calls need no bucket.
    from botocore.session import get_session

    return get_session().create_client("s3", config=_soon())


def read_text(s3: Any, caller: Caller, name: str, *, at_most: int) -> str:
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
        found = s3.get_object(Bucket=bucket, Key=key)
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


def write_text(s3: Any, caller: Caller, name: str, text: str) -> None:
    """Write a text to the object of that name in the caller's folder; raises `ToolError` without a data bucket."""
    key = _key(caller, quote(name, safe=""))
    s3.put_object(Bucket=_bucket(), Key=key, Body=text.encode(), ContentType="text/markdown")


def _bucket() -> str:
    bucket = os.environ.get("DATA_BUCKET")
    if not bucket:
        raise ToolError("This server has no data bucket.")
    return bucket


def _key(caller: Caller, name: str) -> str:
    # One folder, whatever characters the tenant's name has, and the one that IAM knows.
    return f"{caller.tenant_tag}/{name}"


def _climbs(key: str) -> bool:
    # To S3 ".." is an ordinary name, but not to everything that implements its API.
    return any(re.fullmatch(r"(\.|%2e)*", part, re.IGNORECASE) for part in re.split(r"/|\\|%2f|%5c", key))


def _soon() -> Any:
    from botocore.config import Config

    # The client waits while a resource is read, and the gateway times out after 29 s.  A large object takes many reads.
    return Config(connect_timeout=1, read_timeout=3, retries={"mode": "standard", "total_max_attempts": 3})
