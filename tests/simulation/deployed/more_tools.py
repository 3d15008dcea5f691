"""Tools of some stories, by what they use."""

from collections.abc import Collection
from contextlib import suppress
from datetime import timedelta

from mcp_tasks import Context, ToolError, tool
from mcp_tasks.features.tools import Tool
from tests.simulation.deployed.asking import ask, said, uris
from tests.simulation.deployed.outside import Effect

A_LITTLE, LONG = timedelta(seconds=4), timedelta(minutes=5)


def more_tools(effect: Effect, uses: Collection[str]) -> list[Tool]:
    """Return the tools that use some of this."""
    made = {"sleeps": _patrolling, "tells": _consulting}
    return [made[use](effect) for use in made if use in uses]


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


def _sleep(context: Context, duration: timedelta) -> None:
    # No task sleeps for longer than it is kept.
    with suppress(ToolError):
        context.sleep(duration)
