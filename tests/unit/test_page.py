"""The console's file: small, complete in itself, and written so that no text can become HTML or a script."""

import base64
import gzip
import hashlib
import json
import re
import time

import pytest

from mcp_tasks.limits.tools import MAX_SHOWN_CHARACTERS
from mcp_tasks.page import FILE, console, console_headers, content_security_policy

TEXT = FILE.read_text()
SCRIPT = TEXT.partition("<script>")[2].partition("</script>")[0]
MARKUP = TEXT.replace(SCRIPT, "")
MOST_BYTES = 60_000


def sha(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def test_it_is_small() -> None:
    size = len(gzip.compress(TEXT.encode(), mtime=0))
    assert 10_000 < size <= MOST_BYTES


def test_a_mapping_template_of_api_gateway_can_have_it() -> None:
    """A template has at most 300 KB, and Velocity reads references after "$", and directives after "#"."""
    assert len(console("a" * 500).encode()) < 300_000
    assert not re.search(r"[$#]", TEXT)


def test_the_policy_lets_its_one_script_run_and_nothing_else() -> None:
    policy = dict(rule.split(" ", 1) for rule in content_security_policy().rstrip(";").split("; "))

    assert len(re.findall("<script", TEXT)) == 1
    assert policy["script-src"] == sha(SCRIPT)
    assert policy["style-src"] == sha(TEXT.partition("<style>")[2].partition("</style>")[0])
    assert policy["default-src"] == policy["base-uri"] == policy["form-action"] == policy["frame-ancestors"] == "'none'"
    assert (policy["connect-src"], policy["img-src"]) == ("'self'", "data:")
    assert (policy["require-trusted-types-for"], policy["trusted-types"]) == ("'script'", "'none'")
    assert "unsafe" not in content_security_policy()


def test_a_login_may_fetch_from_its_issuer_too() -> None:
    policy = content_security_policy(["https://id.example.com", "https://login.example.com"])

    assert "; connect-src 'self' https://id.example.com https://login.example.com; " in policy


def test_it_is_neither_framed_nor_sniffed_and_sends_no_referrer() -> None:
    headers = console_headers()

    assert headers["content-type"] == "text/html; charset=utf-8"
    assert (headers["x-content-type-options"], headers["x-frame-options"]) == ("nosniff", "DENY")
    assert (headers["referrer-policy"], headers["cross-origin-opener-policy"]) == ("no-referrer", "same-origin")


@pytest.mark.parametrize(
    "way",
    ["innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "Function(", "DOMParser", "srcdoc"],
)
def test_no_text_becomes_html_or_a_script(way: str) -> None:
    assert way not in SCRIPT


@pytest.mark.parametrize("part", ["[", "[a", "[a](", "[a](b", "*", "*a", "**a", "`", "`a", "[*`"])
def test_markdown_is_read_in_time_however_often_a_part_of_it_begins(part: str) -> None:
    """A caller's text may be in what approvers are shown, 20 at a time; JavaScript tries the pattern as Python does."""
    (pattern,) = re.findall(r"pattern = /(.*)/g;", SCRIPT)

    def seconds(length: int) -> float:
        began = time.process_time()
        assert all(found.end() > found.start() for found in re.finditer(pattern, part * (length // len(part))))
        return time.process_time() - began

    little = min(seconds(MAX_SHOWN_CHARACTERS // 16) for _ in range(3))
    assert seconds(MAX_SHOWN_CHARACTERS) < 64 * max(little, 0.001)
    assert re.search(pattern, "see [the order](https://example.com/)")


@pytest.mark.parametrize("store", ["localStorage", "indexedDB", "cookie", "caches", "serviceWorker"])
def test_nothing_is_kept_beyond_the_tab(store: str) -> None:
    assert store not in SCRIPT


def test_tab_keeps_that_a_login_was_begun_and_its_one_link_and_no_token_of_a_person() -> None:
    kept = re.findall(r"sessionStorage\.setItem\((\w+), JSON\.stringify\((.*?)\)\);", SCRIPT, re.DOTALL)
    links = re.findall(r"keep\(\{(.*?)\}\)", SCRIPT)

    marks = re.findall(r"sessionStorage\.setItem\((\w+), '(\w+)'\)", SCRIPT)

    assert SCRIPT.count("sessionStorage") == 9
    # The mark says that an operator logged in here, and grants nothing.
    assert marks == [("OPERATES", "1")]
    assert [name for name, _ in kept] == ["LOGIN", "OPENED"]
    assert "access" not in dict(kept)["LOGIN"]
    assert links == ["link: found[1], nonce: random()", "link: opened.link, access: credential"]


def test_it_names_nothing_outside_of_itself() -> None:
    assert re.findall(r"https?://[^\s'\"]+", TEXT) == ["https://example.com/."]
    assert re.findall(r"\b(?:src|href)=\"([^\"]*)\"", MARKUP) == ["data:,", ""]
    assert not re.search(r"\bon\w+=|style=|@import|url\(", MARKUP)


def test_a_client_id_is_in_the_page_and_changes_no_script() -> None:
    text = console("https://app.example.com/client?a=1&b=2")

    assert '<meta name="client-id" content="https://app.example.com/client?a=1&amp;b=2">' in text
    assert SCRIPT in text
    assert console() == TEXT


def test_the_scope_of_operators_is_in_the_page_and_changes_no_script() -> None:
    text = console("app", "https://api.example.com/admin")

    assert '<meta name="operator-scope" content="https://api.example.com/admin">' in text
    assert SCRIPT in text


@pytest.mark.parametrize("scope", ['"><script>', "$id", "#id"])
def test_a_scope_that_could_be_more_is_refused(scope: str) -> None:
    with pytest.raises(ValueError, match="cannot have the scope"):
        console("app", scope)


@pytest.mark.parametrize("client_id", ['"><script>', "a b", "$id", "#id", "<", "é", "'"])
def test_a_client_id_that_could_be_more_is_refused(client_id: str) -> None:
    with pytest.raises(ValueError, match="a client id has"):
        console(client_id)


def test_it_asks_for_what_the_server_offers() -> None:
    """The names are in two languages, and only one of them can import the other's."""
    from mcp_tasks.features.tools import BUILT_IN
    from mcp_tasks.limits.tenants import MAX_TASKS_PER_LIST

    name, *others = re.findall(r"(?:LIST|APPROVALS|DECIDE|TENANTS|OPEN|REMIND) = '(\w+)'", SCRIPT)
    pages = json.loads(f"[{','.join(re.findall(r'_PAGE = ([0-9]+)', SCRIPT))}]")
    assert name == "task_list"
    assert len(others) == 5
    assert set(others) < set(BUILT_IN)
    assert max(pages) == MAX_TASKS_PER_LIST


def test_it_has_words_for_each_channel() -> None:
    from mcp_tasks.engine.approval_answers import CHANNEL, LINK

    (words,) = re.findall(r"const CHANNEL = \{(.*?)\};", SCRIPT)
    assert set(re.findall(r"(\w+): '", words)) == {"client", CHANNEL, LINK}


def test_its_host_alone_is_heard_and_told_nothing_of_a_token() -> None:
    """In a host there is no login, so that the one message to any origin has nothing that is secret."""
    assert SCRIPT.count("postMessage(") == 1
    assert "event.source !== window.parent" in SCRIPT
    assert "HOSTED ? host.begin() : signedIn()" in SCRIPT
