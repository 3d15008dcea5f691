"""Who may answer an elicitation: `of=role("finance")`, `of=subject("grace")`, `of=anyone()`, each perhaps `.but_me()`.

All of them are of the caller's tenant.  `escalate=after(timedelta(hours=4), role("cfo"))` says who else may, later.
"""

from datetime import timedelta

from mcp_tasks.authoring.durations import check_durations
from mcp_tasks.limits.waits import LONGEST_SPAN
from mcp_tasks.tasks.approvals import Audience, Escalation, Kind


def role(name: str) -> Audience:
    """Return those whose token names this role; raises `ValueError` for what can be none."""
    return Audience(kind=Kind.ROLE, name=name)


def subject(name: str) -> Audience:
    """Return the one subject that tokens call by this name; raises `ValueError` for what can be none."""
    return Audience(kind=Kind.SUBJECT, name=name)


def anyone() -> Audience:
    """Return everybody of the tenant."""
    return Audience(kind=Kind.ANYONE)


def anyone_but_me() -> Audience:
    """Return everybody of the tenant but the subject who called the tool (four eyes)."""
    return anyone().but_me()


def after(duration: timedelta, audience: Audience) -> Escalation:
    """Return that an audience may answer too, once nobody has for so long; raises `ValueError`, or `TypeError`."""
    check_durations("after", longest=LONGEST_SPAN, duration=duration)
    return Escalation(after=duration, audience=audience)
