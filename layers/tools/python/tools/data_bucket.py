"""The data bucket as a caller may see it: their own tenant's folder, and nothing beside it."""

import os
import re
from functools import cache
from typing import Any
from urllib.parse import quote

from mcp_tasks import Caller, ToolError

# Without the right to list a bucket, S3 answers AccessDenied where a key does not exist.
MISSING = {"NoSuchKey", "AccessDenied"}


class NoSuchObject(ToolError):
    """There is nothing there for this caller."""


def is_there() -> bool:
    """Tell whether this server has a data bucket at all."""
    return bool(os.environ.get("DATA_BUCKET"))


def read_text(caller: Caller, name: str, *, at_most: int) -> str:
    """Return the UTF-8 object of that name in the caller's folder, if it is no longer than `at_most` bytes.

    Raises `ToolError`, which says nothing of where the folder is.
    """
    from botocore.exceptions import ClientError

    bucket, key = _bucket(), _key(caller, name)
    # Somebody else's object and no object are refused in the same words.
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
    """Keep a text under a plain name in the caller's folder; raises `ToolError`."""
    key = _key(caller, quote(name, safe=""))
    _s3().put_object(Bucket=_bucket(), Key=key, Body=text.encode(), ContentType="text/markdown")


def _bucket() -> str:
    bucket = os.environ.get("DATA_BUCKET")
    if not bucket:
        raise ToolError("This server has no data bucket to read from.")
    return bucket


def _key(caller: Caller, name: str) -> str:
    # Quoted, a tenant's name is one folder, whatever it is made of.
    return f"{quote(caller.tenant, safe='')}/{name}"


def _climbs(key: str) -> bool:
    # S3 takes ".." for a name, but not everything that speaks S3 does.
    return any(re.fullmatch(r"(\.|%2e)*", part, re.IGNORECASE) for part in re.split(r"/|\\|%2f|%5c", key))


@cache
def _s3() -> Any:
    # Made at first use: a server that only greets need not pay for it.
    from botocore.config import Config
    from botocore.session import get_session

    # Who reads a resource waits for it, and the gateway hangs up after 29 s.  A large object is many short reads.
    soon = Config(connect_timeout=1, read_timeout=3, retries={"mode": "standard", "total_max_attempts": 3})
    return get_session().create_client("s3", config=soon)
