"""The alarms of what schedules invoke, which nobody else would miss."""

from aws_cdk import Duration
from aws_cdk.aws_cloudwatch import TreatMissingData
from aws_cdk.aws_lambda import IFunction

from .alarm import BELOW, Alarms
from .alarm_metrics import PERIOD, math, metric, of_function
from .functions import Functions
from .task_metrics import AUDIT_BROKEN, AUDIT_UNPROVEN


def watch_audit(alarms: Alarms, functions: Functions) -> None:
    """Add the alarms of audit records that are not what was written, or unproven, and of those that nobody anchors."""
    broken, unproven = (metric(alarms.namespace, name) for name in (AUDIT_BROKEN, AUDIT_UNPROVEN))
    alarms.add("AuditIsBroken", "Audit records are missing, or were altered.", broken, threshold=1)
    alarms.add("AuditIsUnproven", "Audit records were written without a MAC.", unproven, threshold=1)
    anchor, hourly = functions.anchor_audit.function, Duration.hours(1)
    alarms.add(
        "AnchoringFails", "Audit records wait to be anchored.", of_function(anchor, "Errors"), threshold=1, periods=3
    )
    watch_schedule(alarms, "AuditIsNotAnchored", "No audit record is anchored.", anchor, period=hourly, periods=2)


def watch_schedule(
    alarms: Alarms, name: str, means: str, function: IFunction, *, period: Duration = PERIOD, periods: int = 3
) -> None:
    """Add the alarm of a function that a schedule invokes, and that has not ended well for some periods."""
    metrics = {"runs": of_function(function, "Invocations"), "failures": of_function(function, "Errors")}
    ended, never = math("runs-failures", metrics, period), TreatMissingData.BREACHING
    alarms.add(name, means, ended, threshold=1, periods=periods, missing=never, comparison_operator=BELOW)
