"""Clients of AWS with given credentials, for tools; those are boto3's too."""

from functools import cache
from typing import Any

from botocore.session import Session

from mcp_tasks.security.credentials import Credentials


def client(service: str, credentials: Credentials, **options: Any) -> Any:
    """Return a client of a service that acts with these credentials; `options` are those of boto3's `client`."""
    return _session().create_client(
        service,
        aws_access_key_id=credentials.access_key,
        aws_secret_access_key=credentials.secret_key,
        aws_session_token=credentials.session_token,
        **options,
    )


@cache
def _session() -> Session:
    # What botocore reads of services is read once; it has no tenant's credentials.
    return Session()
