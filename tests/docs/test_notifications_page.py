"""docs/notifications.md: the event is one that is sent, and the rule matches it."""

import json
import re
from datetime import timedelta
from types import SimpleNamespace
from typing import Any

from aws_cdk import App, Stack
from aws_cdk.assertions import Template

from mcp_tasks.adapters.eventbridge import EventBridgeNotifier
from mcp_tasks.tasks.approvals import Audience, Kind
from mcp_tasks.tasks.notifications import Notification, Occasion
from tests.docs.blocks import ROOT, blocks
from tests.harness.events import matches
from tests.kit import NOON


class Bus:
    """Keeps the one event that is put."""

    sent: Any = None

    def put_events(self, **request: Any) -> Any:
        (self.sent,) = request["Entries"]
        return {"Entries": [{"EventId": "1"}]}


def sent(audience: Audience) -> dict[str, Any]:
    """Return the event that tells an audience, as rules see it."""
    bus = Bus()
    notifier = EventBridgeNotifier(
        client=lambda: bus, bus="default", server="McpTaskServer-prod", console="https://tasks.example/"
    )
    notifier.send(
        Notification(
            id="5b7c0a51f6a1b7e36a1c43b9a5e6b0f2",
            occasion=Occasion.REQUESTED,
            tenant="acme",
            audience=audience,
            approval="role:finance#1767268800000-2f53648485def6ed4285f9712d911a25",
            due=NOON + timedelta(days=3),
        )
    )
    return {
        "source": bus.sent["Source"],
        "detail-type": bus.sent["DetailType"],
        "detail": json.loads(bus.sent["Detail"]),
    }


FINANCE = Audience(kind=Kind.ROLE, name="finance")


def test_the_event_is_the_one_that_is_sent() -> None:
    (block,) = blocks("docs/notifications.md", "json")

    assert json.loads(block) == sent(FINANCE)


class ServerStack(Stack):
    """What the page says of a stack: it has a server, with a name."""

    server = SimpleNamespace(name="McpTaskServer-prod")


def test_the_rule_mails_whoever_has_the_role_and_nobody_else() -> None:
    (program,) = blocks("docs/notifications.md", "python")
    (line,) = re.findall(r"^`(ApprovalMail\(.*\))`\.$", (ROOT / "docs/notifications.md").read_text(), re.MULTILINE)
    names: dict[str, Any] = {}
    exec(program, names)  # the page's own
    stack = ServerStack(App(), "Stack")
    exec(line, names | {"self": stack})  # the page's own

    template = Template.from_stack(stack)
    (rule,) = template.find_resources("AWS::Events::Rule").values()
    (mail,) = template.find_resources("AWS::SNS::Subscription").values()
    pattern = rule["Properties"]["EventPattern"]
    assert matches(pattern, sent(FINANCE))
    for other in (Audience(kind=Kind.ROLE, name="legal"), Audience(kind=Kind.SUBJECT, name="finance")):
        assert not matches(pattern, sent(other))
    assert mail["Properties"]["Endpoint"] == "finance@acme.example"
    (target,) = rule["Properties"]["Targets"]
    assert "console" in str(target["InputTransformer"])
