"""A user with a browser, and what a client keeps of it, for the official Python clients 1.x and 2.x."""

from typing import Any
from urllib.parse import parse_qs, urlsplit

REDIRECT = "http://127.0.0.1:9/callback"


class User:
    """Logs in with a browser, which follows redirects with its cookies until it is sent back to the client.

    `browser` is a class of HTTP clients; `asked` are the scopes that the user was asked for, each time.
    """

    def __init__(self, browser: Any) -> None:
        self.asked: list[str] = []
        self._browser = browser

    async def log_in(self, page: str) -> None:
        self.asked.append(parse_qs(urlsplit(page).query)["scope"][0])
        async with self._browser() as browser:
            while not page.startswith(REDIRECT):
                response = await browser.get(page)
                page = str(response.url.join(response.headers["location"]))
        self._back = {name: value for name, (value,) in parse_qs(urlsplit(page).query).items()}

    def came_back(self) -> dict[str, str]:
        """Return what the client's page is told; raises `RuntimeError` for an error."""
        if "error" in self._back:
            raise RuntimeError(self._back["error"])
        return self._back


class Storage:
    """Keeps tokens and a registration as long as the client runs."""

    def __init__(self) -> None:
        self._tokens: Any = None
        self._client: Any = None

    async def get_tokens(self) -> Any:
        return self._tokens

    async def set_tokens(self, tokens: Any) -> None:
        self._tokens = tokens

    async def get_client_info(self) -> Any:
        return self._client

    async def set_client_info(self, client_info: Any) -> None:
        self._client = client_info
