"""The console opens a link: its secret leaves the address, and stays in the tab."""

import json
import re
import subprocess
from typing import Any

import pytest

from mcp_tasks.page import FILE

LINK, OTHER = "link~WyIyMDI2.a_b-c=", "link~WyIyMDI3.a_b-c="
PROGRAM = """
  const [hash, search, stored] = JSON.parse(process.argv[1]);
  const kept = stored === null ? {} : {opened: JSON.stringify(stored)};
  const HASH = '\\x23', OPENED = 'opened', random = () => 'another nonce', seen = {address: null};
  const location = {pathname: '/', hash, search};
  const history = {replaceState: (state, title, address) => { seen.address = address; }};
  const sessionStorage = {getItem: (name) => kept[name] || null, setItem: (name, value) => { kept[name] = value; },
    removeItem: (name) => { delete kept[name]; }};
  let token = null;
  CODE
  const is = linked();
  console.log(JSON.stringify([is, kept.opened ? JSON.parse(kept.opened) : null, seen.address, token]));
"""


@pytest.mark.parametrize(
    ("hash_", "search", "stored", "found"),
    [
        ("", "", None, [False, None, None, None]),
        ("#/inbox", "", None, [False, None, None, None]),
        # A link is opened: nothing is asked with it yet.
        (f"#/link/{LINK}", "", None, [True, {"link": LINK, "nonce": "another nonce"}, "/#/inbox", None]),
        # The tab is reloaded before or after the click, or the link is opened in it again.
        ("#/inbox", "", {"link": LINK, "nonce": "n"}, [True, {"link": LINK, "nonce": "n"}, None, None]),
        (f"#/link/{LINK}", "", {"link": LINK, "nonce": "n"}, [True, {"link": LINK, "nonce": "n"}, "/#/inbox", None]),
        (
            "#/inbox",
            "",
            {"link": LINK, "access": "link~t"},
            [True, {"link": LINK, "access": "link~t"}, None, {"access": "link~t", "linked": True}],
        ),
        (
            f"#/link/{LINK}",
            "",
            {"link": LINK, "access": "link~t"},
            [True, {"link": LINK, "access": "link~t"}, "/#/inbox", {"access": "link~t", "linked": True}],
        ),
        # Another link takes the place of one that was opened, credential and all.
        (
            f"#/link/{OTHER}",
            "",
            {"link": LINK, "access": "link~t"},
            [True, {"link": OTHER, "nonce": "another nonce"}, "/#/inbox", None],
        ),
        # A login that comes back ends it, and whose page has a link in its address does not log in.
        ("", "?state=s&code=c", {"link": LINK, "access": "link~t"}, [False, None, None, None]),
        (
            f"#/link/{LINK}",
            "?state=s&code=c",
            None,
            [True, {"link": LINK, "nonce": "another nonce"}, "/#/inbox", None],
        ),
        # These addresses are no links, and stay as they are.
        ("#/link/", "", None, [False, None, None, None]),
        ("#/link/token", "", None, [False, None, None, None]),
        (f"#/tasks/link/{LINK}", "", None, [False, None, None, None]),
    ],
)
def test_link_is_taken_out_of_the_address_and_kept_in_the_tab(
    hash_: str, search: str, stored: Any, found: list[Any]
) -> None:
    (code,) = re.findall(r"^let opened = null;.*?(?=^/[*] Programs)", FILE.read_text(), re.DOTALL | re.MULTILINE)
    given = json.dumps([hash_, search, stored])
    program = PROGRAM.replace("CODE", code)
    done = subprocess.run(["node", "-e", program, given], capture_output=True, text=True, timeout=60, check=True)

    assert json.loads(done.stdout) == found


@pytest.mark.parametrize("token", [None, {"access": "a"}, {"access": "link~t", "linked": True}])
def test_link_that_is_put_into_the_address_of_a_tab_is_opened_as_in_a_new_one(token: Any) -> None:
    (code,) = re.findall(r"addEventListener\('hashchange', (.*)\);$", FILE.read_text(), re.MULTILINE)
    program = f"""
      const token = JSON.parse(process.argv[1]), HASH = '\\x23', did = [], route = () => did.push('route');
      const location = {{hash: '', reload: () => did.push('reload')}}, changed = {code};
      for (location.hash of ['\\x23/link/{LINK}', '\\x23/inbox']) changed();
      console.log(did.join(' '));
    """
    run = ["node", "-e", program, json.dumps(token)]
    assert subprocess.run(run, capture_output=True, text=True, timeout=60, check=True).stdout == "reload route\n"


CLICKED = """(async () => {
  const [answers, clicks] = JSON.parse(process.argv[1]), asked = [], kept = {opened: null};
  const seen = {started: 0, says: ''};
  const HASH = '\\x23', OPENED = 'opened', OPEN = 'approval_open', REMIND = 'approval_remind';
  const random = () => 'nonce';
  const location = {hash: '', search: ''}, put = (part, text) => { seen.says = text; }, heading = (text) => text;
  const sessionStorage = {getItem: (name) => kept[name], setItem: (name, value) => { kept[name] = JSON.parse(value); }};
  const h = (tag, given, ...children) => ({text: (given || {}).text, children, append: (each) => children.push(each),
    replaceChildren: (...others) => { children.splice(0, children.length, ...others); }});
  const button = (label, does) => ({label, does}), start = async () => { seen.started += 1; };
  let token = null;
  const builtIn = async (name, given) => {
    asked.push([name, given, token]);
    await null;
    const answer = answers.shift();
    if (answer.fails) throw new Error(answer.fails);
    return answer;
  };
  CODE
  keep({link: 'link~s', nonce: 'nonce'});
  const acts = linkView().children[3];
  for (const label of clicks) await Promise.all([1, 2].map(acts.children.find((each) => each.label === label).does));
  const offers = acts.children.map((each) => each.label || each.text);
  console.log(JSON.stringify({asked, kept: kept.opened, token, offers, ...seen}));
})();"""
LINKED = {"access": "link~s", "linked": True}
OPENING, REMINDING = ["approval_open", {"nonce": "nonce"}, LINKED], ["approval_remind", {}, LINKED]
UNUSED = {"link": "link~s", "nonce": "nonce"}


@pytest.mark.parametrize(
    ("answers", "clicks", "found"),
    [
        # Two clicks at once ask once.  The link's own secret is not kept as what the tab calls with.
        (
            [{"credential": "link~t"}],
            ["Open"],
            {
                **{"asked": [OPENING], "kept": {"link": "link~s", "access": "link~t"}, "started": 1, "says": ""},
                **{"token": {"access": "link~t", "linked": True}, "offers": ["Open"]},
            },
        ),
        # An answer that was lost is asked for by the same nonce.
        (
            [{"fails": "Lost."}, {"credential": "link~t"}],
            ["Open", "Open"],
            {
                **{"asked": [OPENING] * 2, "kept": {"link": "link~s", "access": "link~t"}, "started": 1, "says": ""},
                **{"token": {"access": "link~t", "linked": True}, "offers": ["Open"]},
            },
        ),
        (
            [{"fails": "Lost."}],
            ["Open"],
            {"asked": [OPENING], "kept": UNUSED, "started": 0, "says": "Lost.", "token": None, "offers": ["Open"]},
        ),
        # Where another tab has opened it, it shows nothing, and offers a notice to those who may decide.
        (
            [{"credential": None, "message": "Used."}],
            ["Open"],
            {
                **{"asked": [OPENING], "kept": UNUSED, "started": 0, "says": "Used.", "token": None},
                "offers": ["Send a new notice"],
            },
        ),
        (
            [{"credential": None, "message": "Used."}, {"message": "Told."}],
            ["Open", "Send a new notice"],
            {
                **{"asked": [OPENING, REMINDING], "kept": UNUSED, "started": 0, "says": "", "token": None},
                "offers": ["Told."],
            },
        ),
    ],
)
def test_click_exchanges_a_link_once_and_offers_a_notice_where_it_was_used(
    answers: Any, clicks: list[str], found: Any
) -> None:
    (code,) = re.findall(r"^let opened = null;.*?(?=^/[*] ---- what is repeated)", FILE.read_text(), re.DOTALL | re.M)
    program, given = CLICKED.replace("CODE", code), json.dumps([answers, clicks])
    done = subprocess.run(["node", "-e", program, given], capture_output=True, text=True, timeout=60, check=True)

    assert json.loads(done.stdout) == found
