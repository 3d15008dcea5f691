"""What all alarms of a server have: a name, what it means, where to read on, and who is told."""

import re
from typing import Any, Final

from aws_cdk.aws_cloudwatch import Alarm, ComparisonOperator, IMetric, TreatMissingData
from aws_cdk.aws_cloudwatch_actions import SnsAction
from aws_cdk.aws_sns import Topic
from constructs import Construct

RUNBOOKS: Final = "docs/operations.md"
BELOW: Final = ComparisonOperator.LESS_THAN_THRESHOLD


class Alarms(Construct):
    """Alarms of the server `name`; `topic` is the ARN of who is told, if anybody."""

    def __init__(self, scope: Construct, construct_id: str, *, name: str, topic: str) -> None:
        super().__init__(scope, construct_id)
        self.namespace, self.all = name, list[Alarm]()
        self._told = [SnsAction(Topic.from_topic_arn(self, "Topic", topic))] if topic else []

    def add(
        self,
        name: str,
        means: str,
        metric: IMetric,
        *,
        threshold: float,
        periods: int = 1,
        missing: TreatMissingData = TreatMissingData.NOT_BREACHING,
        **more: Any,
    ) -> None:
        """Add an alarm; its `name` is the title of its section of the runbooks, whose words are written together."""
        alarm = Alarm(
            self,
            name,
            alarm_name=f"{self.namespace}-{name}",
            alarm_description=f"{means} {RUNBOOKS}#{anchor_of(name)}",
            metric=metric,
            threshold=threshold,
            evaluation_periods=periods,
            treat_missing_data=missing,
            **more,
        )
        alarm.add_alarm_action(*self._told)
        alarm.add_ok_action(*self._told)
        self.all.append(alarm)


def anchor_of(name: str) -> str:
    """Return where the section of an alarm begins: that of `DeadLettersWait` is "Runbook: dead letters wait"."""
    return f"runbook-{'-'.join(re.findall('[A-Z][a-z0-9]*', name)).lower()}"
