"""Tools, prompts and resources as the endpoint has them: what the catalogue says, and code that runs elsewhere.

The classes here are no dataclasses, which would be 3 ms of the endpoint's cold start.
"""

import base64
from collections.abc import Callable, Mapping
from typing import Any, Final, NoReturn, TypeAlias, TypeVar

from mcp_tasks.authoring.context import Context
from mcp_tasks.authoring.errors import BadArguments, BadResult
from mcp_tasks.authoring.text import JsonString
from mcp_tasks.engine.inline_journal import InlineJournal
from mcp_tasks.engine.tool_run import RunEnd, RunsElsewhere
from mcp_tasks.features.completion import Completer, CompletionContext
from mcp_tasks.limits.tools import MAX_RESULT_CHARACTERS
from mcp_tasks.run_host.reading import OUTCOME
from mcp_tasks.run_host.shapes import ERROR, OBJECT, OBJECTS, TEXTS, Shape, Unfit, json_of
from mcp_tasks.run_inline.callers import caller_of, document_of_caller
from mcp_tasks.run_inline.ends import end_of, error_of
from mcp_tasks.run_inline.journals import document_of_journal, take_over
from mcp_tasks.security.tenancy import ANONYMOUS, Caller
from mcp_tasks.tasks.model import JSON, Returned

T = TypeVar("T")
Schema: TypeAlias = Mapping[str, JSON]


class CodeFailed(Exception):
    """Adopters' code failed in a way that its client is told nothing of, or answered what no code answers."""


class InlineClient:
    """Makes the features of a catalogue; `invoke` sends a message to the process that has their code."""

    def __init__(self, *, invoke: Callable[[Mapping[str, JSON]], Any]) -> None:
        self.invoke = invoke

    def tool(
        self, name: str, input_schema: Mapping[str, JSON], output_schema: Mapping[str, JSON] | None
    ) -> "RemoteTool":
        """Return the work of a tool."""
        return RemoteTool(client=self, name=name, input_schema=input_schema, output_schema=output_schema)

    def prompt(self, name: str) -> "RemotePrompt":
        """Return the work of a prompt."""
        return RemotePrompt(client=self, of={"prompt": name})

    def resource(self, uri: str) -> "RemoteResource":
        """Return the work of a resource."""
        return RemoteResource(client=self, of={"resource": uri})

    def run(self, does: str, context: Context, **given: JSON) -> Mapping[str, JSON]:
        """Have code run in a context whose journal is that of a request, and return how it ended."""
        journal = context.journal
        assert isinstance(journal, InlineJournal), "a task's tool runs elsewhere"
        answer = self._of(does, context.caller, journal, given)
        _read(Shape("a journal", lambda document: take_over(journal, document)), "journal", answer.get("journal"))
        return answer

    def complete(self, context: CompletionContext, **given: JSON) -> Mapping[str, JSON]:
        """Have a completer run."""
        return self._of("completion", context.caller, InlineJournal(), {**given, "arguments": context.arguments})

    def _of(self, does: str, caller: Caller, journal: InlineJournal, given: Mapping[str, JSON]) -> Mapping[str, JSON]:
        return self.ask(does, caller, journal=document_of_journal(journal), **given)

    def ask(self, does: str, caller: Caller, **given: JSON) -> Mapping[str, JSON]:
        """Send a message of a caller."""
        return _read(OBJECT, "all of it", self.invoke({"does": does, "caller": document_of_caller(caller), **given}))


class _Elsewhere:
    """What only the process that has the code can do."""

    @property
    def function(self) -> Callable[..., Any]:
        """Raise `TypeError`."""
        self._refuse()

    def completed_by(self, argument: str, completer: Completer) -> None:
        """Raise `TypeError`."""
        self._refuse()

    def _refuse(self) -> NoReturn:
        raise TypeError("this code is in another process")


class RemoteTool(_Elsewhere, RunsElsewhere):
    """Implements `Work` with the schemas of the catalogue."""

    def __init__(
        self,
        *,
        client: InlineClient,
        name: str,
        input_schema: Mapping[str, JSON],
        output_schema: Mapping[str, JSON] | None,
        caller: Caller = ANONYMOUS,
    ) -> None:
        self.client = client
        self.name = name
        self.input_schema = input_schema
        self.output_schema = output_schema
        self.caller = caller

    def run(self, arguments: Mapping[str, JSON], context: Context) -> RunEnd:
        """Run the tool's code once."""
        return _read(END, "all of it", self.client.run("tool", context, tool=self.name, arguments=arguments))

    def of(self, caller: Caller) -> "RemoteTool":
        """Return the same, whose `check` and `returned` are asked for a caller."""
        return RemoteTool(
            client=self.client,
            name=self.name,
            input_schema=self.input_schema,
            output_schema=self.output_schema,
            caller=caller,
        )

    def check(self, arguments: Mapping[str, JSON]) -> Mapping[str, Any]:
        """Return the arguments; raises `BadArguments`."""
        answer = self.client.ask("check", self.caller, tool=self.name, arguments=arguments)
        if "bad_arguments" in answer:
            raise BadArguments(_read(ERROR, "bad_arguments", answer["bad_arguments"]))
        return arguments

    def call(self, arguments: Mapping[str, JSON], context: Context) -> Returned:
        """Raise `TypeError`: the whole run is elsewhere."""
        self._refuse()

    def returned(self, value: Any) -> Returned:
        """Return the output of a state machine as a `CallToolResult`; raises `BadResult`."""
        answer = self.client.ask("returned", self.caller, tool=self.name, output=value)
        if "bad_result" in answer:
            raise BadResult(_read(ERROR, "bad_result", answer["bad_result"]))
        return _read(RETURNED, "returned", answer.get("returned"))


class _Remote(_Elsewhere):
    def __init__(self, *, client: InlineClient, of: Mapping[str, JSON]) -> None:
        self.client = client
        self.of = of

    def complete(self, argument: str, typed: str, context: CompletionContext) -> list[str]:
        """Return suggested values for an argument or a variable; raises `BadArguments`."""
        answer = self.client.complete(context, **self.of, argument=argument, typed=typed)
        return list(_value(answer, TEXTS))


class RemotePrompt(_Remote):
    """Implements `PromptWork`."""

    def get(self, arguments: Mapping[str, JSON], context: Context) -> list[dict[str, JSON]]:
        """Return the messages of `prompts/get`; raises what its function raised."""
        return list(_value(self.client.run("prompt", context, **self.of, arguments=arguments), OBJECTS))


class RemoteResource(_Remote):
    """Implements `ResourceWork`."""

    def read(self, variables: Mapping[str, str], context: Context) -> Any:
        """Return what the function returned; raises what it raised."""
        return _value(self.client.run("resource", context, **self.of, variables=variables), CONTENT)


def caller_tag(message: Mapping[str, JSON]) -> str:
    """Return the tenant of a message's caller."""
    return caller_of(message["caller"]).tenant_tag


def _value(answer: Mapping[str, JSON], shape: Shape[T]) -> T:
    if "raised" in answer:
        raise _read(RAISED, "raised", answer["raised"])
    if "value" not in answer:
        raise CodeFailed("its log says why")
    return _read(shape, "value", answer["value"])


def _read(shape: Shape[T], where: str, sent: JSON) -> T:
    try:
        return shape.at(where, sent)
    except Unfit as error:
        raise CodeFailed(f"what it answered cannot be read: {error}") from None


def _returned(document: JSON) -> Returned:
    outcome = OUTCOME.read(document)
    if not isinstance(outcome, Returned):
        raise TypeError
    return outcome


def _content(document: JSON) -> Any:
    match document:
        case {"text": str(said)}:
            return said
        case {"blob": str(said)}:
            return base64.b64decode(said, validate=True)
        case {"json": value}:
            found = json_of(2 * MAX_RESULT_CHARACTERS).read(value)
            return JsonString(found) if isinstance(found, str) else found
    raise ValueError


END: Final = Shape("the end of a run", end_of)
RAISED: Final = Shape("an error that the endpoint knows", error_of)
RETURNED: Final = Shape("an outcome with a result", _returned)
CONTENT: Final = Shape("text, blob in base64, or json", _content)
