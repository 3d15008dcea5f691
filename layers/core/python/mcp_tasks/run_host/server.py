"""Answers the messages of runs, each for the task that its ticket names."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict

from mcp_tasks.engine.operations import TaskOperations
from mcp_tasks.engine.task_host import TaskHost
from mcp_tasks.ports.run_host import LoadedRun, RunHost, RunNotWanted, TicketRevoked
from mcp_tasks.records import record
from mcp_tasks.run_host.messages import BadMessage, Message, document_of_run
from mcp_tasks.security.tickets import Ticket, TicketExpired, Tickets
from mcp_tasks.tasks.documents import document_of_response
from mcp_tasks.tasks.model import JSON


@record
class HostServer:
    """The host of all runs; `needed` are the scopes that a call of a tool needs today."""

    tasks: TaskOperations
    tickets: Tickets
    needed: Callable[[str], Sequence[str]] = lambda tool: ()

    def answer(self, sent: Mapping[str, JSON]) -> Mapping[str, JSON]:
        """Do what a run asks for; raises `TicketRejected`, `BadMessage`, and whatever the store raises."""
        message = Message(sent)
        try:
            return self._load(message) if message.does == "load" else self._do(message)
        except (RunNotWanted, TicketExpired):
            return {"not_wanted": True}
        except TicketRevoked:
            return {"revoked": True}

    def _load(self, message: Message) -> Mapping[str, JSON]:
        start = self.tickets.read_start(message.ticket)
        start = start._replace(run=message.run)
        loaded = self._host(start).load()
        if not isinstance(loaded, LoadedRun):
            return {"seconds": loaded.total_seconds()}
        return {"ticket": self.tickets.for_run(start), "run": document_of_run(loaded)}

    def _do(self, message: Message) -> Mapping[str, JSON]:
        host = self._host(self.tickets.read_run(message.ticket))
        match message.does:
            case "check":
                host.check()
            case "renew":
                host.renew()
            case "progressed":
                host.progressed(message.progress)
            case "status_reported":
                host.status_reported(message.status_message)
            case "expected":
                host.expected(message.at)
            case "published":
                host.published(message.uri)
            case _:
                return self._answer(host, message)
        return {}

    def _answer(self, host: RunHost, message: Message) -> Mapping[str, JSON]:
        match message.does:
            case "recall":
                recorded = host.recall(message.step)
                return {} if recorded is None else {"recorded": recorded[0]}
            case "record":
                return {"recorded": host.record(message.step, message.value)}
            case "count_steps":
                return {"steps": host.count_steps()}
            case "response":
                response = host.response(message.key)
                return {} if response is None else {"response": document_of_response(response)}
            case "tenant_credentials":
                credentials = host.tenant_credentials()
                return {} if credentials is None else {"credentials": asdict(credentials)}
            case _:
                return self._end(host, message)

    def _end(self, host: RunHost, message: Message) -> Mapping[str, JSON]:
        match message.does:
            case "request_input":
                return {"seconds": host.request_input(message.input_requests).total_seconds()}
            case "sleep":
                return {"seconds": host.sleep(message.wakes_at).total_seconds()}
            case "finish":
                host.finish(message.outcome)
                return {}
            case other:
                raise BadMessage(f"a run cannot ask for {other!r}")

    def _host(self, ticket: Ticket) -> TaskHost:
        return TaskHost(
            tasks=self.tasks, owner_key=ticket.owner_key, task_id=ticket.task_id, run=ticket.run, needed=self.needed
        )
