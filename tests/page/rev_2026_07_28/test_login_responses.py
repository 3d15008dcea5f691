"""Authorization responses of the wrong issuer are refused, and of none anything stays in the tab."""

import json
import re
import subprocess

import pytest

from mcp_tasks.page import FILE
from tests.page.conftest import Driven
from tests.page.rev_2026_07_28.authorization_responses import authorization_responses
from tests.page.rev_2026_07_28.test_login import guarded

IN, REFUSED = "signed in", "Another issuer answered than was asked."
ISSUER, OTHER = "https://id.example.com/realms/a", "https://login.example.com"
# Another issuer of the same host.
REALM = "https://id.example.com/realms/b"


PROGRAM = """(async () => {
  class Failure extends Error {}
  const linked = () => false, LOGIN = 'login', CLIENT_ID = 'console', [kept, search] = JSON.parse(process.argv[1]);
  const location = {pathname: '/', search}, history = {replaceState: () => undefined};
  const sessionStorage = {getItem: () => JSON.stringify(kept), removeItem: () => undefined};
  const fetch = async () => ({ok: true, json: async () => ({access_token: 'signed in'})});
  let token = null;
  CODE
  await signedIn().catch((error) => { token = {access: error.message}; });
  console.log(token.access);
})();"""


def said(promises: bool, response: str) -> str:
    """Return what the console makes of a response to a login that it began at `ISSUER`, in a stand-in for a tab."""
    (code,) = re.findall(r"^async function tokenFrom.*?(?=^let renewing)", FILE.read_text(), re.DOTALL | re.MULTILINE)
    kept = {"state": "s", "issuer": ISSUER, "names": promises, "token": f"{ISSUER}/token"}
    program, given = PROGRAM.replace("CODE", code), json.dumps([kept, f"?state=s&code=c{response}"])
    done = subprocess.run(["node", "-e", program, given], capture_output=True, text=True, timeout=60, check=True)
    return done.stdout.strip()


@pytest.mark.parametrize(
    ("promises", "response", "says"),
    [
        (True, f"&iss={ISSUER}", IN),
        (True, f"&iss={REALM}", REFUSED),
        (True, "", REFUSED),
        (False, "", IN),
        (False, f"&iss={OTHER}", REFUSED),
        (False, f"&iss={REALM}", REFUSED),
        (False, "&iss=", REFUSED),
    ],
)
def test_response_without_the_name_that_its_issuer_promised_is_refused(
    promises: bool, response: str, says: str
) -> None:
    assert said(promises, response) == says


@pytest.mark.slow
@pytest.mark.parametrize(
    ("promises", "names", "says"),
    [
        (True, ["self"], [IN]),
        # It sent its name before, and its metadata says that it does: one response without is another issuer's.
        (True, ["self", None], [IN, REFUSED]),
        (True, [OTHER], [REFUSED]),
        (False, [None], [IN]),
        (False, ["self"], [IN]),
        (False, [OTHER], [REFUSED]),
        (False, [""], [REFUSED]),
    ],
)
def test_login_is_refused_unless_the_issuer_that_was_asked_answers(
    driven: Driven, promises: bool, names: list[str | None], says: list[str]
) -> None:
    with (
        authorization_responses(promises, *names) as issuer,
        guarded(issuer.url, client=True, admit=issuer.admit) as address,
    ):
        found = driven("signs_in", address, given={"origins": [issuer.url], "times": len(names)})

    assert found["says"] == says
    # A refused code reaches no token endpoint, and a response that comes again reaches none either.
    assert (issuer.exchanged, found["responses"]) == (says.count(IN), len(names) + 1)
    assert (found["address"], found["again"]) == (f"{address}#/tasks", address)
    assert [each for each in found["history"] if "code=" in each or "state=" in each] == []
    assert found["kept"] == {}
    assert found["referrers"] == []
