"""Tickets: whoever holds one acts for one run of one task, and reaches nothing else.

    ticket   who holds it                          what it is good for              until
    start    the input of the task's execution     to load a run of the task        the task expires
    run      the process that runs the tool        all that a run asks of its host  the run must have ended

A ticket can be read, and is worthless when it is changed.  The input of an execution never changes and its task may
be suspended for days: so that holds a start ticket, with which each run gets a run ticket of its own.
"""

import secrets
from datetime import datetime
from typing import NamedTuple

from mcp_tasks.limits.waits import RUN_TICKET_LIFETIME
from mcp_tasks.ports.run_host import TicketRevoked
from mcp_tasks.records import record
from mcp_tasks.security.signing import BadSignature, SignatureExpired, Signer, UnknownKey

START = "start ticket"
RUN = "run ticket"


class TicketRejected(Exception):
    """This is no ticket, or not one for what its holder asks."""


class TicketExpired(Exception):
    """The ticket was good, and its time is over."""


class Ticket(NamedTuple):
    """What a ticket says; a start ticket names no run."""

    owner_key: str
    task_id: str
    run: str = ""


@record
class Tickets:
    """Issues and reads tickets, as text."""

    signer: Signer

    def for_start(self, owner_key: str, task_id: str, *, until: datetime) -> str:
        """Return the start ticket of a task; that for the same time is the same text, while the signing key is."""
        return self._issued(START, Ticket(owner_key, task_id), until)

    def for_start_now(self, owner_key: str, task_id: str) -> str:
        """Return a start ticket for a run that begins now, where no execution holds one."""
        return self.for_start(owner_key, task_id, until=self.signer.clock.now() + RUN_TICKET_LIFETIME)

    def for_run(self, start: Ticket) -> str:
        """Return a run ticket for whoever holds a start ticket, with a name for the run where that has none."""
        run = start if start.run else start._replace(run=secrets.token_urlsafe(9))
        return self._issued(RUN, run, self.signer.clock.now() + RUN_TICKET_LIFETIME)

    def read_start(self, text: object) -> Ticket:
        """Return what a start ticket says; raises `TicketRejected`, `TicketExpired` and `TicketRevoked`."""
        return self._read(START, text)

    def read_run(self, text: object) -> Ticket:
        """Return what a run ticket says; raises `TicketRejected`, `TicketExpired` and `TicketRevoked`."""
        return self._read(RUN, text)

    @staticmethod
    def owner_key_of(text: str) -> str:
        """Return whose a ticket says that it is, which is only true if the ticket is good."""
        return text.partition(":")[0]

    def _issued(self, kind: str, ticket: Ticket, until: datetime) -> str:
        signed = self.signer.sign(
            {"task": ticket.task_id, "run": ticket.run},
            purpose=kind,
            owner_key=ticket.owner_key,
            lifetime=until - self.signer.clock.now(),
        )
        # Owner keys are quoted, so that they hold no colon.
        return f"{ticket.owner_key}:{signed}"

    def _read(self, kind: str, text: object) -> Ticket:
        if not isinstance(text, str):
            raise TicketRejected(f"this is no {kind}")
        owner_key, _, signed = text.partition(":")
        try:
            said = self.signer.verify(signed, purpose=kind, owner_key=owner_key)
            return Ticket(owner_key, said["task"], said["run"])
        except SignatureExpired:
            raise TicketExpired from None
        except UnknownKey:
            raise TicketRevoked from None
        except (BadSignature, KeyError):
            raise TicketRejected(f"this is no {kind}") from None
