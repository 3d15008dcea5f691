"""The local stack's issuer: one key for a working copy, and tokens that the server accepts."""

import json
import stat
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import urlopen

import pytest

import local.issuer
from local.issuer import Issuer
from mcp_tasks.adapters.jwt.settings import AuthSettings
from mcp_tasks.adapters.jwt.tokens import Rejection, TokenRejected, TokenVerifier
from mcp_tasks.security.tenancy import Caller


def verifier(issuer: Issuer) -> TokenVerifier:
    return TokenVerifier(AuthSettings(issuer=issuer.issuer, audiences=(issuer.audience,), jwks_url=issuer.jwks_url))


def test_its_token_is_believed(tmp_path: Path) -> None:
    with Issuer(home=tmp_path) as issuer:
        caller = verifier(issuer).verify(issuer.token("acme", "ada", scope="tasks:read"))

    assert caller == Caller(tenant="acme", subject="ada", scopes=frozenset({"tasks:read"}))


def test_a_token_made_elsewhere_with_the_same_key_file_is_believed(tmp_path: Path) -> None:
    with Issuer(home=tmp_path) as issuer:
        assert verifier(issuer).verify(Issuer(home=tmp_path).token("acme", "ada")).subject == "ada"


def test_a_token_of_another_key_file_is_not_believed(tmp_path: Path) -> None:
    with Issuer(home=tmp_path / "one") as issuer, pytest.raises(TokenRejected) as rejected:
        verifier(issuer).verify(Issuer(home=tmp_path / "other").token("acme", "ada"))

    assert rejected.value.rejection is Rejection.UNKNOWN_KEY


def test_a_claim_can_be_replaced_and_left_out(tmp_path: Path) -> None:
    with Issuer(home=tmp_path) as issuer:
        verify = verifier(issuer).verify
        with pytest.raises(TokenRejected, match="wrong_audience"):
            verify(issuer.token("acme", "ada", aud="https://else.test"))
        with pytest.raises(TokenRejected, match="missing_claim"):
            verify(issuer.token("acme", "ada", tenant_id="acme", exp=None))
        with pytest.raises(TokenRejected, match="expired"):
            verify(issuer.token("acme", "ada", ttl=timedelta(minutes=-1)))


def test_the_key_is_made_once_and_nobody_else_may_read_it(tmp_path: Path) -> None:
    home = tmp_path / "new" / "issuer"
    with ThreadPoolExecutor(8) as pool:
        names = set(pool.map(lambda _: Issuer(home=home).public_key["kid"], range(8)))

    assert len(names) == 1
    assert [file.name for file in home.iterdir()] == ["key.pem"]
    assert stat.S_IMODE((home / "key.pem").stat().st_mode) == 0o600


def test_it_says_where_its_keys_are_and_keeps_the_private_half(tmp_path: Path) -> None:
    with Issuer(home=tmp_path) as issuer:
        for name in ("openid-configuration", "oauth-authorization-server"):
            metadata = json.load(urlopen(f"{issuer.url}/.well-known/{name}"))
            assert metadata == {"issuer": issuer.issuer, "jwks_uri": issuer.jwks_url, "response_types_supported": []}
        published = json.load(urlopen(issuer.jwks_url))
        with pytest.raises(HTTPError, match="404") as missing:
            urlopen(f"{issuer.url}/key.pem")
        missing.value.close()

    assert published == {"keys": [issuer.public_key]}
    assert issuer.public_key.keys() == {"kty", "crv", "x", "y", "kid", "alg", "use"}


def test_it_prints_a_token_on_the_command_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(local.issuer, "HOME", tmp_path)
    local.issuer.main(["token", "--tenant", "acme", "--subject", "ada", "--scope", "tasks:read"])
    printed = capsys.readouterr().out

    with Issuer(home=tmp_path) as issuer:
        caller = verifier(issuer).verify(printed.strip())
    assert caller == Caller(tenant="acme", subject="ada", scopes=frozenset({"tasks:read"}))
