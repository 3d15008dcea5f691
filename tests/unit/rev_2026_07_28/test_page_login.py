"""The console refuses a response to a login that names another issuer than the one that was asked, or none."""

import json
import re
import subprocess

import pytest

from mcp_tasks.page import FILE

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
        *((promises, f"&iss={ISSUER}{more}", REFUSED) for promises in (True, False) for more in ("/", "/b", ".evil")),
    ],
)
def test_response_without_the_name_that_its_issuer_promised_is_refused(
    promises: bool, response: str, says: str
) -> None:
    assert said(promises, response) == says
