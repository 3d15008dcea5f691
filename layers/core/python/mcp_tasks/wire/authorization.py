"""The scopes that a request needs, and the 403 with a challenge that names them all where its caller lacks one.

A challenge asks for everything that the one request needs, granted already or not: what a client authorizes next
replaces its token.  -- SEP-2350, Scope Challenge Handling
"""

from collections.abc import Iterable, Sequence
from typing import Final

from mcp_tasks.engine.current_call import note_refusal
from mcp_tasks.features.prompts import Prompt
from mcp_tasks.features.resources import VARIABLE, Resource
from mcp_tasks.features.tools import APPROVAL_TOOLS, BUILT_IN, LINK_TOOLS, OPERATOR_TOOLS, Tool
from mcp_tasks.security.scopes import INSUFFICIENT_SCOPE, lacks, united
from mcp_tasks.security.tenancy import Caller
from mcp_tasks.tasks.model import Task
from mcp_tasks.wire import jsonrpc
from mcp_tasks.wire.http import HttpReply, json_reply
from mcp_tasks.wire.jsonrpc import RequestId, RpcError
from mcp_tasks.wire.refusals import withheld
from mcp_tasks.wire.revision import Server

READING: Final = frozenset({"tasks/get", "tasks/result", "tasks/list", "task_result", "task_list", *OPERATOR_TOOLS})
CANCELLING: Final = frozenset({"tasks/cancel", "notifications/cancelled", "task_cancel"})
"""Methods that need the scopes of a stage alone, and the built-in tools in their place."""

ANSWERING: Final = frozenset((*APPROVAL_TOOLS, *LINK_TOOLS))
"""The tools of an inbox: who reads it does so to answer."""


class InsufficientScope(Exception):
    """The caller lacks one of the scopes that the request needs."""

    def __init__(self, needed: Sequence[str]) -> None:
        """Take all the scopes that the request needs; one that is needed twice is named once."""
        self.needed = united(needed)
        super().__init__(" ".join(self.needed))


def check_method(server: Server, caller: Caller, method: str) -> None:
    """Raise `InsufficientScope` unless the caller may call a method, as far as its name decides that."""
    _check(caller, _of_method(server, method))


def check_call(server: Server, caller: Caller, tool: Tool, *, answers: bool = False) -> None:
    """Raise `InsufficientScope` unless the caller may call a tool, and answer its input requests where it `answers`."""
    _check(caller, (*scopes_of_tool(server, tool), *(server.scopes.answer if answers else ())))


def check_resources(server: Server, caller: Caller, uris: Iterable[str]) -> None:
    """Raise `InsufficientScope` unless the caller may read what is at these URIs, or subscribe to it."""
    found = filter(None, map(server.features.resources.find, uris))
    _check(caller, united(server.scopes.read, *(resource.scopes_for(variables) for resource, variables in found)))


def check_prompt(caller: Caller, prompt: Prompt) -> None:
    """Raise `InsufficientScope` unless the caller may get a prompt."""
    _check(caller, prompt.scopes)


def check_completion(caller: Caller, of: Prompt | Resource) -> None:
    """Raise `InsufficientScope` unless the caller may have values suggested; scopes that name a value do not count."""
    _check(caller, [scope for scope in of.scopes if isinstance(of, Prompt) or not VARIABLE.search(scope)])


def check_answer(server: Server, caller: Caller, task: Task) -> None:
    """Raise `InsufficientScope` unless the caller may answer the input requests of a task."""
    tool = server.features.tools.find(task.tool)
    _check(caller, (*server.scopes.answer, *(tool.scopes if tool else ())))


def is_listed(server: Server, caller: Caller, tool: Tool) -> bool:
    """Return whether `tools/list` has a tool for a caller: where a stage hides tools, those that it may call.

    An inbox is of no use to callers who cannot be told apart.
    """
    if tool.name in ANSWERING and not caller.identified:
        return False
    return not (server.hides_tools and lacks(caller, scopes_of_tool(server, tool)))


def scopes_of_tool(server: Server, tool: Tool) -> Sequence[str]:
    """Return the scopes that a call of a tool needs; a built-in tool needs those of the method that it stands for."""
    return _of_method(server, tool.name) if tool.name in BUILT_IN else (*server.scopes.call, *tool.scopes)


def rejection(server: Server, request_id: RequestId | None, error: InsufficientScope) -> HttpReply:
    """Return the 403, or the refusal of a plan that leaves out one of the scopes, for which no token would do.

    The error has the challenge as well, since API Gateway renames the header of a function.
    """
    left_out = [] if server.plan_scopes is None else [each for each in error.needed if each not in server.plan_scopes]
    if left_out:
        # With status 200 as other refusals, unless there is no request that would be answered.
        status = 403 if request_id is None else 200
        return json_reply(jsonrpc.error(request_id, withheld(left_out)), status=status)
    note_refusal("insufficient_scope")
    scope = " ".join(error.needed)
    where = f', resource_metadata="{server.metadata_url}"' if server.metadata_url else ""
    challenge = f'Bearer error="insufficient_scope", scope="{scope}"{where}'
    data = {"reason": "insufficient_scope", "scope": scope, "challenge": challenge}
    sent = RpcError(INSUFFICIENT_SCOPE, f"This request needs a token with the scopes {scope}.", data)
    return json_reply(jsonrpc.error(request_id, sent), status=403, headers={"www-authenticate": challenge})


def _of_method(server: Server, method: str) -> Sequence[str]:
    if method in READING:
        return server.scopes.read
    if method in ANSWERING:
        return server.scopes.answer
    return server.scopes.cancel if method in CANCELLING else ()


def _check(caller: Caller, needed: Sequence[str]) -> None:
    if needed and lacks(caller, needed):
        raise InsufficientScope(needed)
