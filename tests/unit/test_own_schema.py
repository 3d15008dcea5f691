"""Tools with an input schema of their own: listed as it is, validated for every call, without a network."""

import tracemalloc
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import pytest

from mcp_tasks import Context, Tool, tool
from mcp_tasks.authoring.errors import BadArguments
from mcp_tasks.authoring.header import header_arguments
from mcp_tasks.engine.tool_run import run_tool
from mcp_tasks.features.own_schema import DIALECT
from mcp_tasks.limits.tools import MAX_ERROR_CHARACTERS
from mcp_tasks.tasks.model import JSON, Returned
from tests.key_server import key_server
from tests.unit.callables import CONTEXT

ORDER: dict[str, JSON] = {
    "$schema": DIALECT,
    "type": "object",
    "properties": {
        "lines": {"type": "array", "items": {"$ref": "#/$defs/line"}},
        "email": {"type": "string"},
        "phone": {"type": "string"},
    },
    "anyOf": [{"required": ["email"]}, {"required": ["phone"]}],
    "$defs": {
        "line": {"type": "object", "properties": {"count": {"type": "integer", "minimum": 1}}, "required": ["count"]}
    },
    "additionalProperties": False,
}


def order(arguments: Mapping[str, JSON]) -> list[str]:
    """Order something."""
    return sorted(arguments)


def made(schema: Mapping[str, JSON], function: Callable[..., Any] = order) -> Tool:
    return tool(input_schema=schema)(function)


def complaint(schema: Mapping[str, JSON], arguments: Mapping[str, JSON]) -> str:
    with pytest.raises(BadArguments) as rejected:
        made(schema).work.check(arguments)
    return str(rejected.value)


def test_clients_see_the_schema_as_it_is() -> None:
    assert made(ORDER).work.input_schema is ORDER
    assert (made(ORDER).name, made(ORDER).description) == ("order", "Order something.")


def test_the_function_takes_its_arguments_whole_and_as_they_came() -> None:
    arguments = {"email": "ada@example.com", "lines": [{"count": 2, "more": None}]}

    assert made(ORDER).work.check(arguments) == {"arguments": arguments}
    assert made(ORDER, counted).work.call(arguments, CONTEXT).result["content"][0]["text"] == "2 for ada"


def counted(what: dict[str, Any], context: Context) -> str:
    """Do the work."""
    return f"{what['lines'][0]['count']} for {context.caller.subject}"


@dataclass
class Receipt:
    total: int


def test_a_result_is_structured_as_that_of_any_tool() -> None:
    def receipt(arguments: dict[str, Any]) -> Receipt:
        """Do the work."""
        return Receipt(total=len(arguments))

    work = made({"type": "object"}, receipt).work

    assert work.output_schema is not None
    assert work.call({"a": 1}, CONTEXT).result["structuredContent"] == {"total": 1}
    assert work.returned({"total": 7}).result["structuredContent"] == {"total": 7}
    assert made(ORDER).work.output_schema is None


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({}, "arguments: {} is not valid under any of the given schemas"),
        ({"phone": 7}, "phone: 7 is not of type 'string'"),
        ({"phone": "1", "zip": "x"}, "arguments: Additional properties are not allowed ('zip' was unexpected)"),
        ({"phone": "1", "lines": [{"count": 1}, {"count": 0}]}, "lines.1.count: 0 is less than the minimum of 1"),
        ({"phone": "1", "lines": [{}]}, "lines.0: 'count' is a required property"),
        ({"phone": "1", "lines": [{"count": 1.5}]}, "lines.0.count: 1.5 is not of type 'integer'"),
        ({"phone": "1", "lines": [{"count": True}]}, "lines.0.count: True is not of type 'integer'"),
        ({"phone": "1", "lines": {"count": 1}}, "lines: {'count': 1} is not of type 'array'"),
    ],
)
def test_what_does_not_fit_is_rejected_with_its_place(arguments: dict[str, JSON], words: str) -> None:
    assert complaint(ORDER, arguments) == words


def test_a_mistake_within_a_choice_is_named_by_its_whole_place() -> None:
    schema = {"type": "object", "properties": {"line": {"anyOf": [ORDER["$defs"]["line"]]}}}

    assert complaint(schema, {"line": {"count": "x"}}) == "line.count: 'x' is not of type 'integer'"


def test_wrong_arguments_never_reach_the_function() -> None:
    def boom(arguments: dict[str, Any]) -> str:
        """Do the work."""
        raise LookupError

    assert run_tool(made(ORDER, boom), {}, CONTEXT) == Returned(
        result={
            "content": [
                {
                    "type": "text",
                    "text": "boom was called with wrong arguments: "
                    "arguments: {} is not valid under any of the given schemas",
                }
            ]
        },
        is_error=True,
    )


@pytest.mark.parametrize("arguments", [{"phone": ["x" * 1_000_000]}, {"phone": "1", "x" * 1_000_000: 1}])
def test_a_large_invalid_value_is_quoted_briefly(arguments: dict[str, JSON]) -> None:
    outcome = run_tool(made(ORDER), arguments, CONTEXT)

    assert isinstance(outcome, Returned)
    assert len(outcome.result["content"][0]["text"]) == MAX_ERROR_CHARACTERS


def nothing() -> str:
    return ""


def only_context(context: Context) -> str:
    return ""


def two(a: dict[str, Any], b: dict[str, Any]) -> str:
    return ""


@pytest.mark.parametrize("function", [nothing, only_context, two])
def test_a_function_that_does_not_take_them_as_one_is_rejected_at_import(function: Callable[..., Any]) -> None:
    with pytest.raises(
        TypeError, match=f"{function.__name__}: with a schema of its own, a tool takes its arguments as"
    ):
        made({"type": "object"}, function)


@pytest.mark.parametrize(
    "schema",
    [
        {},
        {"type": "array"},
        {"type": ["object"]},
        {"type": "object", "$schema": "http://json-schema.org/draft-07/schema#"},
        {"type": "object", "$schema": DIALECT + "#"},
        {"type": "object", "$schema": None},
        {"$ref": "#/$defs/a", "$defs": {"a": {"type": "object"}}},
    ],
)
def test_a_schema_that_is_no_object_or_of_another_dialect_is_rejected_at_import(schema: dict[str, JSON]) -> None:
    with pytest.raises(TypeError, match=f"order: the schema is of type object, in the dialect {DIALECT}"):
        made(schema)


@pytest.mark.parametrize(
    ("schema", "words"),
    [
        ({"properties": []}, r"\[\] is not of type 'object'"),
        ({"properties": {"a": {"type": "text"}}}, "'text' is not valid under any of the given schemas"),
        ({"properties": {"a": {"pattern": "["}}}, r"'\[' is not a 'regex'"),
        ({"required": "a"}, "'a' is not of type 'array'"),
        ({"properties": {"a": {"minimum": "1"}}}, "'1' is not of type 'number'"),
    ],
)
def test_what_is_no_json_schema_is_rejected_at_import(schema: dict[str, JSON], words: str) -> None:
    with pytest.raises(TypeError, match=f"order: no JSON Schema: {words}"):
        made({"type": "object", **schema})


def test_an_annotation_for_a_header_is_validated_here_too() -> None:
    schema = {"type": "object", "properties": {"a": {"type": "string", "x-mcp-header": "A"}}}
    deep = {"type": "object", "properties": {"a": {"type": "array", "items": schema}}}

    assert header_arguments(made(schema).work.input_schema) == {"A": ("a",)}
    with pytest.raises(TypeError, match="header A: only an integer, a string or a boolean"):
        made(deep)


@pytest.mark.parametrize(
    "schema",
    [
        {"properties": {"a": {"$ref": "{url}/schema"}}},
        {"properties": {"a": {"$ref": "{url}/schema#/$defs/x"}}},
        {"properties": {"a": {"$dynamicRef": "{url}/schema#x"}}},
        {"properties": {"a": {"allOf": [{"$ref": "{url}/schema"}]}}},
        {"$id": "{url}/mine", "properties": {"a": {"$ref": "theirs"}}},
        {"properties": {"a": {"$ref": "#/$defs/gone"}}},
        {"properties": {"a": {"$ref": "file:///etc/passwd"}}},
    ],
)
def test_a_reference_to_somewhere_else_is_an_error_and_is_never_fetched(schema: dict[str, JSON]) -> None:
    with key_server() as server:
        # What would be fetched, if anything were, lets the schema pass.
        server.body = b'{"type": "integer", "$defs": {"x": {"$dynamicAnchor": "x"}}}'
        with pytest.raises(TypeError, match=r"^order: the schema refers to '.*', which is not in it$"):
            made({"type": "object", **_filled(schema, server.url)})
        assert server.fetches == 0


@pytest.mark.parametrize(
    "schema",
    [
        {"properties": {"a": {"$anchor": "x"}, "b": {"$ref": "#x"}}},
        {"$id": "https://example.com/order", "$defs": {"n": {"$id": "n", "type": "string"}}, "not": {"$ref": "n"}},
        {"$defs": {"$ref": {"type": "string"}}, "properties": {"$ref": {"$ref": "#/$defs/$ref"}}},
        {"default": {"$ref": "nowhere"}, "examples": [{"$ref": "nowhere"}]},
    ],
)
def test_a_reference_within_the_schema_is_none_of_the_mistakes(schema: dict[str, JSON]) -> None:
    assert made({"type": "object", **schema})


def _filled(schema: Any, url: str) -> Any:
    if isinstance(schema, dict):
        return {name: _filled(part, url) for name, part in schema.items()}
    if isinstance(schema, list):
        return [_filled(part, url) for part in schema]
    return schema.replace("{url}", url)


def test_the_schema_of_schemas_is_known_without_asking_anybody() -> None:
    schema: dict[str, JSON] = {"type": "object", "properties": {"a": {"$ref": DIALECT}}}

    assert made(schema).work.check({"a": {"type": "string"}})
    assert complaint(schema, {"a": {"type": 7}}) == "a.type: 7 is not valid under any of the given schemas"


@pytest.mark.parametrize("keyword", ["anyOf", "oneOf"])
def test_of_what_fits_no_choice_only_the_first_errors_are_kept(keyword: str) -> None:
    lists = [{"type": "array", "items": {"type": kind}} for kind in ("string", "boolean")]
    arguments = {"a": [7] * 50_000}
    tracemalloc.start()
    try:
        message = complaint({"type": "object", "properties": {"a": {keyword: lists}}}, arguments)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert message.endswith("… is not valid under any of the given schemas")
    assert peak < 5_000_000


@pytest.mark.parametrize(
    ("value", "error"),
    [
        (3, None),
        ("x", None),
        (6, "6 is valid under more than one of the given schemas"),
        (7, "7 is not valid under any of the given schemas"),
    ],
)
def test_one_of_the_choices_fits(value: JSON, error: str | None) -> None:
    choices = [{"type": "string"}, {"multipleOf": 2, "type": "integer"}, {"multipleOf": 3, "type": "integer"}]
    schema: Mapping[str, JSON] = {"type": "object", "properties": {"a": {"oneOf": choices}}}
    if error is None:
        assert made(schema).work.check({"a": value})
    else:
        assert complaint(schema, {"a": value}) == f"a: {error}"


def test_an_integer_too_large_to_divide_is_rejected_like_any_other() -> None:
    schema: Mapping[str, JSON] = {"type": "object", "properties": {"a": {"multipleOf": 0.5}}}

    assert "too large" in complaint(schema, {"a": 10**400})
