"""Tools of some stories, by what they use."""

from collections.abc import Collection
from contextlib import suppress
from datetime import timedelta

from mcp_tasks import Context, ToolError, tool
from mcp_tasks.features.tools import Tool
from tests.simulation.deployed.asking import ask, said
from tests.simulation.deployed.outside import Effect

A_LITTLE, LONG = timedelta(seconds=4), timedelta(minutes=5)


def more_tools(effect: Effect, uses: Collection[str]) -> list[Tool]:
    """Return the tools that use some of this."""
    return [*([_patrolling(effect)] if "sleeps" in uses else [])]


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


def _sleep(context: Context, duration: timedelta) -> None:
    # No task sleeps for longer than it is kept.
    with suppress(ToolError):
        context.sleep(duration)
