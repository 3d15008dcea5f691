"""Functions as resources: their contents, and what is rejected at import."""

import json
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any, Literal

import pytest

from mcp_tasks import Context, Resource, ResourceNotFound, resource
from mcp_tasks.authoring.errors import BadArguments
from mcp_tasks.authoring.uris import normalised
from mcp_tasks.features.resources import Resources
from tests.unit.callables import CONTEXT


@resource("report://{year}/{kind}", mime_type="text/markdown")
def report(kind: Literal["short", "long"], year: str, context: Context) -> str:
    """Report about a year.

    In one page.
    """
    if year == "1800":
        raise ResourceNotFound
    return f"# {year}, {kind} for {context.caller.subject}"


@resource("report://index")
def index() -> list[str]:
    """List the reports."""
    return ["2026"]


def read(of: Resource, uri: str) -> Any:
    """Return the contents at a URI of the resource."""
    variables = of.match(normalised(uri))
    assert variables is not None
    return of.read(uri, variables, CONTEXT)


def holding(value: object, mime_type: str | None = None) -> Any:
    """Return the contents of a resource whose function returns the value."""

    def give() -> Any:
        return value

    (found,) = read(resource("a://b", mime_type=mime_type)(give), "a://b")
    return found


def test_a_function_lends_its_name_and_docstring() -> None:
    assert (report.name, report.title, report.mime_type) == ("report", None, "text/markdown")
    assert report.description == "Report about a year.\n\nIn one page."
    assert (report.ttl, report.subscribable, index.mime_type) == (timedelta(), False, None)


def test_what_is_given_goes_before_what_is_lent() -> None:
    made = resource(
        "report://index",
        name="list",
        title="List",
        description="Lists.",
        mime_type="application/json",
        ttl=timedelta(minutes=5),
        subscribable=True,
    )(index.work.function)

    assert (made.uri, made.name, made.title, made.description) == ("report://index", "list", "List", "Lists.")
    assert (made.mime_type, made.ttl, made.subscribable) == ("application/json", timedelta(minutes=5), True)


def test_a_resource_is_still_the_plain_function() -> None:
    assert report("short", "2026", CONTEXT) == "# 2026, short for ada"
    assert index() == ["2026"]


def test_what_is_read_says_where_it_is_from_and_what_it_is() -> None:
    assert read(report, "report://2026/long") == [
        {"uri": "report://2026/long", "mimeType": "text/markdown", "text": "# 2026, long for ada"}
    ]


@pytest.mark.parametrize(
    ("value", "held"),
    [
        ("text", {"text": "text"}),
        ("", {"text": ""}),
        ("half \ud800", {"text": "half ?"}),
        (b"\xff", {"blob": "/w=="}),
        (b"", {"blob": ""}),
    ],
)
def test_text_is_text_and_bytes_are_bytes(value: object, held: dict[str, str]) -> None:
    assert holding(value) == {"uri": "a://b", **held}
    assert holding(value, "x/y") == {"uri": "a://b", "mimeType": "x/y", **held}


@pytest.mark.parametrize("value", [{"n": [1, None]}, [], {}, 7, True, None, ["a"]])
def test_anything_else_is_json_unless_it_says_otherwise(value: object) -> None:
    assert holding(value)["mimeType"] == "application/json"
    assert holding(value, "application/ld+json")["mimeType"] == "application/ld+json"
    assert json.loads(holding(value)["text"]) == value


def test_an_async_function_is_awaited() -> None:
    @resource("a://{name}")
    async def later(name: str) -> str:
        return name

    assert read(later, "a://x")[0]["text"] == "x"


def test_a_function_says_itself_that_there_is_nothing() -> None:
    with pytest.raises(ResourceNotFound):
        read(report, "report://1800/short")


def test_a_variable_is_one_of_its_choices() -> None:
    with pytest.raises(BadArguments, match="kind: Input should be 'short' or 'long', not \"endless\""):
        read(report, "report://2026/endless")


def test_an_address_with_variables_stands_for_many() -> None:
    assert report.is_template
    assert not index.is_template


def one(a: str) -> str:
    return a


def two(a: str, b: str) -> str:
    return a + b


def number(a: int) -> str:
    return str(a)


def maybe(a: str | None) -> str:
    return str(a)


def none() -> str:
    return ""


@pytest.mark.parametrize(
    ("uri", "function", "words"),
    [
        ("x://{a}", none, r"none takes the arguments \[\], and its URI has the variables \['a'\]"),
        ("x://a", one, r"one takes the arguments \['a'\], and its URI has the variables \[\]"),
        ("x://{b}", one, r"one takes the arguments \['a'\], and its URI has the variables \['b'\]"),
        ("x://{a}/{b}", one, r"one takes the arguments \['a'\], and its URI has the variables \['a', 'b'\]"),
        ("x://{a}", two, r"two takes the arguments \['a', 'b'\], and its URI has the variables \['a'\]"),
        ("x://{a}/{a}", one, r"one takes the arguments \['a'\], and its URI has the variables \['a', 'a'\]"),
        ("x://{1}", none, r"none takes the arguments \[\], and its URI has the variables \['1'\]"),
        ("x://{a}", number, "number: clients send texts, so a is a str or a Literal"),
        ("x://{a}", maybe, "maybe: clients send texts, so a is a str or a Literal"),
    ],
)
def test_a_function_takes_the_variables_of_its_address_and_no_others(
    uri: str, function: Callable[..., Any], words: str
) -> None:
    with pytest.raises(TypeError, match=words):
        resource(uri)(function)


@pytest.mark.parametrize("uri", ["", "report", "/report", "//report", "report/{a}", "{a}://b", "://b"])
def test_an_address_begins_with_a_scheme(uri: str) -> None:
    with pytest.raises(ValueError, match="is not a URI: begin it with a scheme"):
        Resource(uri=uri, name="x", description="", work=index.work)


@pytest.mark.parametrize(
    "uri",
    ["x://{", "x://}", "x://{}", "x://{{a}}", "x://{a b}", "x://{a-b}", "x://{?a}", "x://{a", "x://{+a}", "x://{a*}"],
)
def test_a_variable_is_a_name_in_brackets_and_nothing_more(uri: str) -> None:
    words = r"a variable is a \{name\}, and nothing more of RFC 6570, such as \{\+path\}, \{\?query\} or \{list\*\}"
    with pytest.raises(ValueError, match=words):
        Resource(uri=uri, name="x", description="", work=index.work)
    with pytest.raises(ValueError, match=words):
        resource(uri)(one)


@pytest.mark.parametrize(
    ("uri", "words"),
    [
        ("https://", "'https://' is not a URI that clients can read: .*empty host"),
        ("report://A B/c", "'report://A B/c' is not a URI that clients can read: .*invalid domain character"),
        ("https://bücher.de/", "clients write 'https://bücher.de/' as 'https://xn--bcher-kva.de/': write it so"),
        ("file://localhost/a", "clients write 'file://localhost/a' as 'file:///a': write it so"),
    ],
)
def test_an_address_that_clients_would_not_find_is_rejected_at_import(uri: str, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        resource(uri)(none)


@pytest.mark.parametrize("uri", ["x://{a}{b}", "x://{a}-{b}", "x://y/{a}.{b}/z", "x://y?a={a}&b={b}", "x://y#{a},{b}"])
def test_a_segment_has_one_variable_at_most(uri: str) -> None:
    with pytest.raises(ValueError, match="one variable is all that a segment can have"):
        resource(uri)(two)


@pytest.mark.parametrize("uri", ["https://{a}/x", "x://{a}", "x:{a}", "https://b/?c={a}#d", "file:///my files/{a}.txt"])
def test_an_address_that_clients_find_is_accepted_at_import(uri: str) -> None:
    assert resource(uri)(one).uri == uri


def at(uri: str) -> Resource:
    return Resource(uri=uri, name="x", description="", work=index.work)


def test_resources_are_listed_in_order_those_of_one_address_apart_from_templates() -> None:
    first, second, third = at("a://b"), at("a://{b}"), at("a://a")
    resources = Resources([first, second, third])

    assert list(resources) == [first, second, third]
    assert resources.listed(templates=False) == [first, third]
    assert resources.listed(templates=True) == [second]
    assert resources.with_uri("a://{b}") is second
    assert resources.with_uri("a://x") is None
    assert resources


def test_no_resources_are_no_resources() -> None:
    assert not Resources()
    assert Resources().listed(templates=True) == Resources().listed(templates=False) == []
    assert Resources().find("a://b") is None


def test_two_resources_at_one_address_are_rejected() -> None:
    with pytest.raises(ValueError, match="two resources are at a://b"):
        Resources([at("a://b"), at("a://c"), at("a://b")])
    with pytest.raises(ValueError, match="two resources are at note://%C3%A9, which is note://é in another spelling"):
        Resources([at("note://é"), at("note://%C3%A9")]).check_spellings()
    Resources([at("note://é"), at("note://e"), at("note://{é}")]).check_spellings()


def test_clients_can_subscribe_where_one_resource_at_least_is_subscribable() -> None:
    subscribable = Resource(uri="a://c", name="x", description="", work=index.work, subscribable=True)

    assert not Resources([at("a://b")]).subscribable
    assert Resources([at("a://b"), subscribable]).subscribable


@pytest.mark.parametrize(
    ("uri", "scopes"),
    [
        ("report://2026/short", ["reports:read", "reports:2026"]),
        # A space would make two scopes of one, and a quote end the challenge.
        ("report://20%2026%22/short", ["reports:read", "reports:20%2026%22"]),
        ("report://%C3%A9/short", ["reports:read", "reports:%C3%A9"]),
    ],
)
def test_a_variable_in_a_scope_stands_for_its_value(uri: str, scopes: list[str]) -> None:
    scoped = replace(report, scopes=["reports:read", "reports:{year}"])
    variables = scoped.match(normalised(uri))
    assert variables is not None
    assert scoped.scopes_for(variables) == scopes
