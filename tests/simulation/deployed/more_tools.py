"""Tools of some stories, by what they use."""

from collections.abc import Collection
from contextlib import suppress
from datetime import timedelta
from typing import Any

from mcp_tasks import Context, Declined, ToolError, tool
from mcp_tasks.features.tools import Tool
from tests.simulation.deployed.asking import Name, ask, name_in, said, uris
from tests.simulation.deployed.outside import Effect
from tests.simulation.deployed.questions import ESCALATING, QUESTIONS

A_LITTLE, LONG = timedelta(seconds=4), timedelta(minutes=5)

JOIN_WITHIN = timedelta(seconds=20)
"""For how long a call joins the task of one before."""


def more_tools(effect: Effect, uses: Collection[str]) -> list[Tool]:
    """Return the tools that use some of this."""
    made = {"sleeps": _patrolling, "tells": _consulting, "joins": _fetching}
    asking = [_asking_others(effect, key) for key in ESCALATING] if "escalates" in uses else []
    return [*(made[use](effect) for use in made if use in uses), *asking]


def _patrolling(effect: Effect) -> Tool:
    @tool(tasks="always", timeout=LONG / 5)
    def patrol(context: Context, owner: str) -> str:
        """Sleep twice, ask one thing, and sleep for longer than a run may take."""
        draw, pay = effect(context, "draw"), effect(context, "pay")
        _sleep(context, A_LITTLE)
        drawn = context.step("draw", draw)
        _sleep(context, 3 * A_LITTLE)
        name = ask(context)
        _sleep(context, LONG)
        return said(owner, draw=drawn, name=name, pay=context.step("pay", pay))

    return patrol


def _consulting(effect: Effect) -> Tool:
    @tool(timeout=LONG)
    def consult(context: Context, owner: str) -> str:
        """Do a step and ask for one thing after the other, and say each time how far it is."""
        draw = effect(context, "draw")
        drawn = context.step("draw", draw)
        context.report_progress(1, 5, "drawn")
        name, more = ask(context), dict[str, list[str]]()
        for place, key in enumerate(("more", "many", "most")):
            context.report_progress(2 + place, 5, key)
            more[key] = uris(context.list_roots(key=key, default=[]))
        return said(owner, draw=drawn, name=name, **more)

    return consult


def _fetching(effect: Effect) -> Tool:
    @tool(timeout=LONG, join_within=JOIN_WITHIN)
    def fetch(context: Context, owner: str, part: int) -> str:
        """Do two steps, and fail for some parts."""
        draw, pay = effect(context, "draw"), effect(context, "pay")
        did = {"draw": context.step("draw", draw), "pay": context.step("pay", pay)}
        if part > 2:
            # What is said of an error may not be large.
            raise ToolError(said("nobody", **did))
        return said(owner, **did)

    return fetch


def _sleep(context: Context, duration: timedelta) -> None:
    # No task sleeps for longer than it is kept.
    with suppress(ToolError):
        context.sleep(duration)


def _asking_others(effect: Effect, key: str) -> Tool:
    # A release before has no approvals.
    from mcp_tasks import after

    asked = QUESTIONS[key]
    later = None if not asked.later else after(asked.waits, _audience(asked.later, not_me=asked.not_me_later))

    @tool(name=f"ask_{key}", tasks="always", timeout=LONG, approvals=True)
    def asking(context: Context, owner: str) -> str:
        """Do a step, ask others for something, and do another step."""
        draw, pay = effect(context, "draw"), effect(context, "pay")
        drawn = context.step("draw", draw)
        given = context.elicit(
            "May I?",
            Name,
            key=key,
            of=_audience(asked.audience, not_me=asked.not_me),
            quorum=asked.quorum,
            timeout=3 * LONG,
            remind=LONG if asked.reminds else None,
            escalate=later,
            default=Declined(),
        )
        return said(owner, draw=drawn, pay=context.step("pay", pay), **{key: name_in(given)})

    return asking


def _audience(name: str, *, not_me: bool) -> Any:
    from mcp_tasks import anyone, role, subject

    kind, _, whose = name.partition(":")
    found = {"anyone": lambda: anyone(), "role": lambda: role(whose), "subject": lambda: subject(whose)}[kind]()
    return found.but_me() if not_me else found
