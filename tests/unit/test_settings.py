"""Settings that a function reads from its environment."""

from datetime import timedelta
from pathlib import Path

import pytest

from mcp_tasks.engine.limits import Limits
from mcp_tasks.security.scopes import StageScopes
from mcp_tasks.settings import Settings
from mcp_tasks.tasks.named_plans import NamedPlans
from mcp_tasks.tasks.plan import Plan

LEAST = {"TABLE_NAME": "tasks", "PAYLOAD_BUCKET": "payloads"}


def test_what_is_not_said_has_a_default() -> None:
    assert Settings.of(LEAST) == Settings(table_name="tasks", payload_bucket="payloads")


def test_everything_can_be_said() -> None:
    settings = Settings.of(
        {
            **LEAST,
            "MACHINES": '{"run_tool": "arn"}',
            "INLINE_FUNCTION": "mine",
            "CATALOGUE": "/opt/catalogue.json",
            "STREAM_ARN": "stream",
            "MAX_HOLD_SECONDS": "12.5",
            "REQUEST_STATE_LIFETIME_SECONDS": "90",
            "ALLOWED_ORIGINS": "https://a.example,https://b.example",
            "SERVER_NAME": "n",
            "SERVER_VERSION": "2",
            "SERVER_ABOUT": '{"title": "N"}',
            "INSTRUCTIONS": "Call it.",
            "PAGE_SIZE": "7",
            "REQUIRED_SCOPES": '{"call": ["tools"], "answer": ["tools", "input"]}',
            "HIDE_TOOLS": "1",
            "METADATA_URL": "https://a.example/metadata",
            "MAX_ACTIVE_TASKS": "3",
            "PLANS": '{"gold": {"held_waits": 9}}',
            "MAX_RUNNING_TASKS": "2",
            "DEFAULT_TTL_SECONDS": "60",
            "MAX_TTL_SECONDS": "600",
            "AUDIT_LOG_GROUPS": '["a", "b"]',
            "LOG_RETENTION_DAYS": "14",
            "ANYTHING_ELSE": "is somebody else's",
        }
    )

    assert settings == Settings(
        table_name="tasks",
        payload_bucket="payloads",
        machines={"run_tool": "arn"},
        inline_function="mine",
        catalogue=Path("/opt/catalogue.json"),
        stream_arn="stream",
        max_hold=timedelta(seconds=12.5),
        request_state_lifetime=timedelta(seconds=90),
        origins=frozenset({"https://a.example", "https://b.example"}),
        server_name="n",
        server_version="2",
        about={"title": "N"},
        instructions="Call it.",
        page_size=7,
        plans=NamedPlans(
            default=Plan(active_tasks=3, running_tasks=2),
            others={"gold": Plan(active_tasks=3, running_tasks=2, held_waits=9)},
        ),
        scopes=StageScopes(call=["tools"], answer=["tools", "input"]),
        hides_tools=True,
        metadata_url="https://a.example/metadata",
        audit_groups=("a", "b"),
        log_kept=timedelta(days=14),
        limits=Limits(default_ttl=timedelta(minutes=1), longest_ttl=timedelta(minutes=10)),
    )


@pytest.mark.parametrize("name", LEAST)
def test_what_has_no_default_must_be_said(name: str) -> None:
    with pytest.raises(KeyError, match=name):
        Settings.of({known: value for known, value in LEAST.items() if known != name})


def test_no_catalogue_and_no_origins_are_empty_texts_too() -> None:
    assert Settings.of({**LEAST, "CATALOGUE": "", "ALLOWED_ORIGINS": ""}) == Settings.of(LEAST)


@pytest.mark.parametrize(
    ("metadata_url", "origins"),
    [
        ("https://api.example/prod/.well-known/oauth-protected-resource/mcp", {"https://api.example"}),
        ("http://127.0.0.1:4566/x", {"http://127.0.0.1:4566"}),
        ("", set()),
    ],
)
def test_pages_of_the_servers_own_origin_may_call(metadata_url: str, origins: set[str]) -> None:
    settings = Settings.of({**LEAST, "METADATA_URL": metadata_url, "ALLOWED_ORIGINS": "https://a.example"})

    assert settings.origins == origins | {"https://a.example"}
