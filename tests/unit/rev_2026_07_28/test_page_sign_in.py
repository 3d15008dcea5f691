"""The console's login: what it keeps and asks for, whose metadata it takes, and what it sends for a token."""

import json
import re
import subprocess
from base64 import urlsafe_b64encode
from hashlib import sha256
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest

from mcp_tasks.page import FILE

TASKS, ISSUER, OTHER = "https://tasks.example/", "https://id.example/realms/a", "https://id.example/realms/b"
METADATA = {"issuer": ISSUER, "authorization_endpoint": f"{ISSUER}/auth?ui=1", "token_endpoint": f"{ISSUER}/token"}
PROMISE = "authorization_response_iss_parameter_supported"
RESOURCE = {"resource": f"{TASKS}mcp", "authorization_servers": [ISSUER, OTHER]}
PLACES = (
    "https://id.example/.well-known/oauth-authorization-server/realms/a",
    "https://id.example/.well-known/openid-configuration/realms/a",
    f"{ISSUER}/.well-known/openid-configuration",
)

PROGRAM = """(async () => {
  class Failure extends Error {}
  const [documents, kept, search, does] = JSON.parse(process.argv[1]), fetched = [], seen = {};
  const BASE = 'https://tasks.example/', CLIENT_ID = 'console', LOGIN = 'login';
  const OPERATES = 'operates', OPERATOR_SCOPE = kept.scope || '';
  const at = () => kept.at || '', to = (view) => view, linked = () => false;
  const location = {origin: 'https://tasks.example', pathname: '/', hash: '\\x23/inbox', search,
    assign: (address) => { seen.asked = address; }};
  const history = {replaceState: (state, title, address) => { seen.address = address; }};
  const sessionStorage = {getItem: (name) => kept[name] === undefined ? null : JSON.stringify(kept[name]),
    setItem: (name, value) => { kept[name] = JSON.parse(value); }, removeItem: (name) => { delete kept[name]; }};
  const fetch = async (address, {method, body} = {}) => {
    fetched.push(method ? [address, method, Object.fromEntries(body)] : address);
    return {ok: address in documents, status: 404, json: async () => documents[address]};
  };
  let token = null;
  CODE
  try { await eval(does); } catch (error) { seen.says = error.message; }
  console.log(JSON.stringify({...seen, kept, fetched, token}));
})();"""


def run(does: str, documents: Any, kept: Any = None, search: str = "") -> Any:
    """Return what became of a tab in which the console's own code does something, with these documents to fetch."""
    (code,) = re.findall(r"^const base64url = .*?(?=^function signedOut)", FILE.read_text(), re.DOTALL | re.MULTILINE)
    given = json.dumps([documents, kept or {}, search, does])
    program = PROGRAM.replace("CODE", code)
    done = subprocess.run(["node", "-e", program, given], capture_output=True, text=True, timeout=60, check=True)
    return json.loads(done.stdout)


def signing_in(metadata: Any, place: str = PLACES[0], resource: Any = RESOURCE) -> Any:
    return run("signIn()", {f"{TASKS}.well-known/oauth-protected-resource": resource, place: metadata})


@pytest.mark.parametrize(
    ("promised", "names"), [({}, False), ({PROMISE: True}, True), ({PROMISE: False}, False), ({PROMISE: "yes"}, False)]
)
def test_login_keeps_whom_it_asks_and_asks_for_a_code_of_this_tab_alone(promised: Any, names: bool) -> None:
    found = signing_in({**METADATA, **promised}, resource={**RESOURCE, "scopes_supported": ["read", "call"]})

    kept = found["kept"]["login"]
    state, verifier = kept.pop("state"), kept.pop("verifier")
    assert kept == {
        "redirect": TASKS,
        "issuer": ISSUER,
        "token": f"{ISSUER}/token",
        "names": names,
        "resource": f"{TASKS}mcp",
        "view": "#/inbox",
    }
    assert (len(state), len(verifier), state == verifier) == (43, 43, False)
    address = urlsplit(found["asked"])
    assert f"{address.scheme}://{address.netloc}{address.path}" == f"{ISSUER}/auth"
    assert dict(parse_qsl(address.query)) == {
        "ui": "1",
        "response_type": "code",
        "client_id": "console",
        "redirect_uri": TASKS,
        "state": state,
        "code_challenge": urlsafe_b64encode(sha256(verifier.encode()).digest()).decode().rstrip("="),
        "code_challenge_method": "S256",
        "resource": f"{TASKS}mcp",
        "scope": "read call",
    }
    assert (found["token"], found["fetched"]) == (None, [f"{TASKS}.well-known/oauth-protected-resource", PLACES[0]])


@pytest.mark.parametrize(
    ("scopes", "kept", "asked"),
    [
        ([], {}, None),
        (["read"], {"scope": "admin"}, "read"),
        (["read"], {"scope": "admin", "at": "inbox"}, "read"),
        (["read"], {"scope": "admin", "at": "tenants"}, "read admin"),
        ([], {"scope": "admin", "at": "inbox", "operates": "1"}, "admin"),
        (["read"], {"at": "tenants", "operates": "1"}, "read"),
    ],
)
def test_scope_of_operators_is_asked_for_at_their_view_or_where_the_tab_had_it(
    scopes: list[str], kept: Any, asked: str | None
) -> None:
    documents = {f"{TASKS}.well-known/oauth-protected-resource": {**RESOURCE, "scopes_supported": scopes}}
    found = run("signIn()", {**documents, PLACES[0]: METADATA}, kept)

    assert dict(parse_qsl(urlsplit(found["asked"]).query)).get("scope") == asked


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize(
    ("metadata", "says"),
    [
        ({**METADATA, "code_challenge_methods_supported": ["plain", "S256"]}, None),
        ({**METADATA, "issuer": OTHER}, f"The metadata of {ISSUER} names another issuer."),
        ({**METADATA, "issuer": f"{ISSUER}/"}, f"The metadata of {ISSUER} names another issuer."),
        ({**METADATA, "issuer": "https://id.example"}, f"The metadata of {ISSUER} names another issuer."),
        ({**METADATA, "code_challenge_methods_supported": ["plain"]}, f"{ISSUER} does not support PKCE."),
    ],
)
def test_metadata_of_another_issuer_or_without_pkce_begins_no_login(place: str, metadata: Any, says: str) -> None:
    found = signing_in(metadata, place)

    assert found.get("says") == says
    assert (found["kept"] == {}, "asked" in found) == ((True, False) if says else (False, True))


KEPT = {
    "login": {
        **{"state": "s", "verifier": "v", "redirect": TASKS, "issuer": ISSUER, "token": f"{ISSUER}/token"},
        **{"names": True, "resource": f"{TASKS}mcp", "view": "#/inbox"},
    }
}
TOKENS = {f"{ISSUER}/token": {"access_token": "a", "refresh_token": "r"}}
GOOD = f"?state=s&code=c&iss={ISSUER}"


def test_code_is_exchanged_with_the_issuer_that_was_asked_and_leaves_the_tab() -> None:
    found = run("signedIn()", TOKENS, KEPT, GOOD)

    fields = {"grant_type": "authorization_code", "code": "c", "redirect_uri": TASKS, "client_id": "console"}
    assert found["fetched"] == [
        [f"{ISSUER}/token", "POST", {**fields, "code_verifier": "v", "resource": f"{TASKS}mcp"}]
    ]
    token = {"access": "a", "refresh": "r", "endpoint": f"{ISSUER}/token", "resource": f"{TASKS}mcp"}
    assert (found["token"], found["address"], found["kept"]) == (token, "/#/inbox", {})


@pytest.mark.parametrize(
    ("kept", "search", "says"),
    [
        (KEPT, GOOD.replace("state=s", "state=t"), "This login was not begun here: sign in again."),
        (KEPT, GOOD.replace("state=s", "state="), "This login was not begun here: sign in again."),
        ({}, GOOD, "This login was not begun here: sign in again."),
        (KEPT, f"?state=s&error=access_denied&iss={ISSUER}", "The login failed: access_denied"),
        (KEPT, "?state=s&error=access_denied", "Another issuer answered than was asked."),
        (KEPT, f"?state=s&code=c&iss={OTHER}", "Another issuer answered than was asked."),
    ],
)
def test_response_that_is_refused_reaches_nobody_and_ends_the_login(kept: Any, search: str, says: str) -> None:
    found = run("signedIn()", TOKENS, kept, search)

    assert (found["says"], found["fetched"], found["token"], found["kept"]) == (says, [], None, {})
    assert "?" not in found["address"]


def test_page_without_a_response_ends_no_login_that_was_begun() -> None:
    found = run("signedIn()", TOKENS, KEPT, "?code=c")

    assert (found["fetched"], found["token"], found["kept"]) == ([], None, KEPT)


@pytest.mark.parametrize(
    ("answer", "refresh"), [({"access_token": "b", "refresh_token": "q"}, "q"), ({"access_token": "b"}, "r")]
)
def test_token_is_renewed_once_where_it_came_from(answer: Any, refresh: str) -> None:
    first = "token = {access: 'a', refresh: 'r', endpoint: 'https://id.example/t', resource: 'x'}"
    found = run(f"{first}; Promise.all([renewed(), renewed()])", {"https://id.example/t": answer})

    fields = {"grant_type": "refresh_token", "refresh_token": "r", "client_id": "console", "resource": "x"}
    assert found["fetched"] == [["https://id.example/t", "POST", fields]]
    assert found["token"] == {"access": "b", "refresh": refresh, "endpoint": "https://id.example/t", "resource": "x"}
