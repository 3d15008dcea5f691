"""The tools of a story: each returns what its client responded, for a comparison with what is stored."""

from collections.abc import Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from mcp_tasks import Context, Declined, Elicit, ListRoots, ToolError, tool
from mcp_tasks.features.tools import Tool
from mcp_tasks.tasks.model import DEFAULT_MACHINE, InputResponse
from tests.simulation.deployed.asking import Name, ask, name_in, said, uris
from tests.simulation.deployed.more_tools import more_tools
from tests.simulation.deployed.outside import Effect

MINUTES = timedelta(minutes=5)
"""How long each of these tools may take."""


@dataclass(frozen=True)
class Published:
    """What one of the tools returns, so that its result is structured."""

    owner: str
    draw: int
    name: str | None


DIRECT = "direct"
"""The machine of tasks without an execution, which a release before may not know."""


def tools(effect: Effect, *, direct: bool, others: bool, odd: bool, uses: Collection[str]) -> list[Tool]:
    """Return one tool of each kind; the tasks of one of them have no execution where some are `direct`.

    Where `others` are asked, there is one that does, and two do what few tools do where some are `odd`.  There are more
    for what else tools are to use.
    """

    @tool(tasks="always", timeout=MINUTES)
    def order(context: Context, owner: str) -> str:
        """Do a step, ask two things at once and then one more, sleep, and do another step."""
        draw, pay = effect(context, "draw"), effect(context, "pay")
        drawn = context.step("draw", draw)
        name, roots = context.gather(
            Elicit("Who?", Name, key="name", default=Declined()), ListRoots(key="roots", timeout=MINUTES, default=[])
        )
        more = context.list_roots(key="more", timeout=2 * MINUTES, default=[])
        # Not for longer than the task is kept.
        with suppress(ToolError):
            context.sleep(MINUTES)
        paid = context.step("pay", pay)
        return said(owner, draw=drawn, pay=paid, name=name_in(name), roots=uris(roots), more=uris(more))

    @tool(timeout=MINUTES)
    def report(context: Context, owner: str, fails: bool = False) -> str:
        """Come further, step by step."""
        do = {name: effect(context, name) for name in ("one", "two")}
        done = {}
        for place, name in enumerate(do):
            done[name] = context.step(name, do[name])
            context.report_progress(place + 1, len(do), name)
        if fails:
            raise ToolError(said(owner, **done))
        return said(owner, **done)

    @tool(timeout=MINUTES)
    def publish(context: Context, owner: str) -> Published:
        """Do a step and ask one thing; what that returns is structured."""
        draw = effect(context, "draw")
        drawn = context.step("draw", draw)
        return Published(owner, drawn, ask(context))

    @tool(tasks="never")
    def confirm(context: Context, owner: str) -> str:
        """Do a step and ask one thing, twice, within the call where the revision can."""
        draw, pay = effect(context, "draw"), effect(context, "pay")
        drawn = context.step("draw", draw)
        name = ask(context)
        paid = context.step("pay", pay)
        more = context.list_roots(key="more", default=[])
        return said(owner, draw=drawn, pay=paid, name=name, more=uris(more))

    @tool(timeout=MINUTES, starts_inline=True)
    def reserve(context: Context, owner: str) -> str:
        """Do a step and ask one thing within the call where the revision can, and do the same again as a task."""
        draw, pay = effect(context, "draw"), effect(context, "pay")
        drawn = context.step("draw", draw)
        name = ask(context)
        context.continue_as_task()
        paid = context.step("pay", pay)
        more = context.list_roots(key="more", default=[])
        return said(owner, draw=drawn, pay=paid, name=name, more=uris(more))

    shipping = _shipping(effect, DIRECT if direct else DEFAULT_MACHINE)
    more = [*([_refunding(effect)] if others else []), *(_odd(effect) if odd else []), *more_tools(effect, uses)]
    return [order, report, shipping, publish, confirm, reserve, *more]


def _shipping(effect: Effect, machine: str) -> Tool:
    @tool(tasks="always", timeout=MINUTES, machine=machine)
    def ship(context: Context, owner: str) -> str:
        """Come further, step by step, and neither ask nor sleep."""
        do = {name: effect(context, name) for name in ("pack", "send")}
        done = {}
        for name in do:
            done[name] = context.step(name, do[name])
            context.report_status(name)
        return said(owner, **done)

    return ship


def _refunding(effect: Effect) -> Tool:
    # A release before has no approvals.
    from mcp_tasks import anyone, anyone_but_me

    @tool(tasks="always", timeout=MINUTES, approvals=True)
    def refund(context: Context, owner: str) -> str:
        """Do a step, ask three others for the same thing and any two for another, and sleep."""
        draw = effect(context, "draw")
        drawn = context.step("draw", draw)
        board, one = context.gather(
            Elicit("Pay?", Name, key="board", of=anyone_but_me(), quorum=3, timeout=4 * MINUTES, default=Declined()),
            Elicit("To whom?", Name, key="one", of=anyone(), quorum=2, default=Declined()),
        )
        # For longer than a run may take.
        with suppress(ToolError):
            context.sleep(4 * MINUTES)
        return said(owner, draw=drawn, board=name_in(board), one=name_in(one))

    return refund


def _odd(effect: Effect) -> list[Tool]:
    @tool(tasks="always", timeout=MINUTES)
    def survey(context: Context, owner: str) -> str:
        """Do a step and ask one thing, and go on whatever comes of that."""
        draw = effect(context, "draw")
        drawn = context.step("draw", draw)
        try:
            name = ask(context)
        except KeyboardInterrupt:
            # So a process ends here, which no tool would notice.
            raise
        except BaseException:  # noqa: BLE001  # so adopters catch too much
            name = "nobody"
        return said(owner, draw=drawn, name=name)

    @tool(tasks="always", timeout=MINUTES, starts_inline=True)
    def quote(context: Context, owner: str) -> str:
        """Do a step within the call, which is all there is to do every other time, and another one as a task."""
        draw, pay = effect(context, "draw"), effect(context, "pay")
        drawn = context.step("draw", draw)
        if drawn % 2:
            return said(owner, draw=drawn)
        context.continue_as_task()
        return said(owner, draw=drawn, pay=context.step("pay", pay))

    return [survey, quote]


def value_of(response: InputResponse) -> Any:
    """Return what a tool makes of a response."""
    result: Mapping[str, Any] = response.result or {}
    if "roots" in result:
        return [root["uri"] for root in result["roots"]] or None
    return result.get("content", {}).get("name")
