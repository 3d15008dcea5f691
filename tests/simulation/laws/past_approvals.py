"""What must hold of what people are shown who look back at approvals that were decided in the last day."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from mcp_tasks.limits.waits import DECIDED_KEPT
from mcp_tasks.security.tenancy import Caller
from tests.simulation.laws.approvals import Approvals, Request, request_of
from tests.simulation.reckoning import A_MOMENT


def decided_by(approvals: Approvals, caller: Caller) -> set[Request]:
    """Return what a caller has decided alone or with others, and may look back at by all clocks.

    It is of an audience that was asked before it was decided.  The same subject may look back at less where somebody
    else acts on its behalf.
    """
    world, known = approvals.world, approvals.responses()
    since = world.clock.now() - DECIDED_KEPT + world.skew + A_MOMENT
    asked = {request_of(each): each for each in approvals.asked.values()}
    mine = [request for request in known if caller.subject in {each.subject for each in known[request]}]
    ended = {request: known[request][-1].at for request in mine}
    return {
        request
        for request, at in ended.items()
        if at > since and asked[request].may_have_decided(caller, at - world.skew)
    }


def check_past(
    approvals: Approvals, caller: Caller, shown: Sequence[Mapping[str, Any]], before: Collection[Request]
) -> None:
    """Demand that somebody is shown once what it could have decided, as that was, and what it had decided `before`."""
    demand, places = approvals.world.demand, [each["id"].partition("#")[2] for each in shown]
    demand(places == sorted(places, reverse=True), f"{caller.subject} looks back in another order")
    requests = [request_of(approvals.asked[each["id"]]) for each in shown]
    demand(len({*requests}) == len(requests), f"{caller.subject} looks back at an approval twice")
    for each, request in zip(shown, requests, strict=True):
        name = approvals.name(each["id"])
        demand(approvals.is_entitled(caller, each["id"]), f"{caller.subject} looks back at {name}")
        known = [(one.subject, one.action) for one in approvals.responses().get(request, ())]
        said = [(one["subject"], one["action"]) for one in each["decisions"]]
        right = said == known and each["outcome"] == said[-1][1]
        demand(right, f"{name} is said to be decided by {said}, not {known}")
    for request in {*before} - {*requests}:
        demand(False, f"{caller.subject} cannot look back at {approvals.named(request)}")
