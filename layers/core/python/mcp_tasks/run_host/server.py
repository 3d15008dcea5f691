"""Answers the messages of runs, each for the task that its ticket names."""

import logging
from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta

from mcp_tasks.authoring.text import sendable_json
from mcp_tasks.engine.operations import TaskOperations
from mcp_tasks.engine.task_host import TaskHost
from mcp_tasks.ports.run_host import RunNotWanted, TicketRevoked
from mcp_tasks.records import record
from mcp_tasks.run_host.allowance import MessageAllowance, TooManyMessages
from mcp_tasks.run_host.loaded_runs import document_of_run
from mcp_tasks.run_host.messages import EXCHANGES, LOAD, MESSAGE
from mcp_tasks.run_host.shapes import OBJECT, Unfit, read_fields
from mcp_tasks.security.tickets import Ticket, TicketExpired, TicketRejected, Tickets
from mcp_tasks.tasks.model import JSON

logger = logging.getLogger(__name__)


@record
class HostServer:
    """The host of all runs; `needed` are the scopes that a call of a tool needs today."""

    tasks: TaskOperations
    tickets: Tickets
    allowance: MessageAllowance
    needed: Callable[[str], Sequence[str]] = lambda tool: ()

    def answer(self, sent: Mapping[str, JSON]) -> Mapping[str, JSON]:
        """Do what a run asks for, or answer why it is refused; raises whatever the store raises."""
        try:
            # A step of an earlier release may have recorded a lone surrogate.
            return sendable_json(self._answer(sent))
        except (RunNotWanted, TicketExpired):
            return {"not_wanted": True}
        except TicketRevoked:
            return {"revoked": True}
        except (TicketRejected, TooManyMessages, Unfit) as refused:
            # As an answer: an error of a Lambda comes with its traceback, and rings the alarm of its function.
            logger.warning("a message of a run is refused: %s", refused)
            return {"refused": str(refused)}

    def _answer(self, sent: Mapping[str, JSON]) -> Mapping[str, JSON]:
        message = read_fields(OBJECT.at("a message", sent), MESSAGE)
        does, loads = message["does"], message["does"] == LOAD
        ticket = (self.tickets.read_start if loads else self.tickets.read_run)(message["ticket"])
        self.allowance.spend(ticket, sent)
        given = read_fields(sent, EXCHANGES[does].sent)
        if loads:
            return self._load(ticket._replace(run=given["run"]))
        return EXCHANGES[does].answer(getattr(self._host(ticket), does)(**given))

    def _load(self, start: Ticket) -> Mapping[str, JSON]:
        loaded = self._host(start).load()
        if isinstance(loaded, timedelta):
            return {"seconds": loaded.total_seconds()}
        return {"ticket": self.tickets.for_run(start), "run": document_of_run(loaded)}

    def _host(self, ticket: Ticket) -> TaskHost:
        return TaskHost(
            tasks=self.tasks, owner_key=ticket.owner_key, task_id=ticket.task_id, run=ticket.run, needed=self.needed
        )
