"""Which resource a URI belongs to, and that no URI of a client leads outside of it."""

import re
from collections.abc import Mapping
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_tasks import Resource
from mcp_tasks.authoring.uris import normalised
from mcp_tasks.features.resources import Resources
from tests.unit.test_resources import at

LONGEST = 4_000


def matched(template: str, uri: str) -> Mapping[str, str] | None:
    return at(template).match(normalised(uri))


@pytest.mark.parametrize(
    ("template", "uri", "variables"),
    [
        ("a://b", "a://b", {}),
        ("a://{x}", "a://b", {"x": "b"}),
        ("a://{x}/{y}", "a://b/c", {"x": "b", "y": "c"}),
        ("a:{x}", "a:b", {"x": "b"}),
        ("a://b/{x}.txt", "a://b/c.txt", {"x": "c"}),
        ("a://b/{x}.txt", "a://b/c.txt.txt", {"x": "c.txt"}),
        ("a://b/{x}.txt", "a://b/...txt", None),
        ("a://b?q={x}", "a://b?q=c", {"x": "c"}),
        ("a://b#{x}", "a://b#c", {"x": "c"}),
        ("a://{x}?q={y}#{z}", "a://b?q=c#d", {"x": "b", "y": "c", "z": "d"}),
        ("a://{x_1}", "a://b", {"x_1": "b"}),
        ("a://{größe}", "a://7", {"größe": "7"}),
    ],
)
def test_an_address_is_taken_apart_as_it_is_written(
    template: str, uri: str, variables: Mapping[str, str] | None
) -> None:
    assert matched(template, uri) == variables


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("2026", "2026"),
        ("a%20b", "a b"),
        ("a+b", "a+b"),
        ("%C3%A9", "é"),
        ("é", "é"),
        ("%F0%9F%98%80", "😀"),
        ("%25", "%"),
        ("%252F", "%2F"),
        ("%252e%252e", "%2e%2e"),
        ("...", "..."),
        ("..a", "..a"),
        ("a..", "a.."),
        (".hidden", ".hidden"),
        ("a:b@c", "a:b@c"),
        ("{x}", "{x}"),
        ("%7Bx%7D", "{x}"),
        ("%", "%"),
        ("%zz", "%zz"),
        ("a%3Fb%23c", "a?b#c"),
        ("~", "~"),
    ],
)
def test_a_variable_is_what_was_meant(written: str, meant: str) -> None:
    assert matched("a://{x}", f"a://{written}") == {"x": meant}


@pytest.mark.parametrize(
    "written",
    [
        *("b/c", "%2F", "%2f", "b%2Fc", "..%2F..%2Fetc", "/", "b/"),
        *("%5C", "b%5cc", "..%5c..", "\\", "b\\c"),
        *("..", ".", "%2e%2e", "%2E.", ".%2e", "%2e"),
        *("%00", "b%00", "\0", "b\0c"),
    ],
)
def test_a_variable_never_leads_out_of_its_segment(written: str) -> None:
    assert matched("a://{x}", f"a://{written}") is None
    assert matched("a://{x}/{y}", f"a://b/{written}") is None


@pytest.mark.parametrize("written", ["", "b?c", "b#c", "b/", "/b", "b?", "b?q=1", "#"])
def test_a_variable_is_one_whole_segment(written: str) -> None:
    assert matched("a://{x}", f"a://{written}") is None


@pytest.mark.parametrize("written", ["%ff", "%C3", "b%C3%28", "%ED%A0%80"])
def test_bytes_that_are_no_text_are_nowhere(written: str) -> None:
    assert matched("a://{x}", f"a://{written}") is None


@pytest.mark.parametrize(
    "uri", ["a://b ", " a://b", "a://b\n", "a://b/", "a://b?x", "xa://b", "a://bb", "a://b%20", ""]
)
def test_an_address_is_this_one_or_it_is_not(uri: str) -> None:
    assert matched("a://b", uri) is None


@pytest.mark.parametrize("literal", ["a.b", "a+b", "(a)", "[a]", "a|b", "^a$", "a*", "\\d", "a b", "(?P<x>y)"])
def test_what_means_something_to_patterns_means_itself_in_an_address(literal: str) -> None:
    assert matched(f"a://z/{literal}/{{x}}", f"a://z/{literal}/c") == {"x": "c"}
    assert matched(f"a://z/{literal}/{{x}}", "a://z/aXb/c") is None


@given(st.text(min_size=1, max_size=20))
def test_any_text_that_stays_in_its_segment_arrives_as_it_is(text: str) -> None:
    climbs = text in (".", "..") or re.search(r"[/\\\0]", text)

    assert matched("a://{x}/y", f"a://{quote(text, safe='')}/y") == (None if climbs else {"x": text})


@given(st.text(alphabet="ab./%25FC\\{}?#\0é", max_size=30))
def test_whatever_is_asked_for_stays_within_the_template(text: str) -> None:
    for variables in (matched("a://{x}", f"a://{text}"), matched("a://{x}/{y}.b", f"a://{text}")):
        for value in (variables or {}).values():
            assert value
            assert value not in (".", "..")
            assert not set(value) & set("/\\\0")


@pytest.mark.parametrize("text", ["-" * LONGEST, "a." * 2_000, ".txt" * 1_000, "%25" * 1_300])
def test_a_huge_address_is_taken_apart_like_any_other(text: str) -> None:
    assert matched("a://b/{x}.txt/{y}", f"a://b/{text}.txt/c") == {"x": text.replace("%25", "%"), "y": "c"}
    assert matched("a://b/{x}.txt/{y}", f"a://b/{text}.txt!/c") is None


@pytest.mark.parametrize(
    ("listed", "asked"),
    [
        # As the Python client writes what was listed, which reads URIs as browsers do.
        ("file:///plain café.txt", "file:///plain%20caf%C3%A9.txt"),
        ("https://example.com", "https://example.com/"),
        ("https://example.com?q=1", "https://example.com/?q=1"),
        ("HTTPS://Example.COM:443/A", "https://example.com/A"),
        ("note://été", "note://%C3%A9t%C3%A9"),
        ("file:///a/../b/./c", "file:///b/c"),
        ('note://a/"b"|c', "note://a/%22b%22|c"),
        # RFC 3986 6.2.2: the case of a scheme and of escapes does not matter, nor escapes of what needs none.
        ("note://a", "NOTE://a"),
        ("note://%c3%a9", "note://%C3%A9"),
        ("note://a/~b-c", "note://a/%7Eb%2Dc"),
        ("note://a/b", "note://a/c/%2E%2E/b"),
        ("https://ada@example.com/x", "https://ada@EXAMPLE.com/x"),
    ],
)
def test_a_resource_is_found_in_each_spelling_of_its_address(listed: str, asked: str) -> None:
    assert found(asked, listed) == (listed, {})
    assert found(listed, asked) == (asked, {})
    assert matched(f"{listed}#{{x}}", f"{asked}#B%20b") == {"x": "B b"}


@pytest.mark.parametrize(
    ("listed", "asked"),
    [
        ("note://A", "note://a"),
        ("note://a/B", "note://a/b"),
        ("note://a/b%2Fc", "note://a/b/c"),
        ("note://a?q=b%26c", "note://a?q=b&c"),
        ("note://a", "note://a/"),
        ("https://Ada@example.com/", "https://ada@example.com/"),
        ("https://example.com:8443/", "https://example.com/"),
        ("http://example.com/", "https://example.com/"),
        ("note://%zz", "note://%25z"),
    ],
)
def test_addresses_of_two_things_stay_two(listed: str, asked: str) -> None:
    assert found(asked, listed) is None


@pytest.mark.parametrize("template", ["file:///my docs/{name}", "file:///my%20docs/{name}"])
def test_a_template_is_expanded_and_completed_in_each_spelling(template: str) -> None:
    resources = Resources([at(template)])

    assert found("file:///my%20docs/a", template) == (template, {"name": "a"})
    assert found("file:///my docs/a", template) == (template, {"name": "a"})
    assert resources.with_uri("file:///my%20docs/%7Bname%7D") is resources.with_uri("file:///my docs/{name}")
    assert resources.with_uri("file:///my docs/{name}")


def test_a_host_that_is_a_variable_keeps_its_name() -> None:
    assert matched("https://{Host}/x", "https://Example.com/x") == {"Host": "example.com"}


@given(st.text(alphabet="aZ09-~é%2fF./:?#[]@ \\{}|", max_size=30))
def test_a_normalised_address_is_its_own_normalised_form(text: str) -> None:
    once = normalised(f"https://{text}")

    assert normalised(once) == once
    assert once.isascii()


def found(uri: str, *templates: str) -> tuple[str, Mapping[str, str]] | None:
    listed: list[Resource] = [at(template) for template in templates]
    match = Resources(listed).find(uri)
    return None if match is None else (match[0].uri, match[1])


def test_an_address_of_its_own_goes_before_templates_wherever_it_is_listed() -> None:
    assert found("a://b", "a://{x}", "a://b") == ("a://b", {})
    assert found("a://c", "a://{x}", "a://b") == ("a://{x}", {"x": "c"})


def test_of_two_templates_the_first_one_listed_is_meant() -> None:
    assert found("a://b/c", "a://{x}/c", "a://b/{y}") == ("a://{x}/c", {"x": "b"})
    assert found("a://b/c", "a://b/{y}", "a://{x}/c") == ("a://b/{y}", {"y": "c"})


def test_what_one_template_rejects_another_may_take() -> None:
    assert found("a://b%2Fc", "a://{x}", "a://b%2Fc") == ("a://b%2Fc", {})
    assert found("a://..", "a://{x}", "a://b") is None


def test_a_template_is_not_at_its_own_address_unless_a_client_says_so() -> None:
    assert found("a://{x}", "a://b") is None
    assert found("a://{x}", "a://{x}") == ("a://{x}", {"x": "{x}"})
