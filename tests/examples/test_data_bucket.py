"""A caller reads below their own tenant's prefix; anything else is as if it were not there."""

from typing import Any

import pytest

from examples.data_bucket import client_of_call, client_of_task, read_text
from examples.profile_csv import LARGEST, profile_csv
from mcp_tasks import Caller, Context, ToolError
from mcp_tasks.testing.harness import CALLER
from mcp_tasks.testing.journal import NULL_JOURNAL
from tests.examples.conftest import BUCKET as DATA
from tests.examples.conftest import REGION

ADA = CALLER
BOB = Caller(tenant=ADA.tenant, subject="bob")
EVE = Caller(tenant="rival", subject="eve")
OTHER = "payloads"


@pytest.fixture(autouse=True)
def other(s3: Any, bucket: str) -> None:
    """A bucket that is not for callers."""
    s3.create_bucket(Bucket=OTHER, CreateBucketConfiguration={"LocationConstraint": REGION})


def read(source: str, caller: Caller = ADA, at_most: int = 100) -> str:
    return read_text(client_of_call(), caller, source, at_most=at_most)


def rejection(source: str, caller: Caller = ADA, at_most: int = 100) -> str:
    with pytest.raises(ToolError) as rejected:
        read(source, caller, at_most)
    return str(rejected.value)


@pytest.mark.parametrize("key", ["a.csv", "deep/er/a.csv", "ü 100%.csv", "a..b.csv", "a+b.csv"])
def test_a_tenants_people_read_its_objects(s3: Any, key: str) -> None:
    s3.put_object(Bucket=DATA, Key=f"acme/{key}", Body="é".encode())

    assert read(key) == "é"
    assert read(key, BOB) == "é"


@pytest.mark.parametrize(
    "source",
    [
        "no-such.csv",
        "rival/secret.csv",
        f"../{EVE.tenant}/secret.csv",
        "./a.csv",
        f"x/../../{EVE.tenant}/secret.csv",
        f"%2e%2e/{EVE.tenant}/secret.csv",
        f"%2E./{EVE.tenant}/secret.csv",
        f"..%2f{EVE.tenant}%2Fsecret.csv",
        f"..\\{EVE.tenant}\\secret.csv",
        f"/{EVE.tenant}/secret.csv",
        f"s3://{DATA}/{EVE.tenant}/secret.csv",
        f"s3://{DATA}/{ADA.tenant}/a.csv",
        f"s3://{OTHER}/acme/secret.csv",
        "/etc/passwd",
        "file:///etc/passwd",
        "http://169.254.169.254/latest/meta-data/",
        "",
    ],
)
def test_whatever_is_not_theirs_is_rejected_as_if_it_were_not_there(s3: Any, source: str) -> None:
    for key in ["rival/secret.csv", "acmes/secret.csv", "secret.csv", "acme/a.csv", "acme//rival/secret.csv"]:
        s3.put_object(Bucket=DATA, Key=key, Body=b"secret")
    s3.put_object(Bucket=OTHER, Key="acme/secret.csv", Body=b"secret")

    assert rejection(source) == f"Your tenant has no object {source}."


@pytest.mark.parametrize("tenant", ["acme/sub", "a#b", "é", "acme ", "%", "..x", ".", "..", "..."])
def test_a_tenant_of_any_name_has_one_folder_of_its_own(s3: Any, tenant: str) -> None:
    caller = Caller(tenant=tenant, subject="ada")
    own = f"{caller.tenant_tag}/a.csv"
    s3.put_object(Bucket=DATA, Key=own, Body=b"mine")
    s3.put_object(Bucket=DATA, Key="acme/sub/b.csv", Body=b"acme's own")

    assert read("a.csv", caller) == "mine"
    assert "Your tenant has no object" in rejection("b.csv", caller)


@pytest.mark.parametrize("tenant", [".", "..", "..."])
def test_a_tenant_that_is_called_like_a_way_up_gets_nowhere(s3: Any, tenant: str) -> None:
    s3.put_object(Bucket=DATA, Key=f"{tenant}/acme/a.csv", Body=b"acme's own")

    assert "Your tenant has no object" in rejection("acme/a.csv", Caller(tenant=tenant, subject="ada"))


def test_an_object_may_be_so_long_and_not_longer(s3: Any) -> None:
    s3.put_object(Bucket=DATA, Key="acme/a.csv", Body=b"x" * 1_001)

    assert len(read("a.csv", at_most=1_001)) == 1_001
    assert rejection("a.csv", at_most=1_000) == "a.csv is 1,001 bytes long; at most 1,000 are read."


def test_what_is_not_text_is_rejected(s3: Any) -> None:
    s3.put_object(Bucket=DATA, Key="acme/a.csv", Body="naïve".encode("latin-1"))

    assert rejection("a.csv") == "a.csv is not UTF-8 text: byte 2 fits nowhere."


def test_a_server_without_a_data_bucket_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DATA_BUCKET")

    assert rejection("a.csv") == "This server has no data bucket."
    with pytest.raises(ToolError, match="This server has no data bucket"):
        client_of_task(Context(caller=ADA, journal=NULL_JOURNAL))


def test_a_table_is_profiled_where_it_lies(s3: Any) -> None:
    s3.put_object(Bucket=DATA, Key="acme/a.csv", Body=b"\xef\xbb\xbfa,b\n1,2\n")
    context = Context(caller=ADA, journal=NULL_JOURNAL)

    assert profile_csv(context, source="a.csv") == profile_csv(context, csv="a,b\n1,2\n")


def test_a_large_table_is_rejected_unread(s3: Any) -> None:
    s3.put_object(Bucket=DATA, Key="acme/a.csv", Body=b"a,b\n1,2\n" + b"\n" * LARGEST)

    with pytest.raises(ToolError, match="is 10,000,008 bytes long; at most 10,000,000 are read"):
        profile_csv(Context(caller=ADA, journal=NULL_JOURNAL), source="a.csv")
