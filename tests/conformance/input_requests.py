"""Tools, and a prompt, that request input."""

from datetime import timedelta
from enum import Enum
from typing import Annotated, Any, Literal

from pydantic import Field, WithJsonSchema

from mcp_tasks import (
    Accepted,
    Context,
    Elicit,
    Form,
    ListRoots,
    Message,
    MissingCapability,
    Sample,
    prompt,
    tool,
)

TIMEOUT = timedelta(seconds=20)
"""How long the runner waits for what goes on after an answer, on a machine that is slow."""


class Name(Form):
    name: str


class Confirmation(Form):
    ok: bool


class Colour(Form):
    color: str


class Need(Form):
    context: str


class Account(Form):
    username: str
    email: Annotated[str, Field(json_schema_extra={"format": "email"})]


class Defaults(Form):
    name: str = "John Doe"
    age: int = 30
    score: float = 95.5
    status: Literal["active", "inactive", "pending"] = "active"
    verified: bool = True


class Option(Enum):
    """Choices without titles."""

    FIRST = "option1"
    SECOND = "option2"
    THIRD = "option3"


TITLED = [{"const": f"value{number}", "title": f"Option {number}"} for number in (1, 2, 3)]
LEGACY = {"type": "string", "enum": ["opt1", "opt2", "opt3"], "enumNames": ["Option One", "Option Two", "Option Three"]}
TITLED_SINGLE = {"type": "string", "oneOf": TITLED}
TITLED_MULTI = {"type": "array", "items": {"anyOf": TITLED}}


class Enums(Form):
    untitledSingle: Option  # the runner's names
    titledSingle: Annotated[str, WithJsonSchema(TITLED_SINGLE)]
    legacyEnum: Annotated[str, WithJsonSchema(LEGACY)]
    untitledMulti: list[Option]
    titledMulti: Annotated[list[str], WithJsonSchema(TITLED_MULTI)]


@tool(tasks="never", inline_wait=TIMEOUT)
def test_sampling(context: Context, prompt: str) -> str:
    """Have the client's model answer."""
    return f"LLM response: {context.sample(prompt, max_tokens=100).text}"


@tool(tasks="never", inline_wait=TIMEOUT)
def test_elicitation(context: Context, message: str) -> str:
    """Ask the user."""
    return f"User response: {context.elicit(message, Account)}"


@tool(tasks="never", inline_wait=TIMEOUT)
def test_elicitation_sep1034_defaults(context: Context) -> str:
    """Ask with something filled in."""
    return f"Elicitation completed: {context.elicit('Please check the form', Defaults)}"


@tool(tasks="never", inline_wait=TIMEOUT)
def test_elicitation_sep1330_enums(context: Context) -> str:
    """Ask for choices of all kinds."""
    return f"Elicitation completed: {context.elicit('Please choose', Enums)}"


@tool(tasks="never", inline_wait=TIMEOUT)
def test_missing_capability(context: Context) -> str:
    """Need a client that can sample."""
    return context.sample("Say something", max_tokens=10).text


@tool(tasks="never", inline_wait=TIMEOUT)
def test_streaming_elicitation(context: Context) -> str:
    """Come further, then ask."""
    context.report_progress(1, 2)
    return f"Hello, {_name(context.elicit('What is your name?', Name, key='user_name'))}!"


@tool(tasks="never", inline_wait=TIMEOUT)
def test_input_required_result_elicitation(context: Context) -> str:
    """Ask the user's name."""
    return f"Hello, {_name(context.elicit('What is your name?', Name, key='user_name'))}!"


@tool(tasks="never", inline_wait=TIMEOUT)
def test_input_required_result_sampling(context: Context) -> str:
    """Have the client's model answer."""
    answer = context.sample("What is the capital of France?", max_tokens=100, key="capital_question")
    return f"The model says: {answer.text}"


@tool(tasks="never", inline_wait=TIMEOUT)
def test_input_required_result_list_roots(context: Context) -> str:
    """Ask for the client's folders."""
    return f"Roots: {', '.join(root.uri for root in context.list_roots(key='client_roots'))}"


@tool(tasks="never", inline_wait=TIMEOUT)
def test_input_required_result_request_state(context: Context) -> str:
    """Remember something until the user confirms."""
    recorded = context.step("note", lambda: "state-ok")
    answer = context.elicit("Please confirm", Confirmation, key="confirm")
    return f"{recorded}: {answer}"


@tool(tasks="never", inline_wait=TIMEOUT)
def test_input_required_result_multiple_inputs(context: Context) -> str:
    """Ask three things at once."""
    name, greeting, roots = context.gather(
        Elicit("What is your name?", Name, key="user_name"),
        Sample("Generate a greeting", max_tokens=50, key="greeting"),
        ListRoots(key="client_roots"),
    )
    return f"{greeting.text} {_name(name)}, working in {len(roots)} folders"


@tool(tasks="never", inline_wait=TIMEOUT)
def test_input_required_result_multi_round(context: Context) -> str:
    """Ask twice, one after the other."""
    name = _name(context.elicit("Step 1: What is your name?", Name, key="step1"))
    colour = context.elicit("Step 2: What is your favorite color?", Colour, key="step2")
    return f"{name}: {colour}"


@tool(tasks="never", inline_wait=TIMEOUT)
def test_input_required_result_tampered_state(context: Context) -> str:
    """Remember something that nobody may change."""
    return f"Confirmed: {context.elicit('Please confirm', Confirmation, key='confirm')}"


@tool(tasks="never", inline_wait=TIMEOUT)
def test_input_required_result_capabilities(context: Context) -> str:
    """Ask whatever the client can be asked."""
    try:
        return _name(context.elicit("What is your name?", Name, key="user_name"))
    except MissingCapability:
        return context.sample("What is the capital of France?", max_tokens=100, key="capital_question").text


@prompt()
def test_input_required_result_prompt(context: Context) -> list[Message]:
    """Ask before there is anything to say."""
    answer = context.elicit("What context should the prompt use?", Need, key="user_context")
    need = answer.value.context if isinstance(answer, Accepted) else "nothing in particular"
    return [Message("user", f"Use the following context: {need}")]


def _name(answer: Any) -> str:
    return answer.value.name if isinstance(answer, Accepted) else "stranger"


TOOLS = [
    test_sampling,
    test_elicitation,
    test_elicitation_sep1034_defaults,
    test_elicitation_sep1330_enums,
    test_missing_capability,
    test_streaming_elicitation,
    test_input_required_result_elicitation,
    test_input_required_result_sampling,
    test_input_required_result_list_roots,
    test_input_required_result_request_state,
    test_input_required_result_multiple_inputs,
    test_input_required_result_multi_round,
    test_input_required_result_tampered_state,
    test_input_required_result_capabilities,
]
