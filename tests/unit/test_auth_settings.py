"""The authorizer's settings: which are read, and which are rejected."""

from datetime import timedelta

import pytest

from mcp_tasks.adapters.jwt.settings import AuthSettings

ENVIRONMENT = {"ISSUER": "https://issuer.test", "AUDIENCE": "https://mcp.test", "JWKS_URL": "https://issuer.test/jwks"}


def test_the_settings_come_from_the_environment() -> None:
    environment = ENVIRONMENT | {
        "AUDIENCE": "https://mcp.test, https://old.test",
        "ALGORITHMS": "ES256,EdDSA",
        "TENANT_CLAIM": "org.id",
        "SUBJECT_CLAIM": "uid",
        "SCOPE_CLAIM": "scp",
        "ROLES_CLAIM": "cognito:groups",
        "MAX_TOKEN_AGE_SECONDS": "3600",
    }

    assert AuthSettings.of(environment) == AuthSettings(
        issuer="https://issuer.test",
        audiences=("https://mcp.test", "https://old.test"),
        jwks_url="https://issuer.test/jwks",
        algorithms=("ES256", "EdDSA"),
        tenant_claim="org.id",
        subject_claim="uid",
        scope_claim="scp",
        roles_claim="cognito:groups",
        max_age=timedelta(hours=1),
    )


def test_an_empty_setting_is_the_default() -> None:
    claims = ("TENANT_CLAIM", "SUBJECT_CLAIM", "SCOPE_CLAIM", "ROLES_CLAIM")
    blank = dict.fromkeys(("ALGORITHMS", *claims, "MAX_TOKEN_AGE_SECONDS"), "")

    assert AuthSettings.of(ENVIRONMENT | blank) == AuthSettings.of(ENVIRONMENT)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("ISSUER", ""),
        ("AUDIENCE", " "),
        ("CLIENT_IDS", "4abc"),
        ("JWKS_URL", ""),
        ("JWKS_URL", "http://issuer.test/jwks"),
        ("JWKS_URL", "file:///etc/passwd"),
        ("JWKS_URL", "http://127.0.0.1.issuer.test/jwks"),
        ("ALGORITHMS", "ES256 none"),
        ("ALGORITHMS", "HS256"),
        ("ALGORITHMS", ","),
        ("MAX_TOKEN_AGE_SECONDS", "0"),
        ("MAX_TOKEN_AGE_SECONDS", "-1"),
        ("MAX_TOKEN_AGE_SECONDS", "1.5"),
        ("MAX_TOKEN_AGE_SECONDS", "a day"),
    ],
)
def test_a_setting_that_would_believe_too_much_is_rejected(name: str, value: str) -> None:
    with pytest.raises(ValueError, match=name):
        AuthSettings.of(ENVIRONMENT | {name: value})
