"""Prompts, resources and completion, as far as both revisions have them in common."""

import logging
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import NamedTuple, Self

from mcp_tasks.authoring.context import Context
from mcp_tasks.authoring.control_signals import ControlSignal, is_from_context
from mcp_tasks.authoring.errors import (
    BadArguments,
    BadResult,
    McpError,
    MissingCapability,
    ResourceNotFound,
    ToolError,
)
from mcp_tasks.authoring.wording import quoted_name, short
from mcp_tasks.features.completion import CompletionContext
from mcp_tasks.features.listing import Features
from mcp_tasks.features.prompts import Prompt
from mcp_tasks.features.resources import Resource
from mcp_tasks.limits.requests import MAX_COMPLETIONS, MAX_URI_CHARACTERS
from mcp_tasks.limits.tools import MAX_ERROR_CHARACTERS
from mcp_tasks.security.tenancy import Caller
from mcp_tasks.tasks.model import JSON
from mcp_tasks.wire import authorization
from mcp_tasks.wire.fields import mapping, name, one_of, optional, present, required, text, texts
from mcp_tasks.wire.jsonrpc import INTERNAL_ERROR, INVALID_PARAMS, HandlerError, RpcError

logger = logging.getLogger(__name__)


class Read(NamedTuple):
    """The contents at a URI, and the resource that provides them."""

    resource: Resource
    contents: list[dict[str, JSON]]


class CompletionParams(NamedTuple):
    """The params of `completion/complete`; `ref` is the name of a prompt or the URI of a resource template."""

    kind: str
    ref: str
    argument: str
    typed: str
    others: Mapping[str, str]

    @classmethod
    def of(cls, params: Mapping[str, JSON]) -> Self:
        """Read the params; raises `RpcError`."""
        ref, argument = required(params, "ref", mapping), required(params, "argument", mapping)
        kind = required(ref, "type", one_of(("ref/prompt", "ref/resource")), within="ref.")
        context = optional(params, "context", mapping) or {}
        return cls(
            kind=kind,
            ref=required(ref, "name", name, within="ref.") if kind == "ref/prompt" else uri_of(ref, within="ref."),
            argument=required(argument, "name", name, within="argument."),
            typed=required(argument, "value", text, within="argument."),
            others=optional(context, "arguments", texts, within="context.") or {},
        )


def capabilities(features: Features) -> dict[str, JSON]:
    """Return the server capabilities that follow from its features."""
    declared: dict[str, JSON] = {"tools": {"listChanged": False}, "logging": {}}
    if features.prompts:
        declared["prompts"] = {"listChanged": False}
    if features.resources:
        declared["resources"] = {"listChanged": False, "subscribe": features.resources.subscribable}
    if features.prompts or features.resources:
        declared["completions"] = {}
    return declared


def shown_prompt(of: Prompt) -> dict[str, JSON]:
    """Return a `Prompt` of the schema."""
    arguments = [
        {"name": each.name, "required": each.required, **present({"description": each.description})}
        for each in of.arguments
    ]
    return {"name": of.name, "description": of.description, "arguments": arguments, **present({"title": of.title})}


def shown_resource(of: Resource) -> dict[str, JSON]:
    """Return a `Resource` or a `ResourceTemplate` of the schema."""
    where = "uriTemplate" if of.is_template else "uri"
    more = {"title": of.title, "mimeType": of.mime_type}
    return {where: of.uri, "name": of.name, "description": of.description, **present(more)}


def find_prompt(features: Features, params: Mapping[str, JSON]) -> Prompt:
    """Return the prompt that the params name; raises `RpcError`."""
    wanted = required(params, "name", name)
    found = features.prompts.find(wanted)
    if found is None:
        raise RpcError(INVALID_PARAMS, f"There is no prompt {wanted!r}; prompts/list names them all.")
    return found


def get_prompt(prompt: Prompt, params: Mapping[str, JSON], context: Context) -> dict[str, JSON]:
    """Return the messages of a prompt; raises `RpcError`."""
    arguments = optional(params, "arguments", texts) or {}
    with _errors_of_handlers(f"prompt {prompt.name}"):
        return {"description": prompt.description, "messages": prompt.work.get(arguments, context)}


def uri_of(params: Mapping[str, JSON], *, within: str = "") -> str:
    """Return the URI in the params; raises `RpcError`."""
    return required(params, "uri", uri, within=within)


def read_resource(features: Features, uri: str, context: Context) -> Read:
    """Return the contents at a URI; raises `RpcError`, and `ResourceNotFound`, for which each revision has its code."""
    found = features.resources.find(uri)
    if found is None:
        raise ResourceNotFound(uri)
    resource, variables = found
    with _errors_of_handlers(f"resource {resource.name}"):
        return Read(resource, resource.read(uri, variables, context))


def watched_uri(features: Features, uri: str) -> str:
    """Return the URI if clients can subscribe to it; raises `ResourceNotFound`, and `RpcError` if they cannot."""
    found = features.resources.find(uri)
    if found is None:
        raise ResourceNotFound(uri)
    if not found[0].subscribable:
        raise RpcError(INVALID_PARAMS, f"Changes of {quoted_name(uri)} are not published: it cannot be subscribed to.")
    return uri


def no_resource(features: Features, uri: str) -> str:
    """Return the message for a URI at which there is no resource."""
    said = f"There is no resource {quoted_name(uri)}."
    if not features.resources.fits(uri):
        return said
    return f"{said} Or its value of a variable is not accepted: one has no slash, backslash or NUL, and is not . or .."


def complete(features: Features, params: Mapping[str, JSON], caller: Caller) -> dict[str, JSON]:
    """Return suggestions for the value of an argument; raises `RpcError`, and `InsufficientScope`."""
    wanted = CompletionParams.of(params)
    found: Prompt | Resource | None = (
        features.prompts.find(wanted.ref) if wanted.kind == "ref/prompt" else features.resources.with_uri(wanted.ref)
    )
    if found is None:
        raise RpcError(INVALID_PARAMS, f"There is nothing to complete at {quoted_name(wanted.ref)}.")
    authorization.check_completion(caller, found)
    context = CompletionContext(caller=caller, arguments=wanted.others)
    with _errors_of_handlers(f"completer of {wanted.argument}"):
        values = found.work.complete(wanted.argument, wanted.typed, context)
    shown = values[:MAX_COMPLETIONS]
    return {"completion": {"values": shown, "total": len(values), "hasMore": len(shown) < len(values)}}


@contextmanager
def _errors_of_handlers(handler: str) -> Iterator[None]:
    """Turn the errors of the function of a prompt or resource, and of what it returns, into `RpcError`.

    `MissingCapability` passes: each revision has its own error for it.
    """
    try:
        yield
    except MissingCapability:
        raise
    except (BadArguments, ToolError) as error:
        raise RpcError(INVALID_PARAMS, str(error)) from error
    except BadResult as error:
        logger.error("the %s returned what cannot be sent: %s", handler, error)
        said = short(f"Internal error: the {handler} returned what cannot be sent: {error}", MAX_ERROR_CHARACTERS)
        raise RpcError(INTERNAL_ERROR, said) from error
    except McpError as error:
        raise HandlerError(error.code, error.message, error.data) from error
    except ControlSignal as signal:
        if is_from_context(signal):
            raise
        # Nothing else would handle it here: it is no `Exception`, and would end the process.
        raise RuntimeError("a function raised a control signal itself") from signal


def uri(value: JSON) -> str:
    """Read the URI of a resource."""
    if not isinstance(value, str) or len(value) > MAX_URI_CHARACTERS:
        raise ValueError(f"a string of at most {MAX_URI_CHARACTERS} characters")
    return value
