"""Who may act in a story, and all that can happen in one."""

from collections.abc import Collection

from tests.simulation.actors import Actor
from tests.simulation.actors.approver import Approvers
from tests.simulation.actors.brink import Brink
from tests.simulation.actors.calling_again import CallingAgain
from tests.simulation.actors.client import LOST
from tests.simulation.actors.client_2025 import Client2025
from tests.simulation.actors.client_2026 import Client2026
from tests.simulation.actors.deployment import Deployment
from tests.simulation.actors.invocations import Invocations
from tests.simulation.actors.models import Models
from tests.simulation.actors.notices import Notices
from tests.simulation.actors.operator import Operator
from tests.simulation.actors.outage import LongOutage, Outage
from tests.simulation.actors.passing import Expiry, KeyRenewal, Sweep, Time
from tests.simulation.actors.poison import Poison
from tests.simulation.actors.state_machine import StateMachine
from tests.simulation.actors.stream import Events, Stream
from tests.simulation.actors.thieves import Thieves
from tests.simulation.faults import AWAY, CONFLICT, FAULTS, LATE_READ, OUTAGE
from tests.simulation.laws.leases import LEASED
from tests.simulation.laws.limits import REASONS
from tests.simulation.traits import MEMORY, RELEASES, TABLE

CLIENTS: tuple[type[Actor], ...] = (Client2025, Client2026)
ALWAYS: tuple[type[Actor], ...] = (*CLIENTS, StateMachine, Stream, Events, Time, Sweep, KeyRenewal, Expiry, Operator)
DRAWN: tuple[type[Actor], ...] = (*ALWAYS, Invocations)
OF_ONE_RELEASE: tuple[type[Actor], ...] = (
    *DRAWN,
    Outage,
    LongOutage,
    Approvers,
    Brink,
    CallingAgain,
    Models,
    Notices,
    Poison,
    Thieves,
)
OF_TWO: tuple[type[Actor], ...] = (*ALWAYS, Outage, LongOutage, Deployment, Brink, CallingAgain)

INVOKED = ("invoked: this release", "invoked: a release before")


def kinds(kept: Collection[str]) -> list[str]:
    """Return everything that happens in some story whose tasks are kept so, as traces count it."""
    faults = [f"fault: {name}" for name in (*FAULTS, *LOST, OUTAGE, AWAY, LATE_READ)]
    if TABLE not in kept:
        faults.remove(f"fault: {CONFLICT}")
    if kept == [MEMORY]:
        faults.remove(f"fault: {LATE_READ}")
    refusals = [f"refused: {reason}" for reason in REASONS]
    actors = dict.fromkeys(actor for each in kept for actor in (OF_TWO if each == RELEASES else OF_ONE_RELEASE))
    moves = [f"move: {actor.kind} {move}" for actor in actors for move in actor.weights]
    invoked = INVOKED if RELEASES in kept else ()
    leased = [f"lease: {each}" for each in LEASED if Invocations in actors]
    if TABLE not in kept:
        moves = [each for each in moves if not each.startswith(f"move: {Poison.kind}")]
    return [*(f"kept in: {each}" for each in kept), *faults, *refusals, *moves, *invoked, *leased]
