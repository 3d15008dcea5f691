"""An address that looks like one of this machine is not taken for one, wherever that is decided."""

import json
import subprocess
from itertools import product

import pytest

from local.foreign import HERE, PAGE_HERE
from local.serve import ORIGINS
from mcp_tasks.adapters.jwt.settings import AuthSettings
from mcp_tasks.page import console
from mcp_tasks.wire.cors import is_allowed

NAMES = ("localhost", "127.0.0.1", "LOCALHOST")
ENDS = ("", ":80", ":4566")
HOSTS = [
    f"{host}{end}"
    for name, end in product(NAMES, ENDS)
    for host in (
        *(f"{name}.evil.example", f"{name}@evil.example", f"{name}:80@evil.example", f"x{name}", f"x.{name}.example"),
        *(f"{name}x", f"{name}-evil.example", f"{name}%2eevil.example", f"{name}%00.evil.example", f"{name}_.example"),
        *(f"evil.example#@{name}", f"evil.example?@{name}", f"evil.example/{name}", f"evil.example/@{name}"),
        *("127.0.0.1.nip.io", "localhost.localdomain.example", "10.0.0.1", "0.0.0.0.example", "[::2]"),
    )
]
LOCAL = [f"{name}{end}" for name, end in product(NAMES, ENDS)]


def links(addresses: list[str]) -> list[str]:
    """Return the addresses that the console would show as links, by its own code."""
    code = console()
    function = code[code.index("function link(") : code.index("const dates")]
    program = (
        f"const h = (tag) => tag; {function} console.log(JSON.stringify({json.dumps(addresses)}.map((a) => link(a))))"
    )
    done = subprocess.run(["node", "-e", program], capture_output=True, text=True, check=True)
    return [address for address, tag in zip(addresses, json.loads(done.stdout), strict=True) if tag == "a"]


def fetched(address: str) -> bool:
    """Return whether an issuer's keys may be fetched from an address."""
    try:
        AuthSettings(issuer="https://issuer.test", audiences=("https://mcp.test",), jwks_url=address)
    except ValueError:
        return False
    return True


def test_the_console_links_to_no_plain_address_elsewhere() -> None:
    assert links([f"http://{host}/path" for host in HOSTS]) == []
    assert len(links([f"http://{host}/path" for host in LOCAL])) == 9


def test_keys_are_fetched_from_no_plain_address_elsewhere() -> None:
    odd = [f"http://evil.example{sign}@{name}/keys" for sign, name in product(("", "\\", ":80", "%40"), NAMES)]

    assert [address for address in [*odd, *(f"http://{host}/keys" for host in HOSTS)] if fetched(address)] == []
    assert [host for host in LOCAL if not fetched(f"http://{host}/keys")] == []


@pytest.mark.parametrize("scheme", ["http", "https", "HTTP"])
def test_no_page_of_another_machine_is_a_page_of_this_one(scheme: str) -> None:
    assert [host for host in HOSTS if is_allowed(f"{scheme}://{host}", ORIGINS)] == []
    assert [host for host in HOSTS if PAGE_HERE.fullmatch(f"{scheme}://{host}")] == []


def test_no_host_of_another_machine_is_this_one() -> None:
    assert [host for host in HOSTS if HERE.fullmatch(host)] == []
    assert [host for host in LOCAL if not HERE.fullmatch(host)] == []
