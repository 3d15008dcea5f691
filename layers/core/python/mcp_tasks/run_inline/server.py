"""Runs adopters' code for one call: in the process that imports it, and has nothing else."""

import base64
import logging
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, TypeVar

from mcp_tasks.authoring.context import Context
from mcp_tasks.authoring.control_signals import ControlSignal, is_from_context
from mcp_tasks.authoring.errors import BadArguments, BadResult
from mcp_tasks.authoring.text import JsonString, sendable_json
from mcp_tasks.engine.tool_run import run_tool
from mcp_tasks.features.completion import CompletionContext
from mcp_tasks.features.listing import Features
from mcp_tasks.features.prompts import Prompt
from mcp_tasks.features.resources import Resource
from mcp_tasks.features.tools import Tool
from mcp_tasks.limits.tools import MAX_NOTIFICATIONS
from mcp_tasks.ports.clock import Clock
from mcp_tasks.records import record
from mcp_tasks.run_inline.callers import caller_of
from mcp_tasks.run_inline.ends import document_of_end, document_of_error
from mcp_tasks.run_inline.journals import document_of_changes, journal_of
from mcp_tasks.security.tenancy import Caller
from mcp_tasks.tasks.documents import document_of
from mcp_tasks.tasks.model import JSON

logger = logging.getLogger(__name__)

T = TypeVar("T")


@record
class InlineServer:
    """The tools, prompts and resources, and the clock by which they wait."""

    features: Features
    clock: Clock

    def answer(self, message: Mapping[str, JSON]) -> Mapping[str, JSON]:
        """Do what the endpoint asks for; raises `LookupError` for an unknown feature or request."""
        return sendable_json(self._answer(message))

    def _answer(self, message: Mapping[str, JSON]) -> Mapping[str, JSON]:
        match message["does"]:
            case "check":
                return _checked(self._tool(message), message["arguments"])
            case "returned":
                try:
                    return {"returned": document_of(self._tool(message).work.returned(message["output"]))}
                except BadResult as error:
                    return {"bad_result": str(error)}
            case "tool" | "prompt" | "resource" | "completion":
                return self._run(message)
            case other:
                raise LookupError(f"run_inline cannot do {other!r}: the endpoint is of another release")

    def _run(self, message: Mapping[str, JSON]) -> Mapping[str, JSON]:
        published: list[str] = []
        journal = replace(journal_of(message["journal"]), publish=published.append, pause=self.clock.sleep)
        context = Context(caller=caller_of(message["caller"]), journal=journal)
        if message["does"] == "tool":
            end = document_of_end(run_tool(self._tool(message), message["arguments"], context))
        else:
            end = self._value(message, context)
        return {**end, "journal": document_of_changes(journal, published[-MAX_NOTIFICATIONS:])}

    def _value(self, message: Mapping[str, JSON], context: Context) -> Mapping[str, JSON]:
        try:
            match message["does"]:
                case "prompt":
                    return {"value": self._prompt(message).work.get(message["arguments"], context)}
                case "resource":
                    return {"value": _document(self._resource(message).work.read(message["variables"], context))}
                case _:
                    return {"value": self._completed(message, context.caller)}
        except (Exception, ControlSignal, SystemExit) as error:
            known = document_of_error(error)
            if known is not None and (not isinstance(error, ControlSignal) or is_from_context(error)):
                return {"raised": known}
            logger.exception("the %s failed", message["does"])
            return {"failed": True}

    def _completed(self, message: Mapping[str, JSON], caller: Caller) -> list[str]:
        of: Prompt | Resource = self._prompt(message) if "prompt" in message else self._resource(message)
        context = CompletionContext(caller=caller, arguments=message["arguments"])
        return of.work.complete(message["argument"], message["typed"], context)

    def _tool(self, message: Mapping[str, JSON]) -> Tool:
        return _found(self.features.tools.find(message["tool"]))

    def _prompt(self, message: Mapping[str, JSON]) -> Prompt:
        return _found(self.features.prompts.find(message["prompt"]))

    def _resource(self, message: Mapping[str, JSON]) -> Resource:
        return _found(self.features.resources.with_uri(message["resource"]))


def _checked(tool: Tool, arguments: Mapping[str, JSON]) -> Mapping[str, JSON]:
    try:
        tool.work.check(arguments)
    except BadArguments as error:
        return {"bad_arguments": str(error)}
    return {}


def _found(feature: T | None) -> T:
    if feature is None:
        raise LookupError("there is no such feature: the catalogue is of another version")
    return feature


def _document(value: Any) -> JSON:
    """Return the document of a resource's text, bytes or JSON."""
    if isinstance(value, bytes):
        return {"blob": base64.b64encode(value).decode()}
    return {"text": value} if isinstance(value, str) and not isinstance(value, JsonString) else {"json": value}
