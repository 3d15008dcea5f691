"""A schedule that is a rule of EventBridge."""

from collections.abc import Callable
from typing import Any

from mcp_tasks.records import record


@record
class EventBridgeRule:
    """The `Schedule` of anchoring: a rule of this name, which a deploy leaves as it is."""

    client: Callable[[], Any]
    name: str

    def enable(self) -> None:
        """Enable the rule, which takes up to a minute."""
        self.client().enable_rule(Name=self.name)

    def disable(self) -> None:
        """Disable the rule."""
        self.client().disable_rule(Name=self.name)
