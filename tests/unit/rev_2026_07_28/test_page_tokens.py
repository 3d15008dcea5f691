"""The console's requests to the server: with the one token of the tab, which a 401 has renewed once, or ends."""

import json
import re
import subprocess
from typing import Any

import pytest

from mcp_tasks.page import FILE

PROGRAM = """(async () => {
  const VERSION = '2026-07-28', NS = 'io.modelcontextprotocol/', TASKS = NS + 'tasks', UI = {};
  const BASE = 'https://tasks.example/s/';
  const [held, renewals, statuses] = JSON.parse(process.argv[1]), sent_ = [], seen = {out: null};
  const fetch = async (address, {body, headers, ...options}) => {
    sent_.push([address, options, headers.authorization || null, JSON.parse(body).method]);
    const status = statuses.length > 1 ? statuses.shift() : statuses[0];
    const text = async () => JSON.stringify({id: JSON.parse(body).id, result: {fine: true}});
    return {status, ok: status === 200, headers: {get: () => 'application/json'}, text};
  };
  const renewed = async () => {
    const next = renewals.shift();
    if (next) token = {...token, access: next};
    return Boolean(next);
  };
  const signedOut = (why) => { token = null; seen.out = why; };
  CODE
  token = held;
  try { seen.found = await rpc('tools/call', {name: 'greet'}, {headers: {'mcp-param-a': 'b'}}); }
  catch (error) { seen.says = error.message; }
  console.log(JSON.stringify({...seen, token, sent: sent_}));
})();"""
OPTIONS = {"method": "POST", "credentials": "omit", "cache": "no-store", "redirect": "error"}
WAY = ["https://tasks.example/s/mcp", OPTIONS]
OVER, NOT_ACCEPTED = "This link is over: sign in to decide.", "This token is not accepted, or no longer: sign in again."


def requested(held: Any, renewals: list[str], statuses: list[int]) -> Any:
    """Return what became of a request of a tab that holds a token, which may be renewed by others."""
    (code,) = re.findall(r"^class Failure .*?(?=^const textOf)", FILE.read_text(), re.DOTALL | re.MULTILINE)
    given = json.dumps([held, renewals, statuses])
    program = PROGRAM.replace("CODE", code)
    done = subprocess.run(["node", "-e", program, given], capture_output=True, text=True, timeout=60, check=True)
    return json.loads(done.stdout)


@pytest.mark.parametrize(
    ("held", "renewals", "statuses", "tokens", "out"),
    [
        ({"access": "a"}, [], [200], ["Bearer a"], None),
        (None, [], [200], [None], None),
        ({"access": "a"}, ["b"], [401, 200], ["Bearer a", "Bearer b"], None),
        # An issuer that renews for ever a token which the server never accepts is not asked for ever.
        ({"access": "a"}, ["b"] * 50, [401], ["Bearer a", "Bearer b"], NOT_ACCEPTED),
        ({"access": "a"}, [], [401], ["Bearer a"], NOT_ACCEPTED),
        ({"access": "link~a", "linked": True}, [], [401], ["Bearer link~a"], OVER),
        (None, [], [401], [None], ""),
    ],
)
def test_token_goes_to_the_server_alone_and_is_renewed_once(
    held: Any, renewals: list[str], statuses: list[int], tokens: list[str | None], out: str | None
) -> None:
    found = requested(held, renewals, statuses)

    assert found["sent"] == [[*WAY, each, "tools/call"] for each in tokens]
    assert (found["out"], found.get("found"), found.get("says")) == (
        (None, {"fine": True}, None) if out is None else (out, None, "Sign in to go on.")
    )
    assert (found["token"] is None) is (out is not None or held is None)
