"""Refuses the requests that a browser sends to the ports of this machine for the web pages of other machines.

Such a page can send requests to any port here: without reading the responses, or, once its own name leads here (DNS
rebinding), by the page's own Host.  The emulator imports this module in an environment of its own, which has no other
module of the project.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final

_HOST: Final = r"(?:localhost\.?|127\.0\.0\.1|\[::1\])(?::[0-9]{0,5})?"
HERE: Final = re.compile(_HOST, re.ASCII | re.IGNORECASE)
PAGE_HERE: Final = re.compile(f"https?://{_HOST}", re.ASCII | re.IGNORECASE)

NO_ADDRESS: Final = "Send the path alone as the target of a request, and no address."
OTHER_HOST: Final = "Send one Host header, which names this machine: 127.0.0.1 or localhost, and the port."
OTHER_PAGE: Final = "A web page of another origin sent this request: a program of this machine has to send it."

Fields = Mapping[str, Sequence[str]]
"""The values of headers by lower-case name."""
Admits = Callable[[str, Fields], bool]
"""Returns whether a request is admitted, given its method and headers, whose Host names this machine."""


def refusal(method: str, target: str, headers: Iterable[tuple[str, str]], admits: Admits) -> str:
    """Return why a request is refused; empty for a request that is admitted."""
    fields: dict[str, list[str]] = {}
    for name, value in headers:
        fields.setdefault(name.lower(), []).append(value)
    # An address in the target takes the place of the Host header, RFC 9112, 3.2.2; clients send it to proxies only.
    if not target.startswith("/"):
        return NO_ADDRESS
    hosts = fields.get("host", ())
    if len(hosts) != 1 or not HERE.fullmatch(hosts[0]):
        return OTHER_HOST
    return "" if admits(method, fields) else OTHER_PAGE


def programs_alone(method: str, fields: Fields) -> bool:
    """Admit no web page at all: browsers add these headers, which a page cannot omit, and programs send neither."""
    return not (fields.get("origin") or fields.get("sec-fetch-site"))


def pages_here(method: str, fields: Fields) -> bool:
    """Admit web pages of this machine, and a visit that begins at another one, as after a login or by a link."""
    if origins := fields.get("origin"):
        return all(map(PAGE_HERE.fullmatch, origins))
    if not set(fields.get("sec-fetch-site", ())) - {"same-origin", "same-site", "none"}:
        return True
    visit = (fields.get("sec-fetch-mode"), fields.get("sec-fetch-dest"))
    return method == "GET" and visit == (["navigate"], ["document"])


def any_page(method: str, fields: Fields) -> bool:
    """Admit every web page, for a server that decides by rules of its own."""
    return True
