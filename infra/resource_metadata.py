"""OAuth protected resource metadata (RFC 9728), by which a client finds the issuers; shared with `make serve`."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

PUBLIC_CORS: Final = {"access-control-allow-origin": "*"}
"""CORS for web pages of any origin: the document is public, and the same for every caller."""

PREFLIGHT: Final = {
    **PUBLIC_CORS,
    "access-control-allow-methods": "GET",
    "access-control-allow-headers": "mcp-protocol-version",
    "access-control-max-age": "7200",
}
"""CORS preflight: browsers send one because clients set the header MCP-Protocol-Version."""

WELL_KNOWN: Final = "/.well-known/oauth-protected-resource"


@dataclass(frozen=True, slots=True, kw_only=True)
class ResourceMetadata:
    """The metadata of the server that clients find at `base_url`."""

    base_url: str
    issuers: Sequence[str]
    scopes: Sequence[str] = ()

    def __post_init__(self) -> None:
        """Raise `ValueError` for a scope that cannot stand in a header between quotes, nor in a gateway response."""
        if isinstance(self.scopes, str):
            raise ValueError(f"scopes is a list, such as [{self.scopes!r}], not {self.scopes!r}")
        for scope in self.scopes:
            if not re.fullmatch(r"[\x21\x23-\x26\x28-\x5b\x5d-\x7e]+", scope):
                raise ValueError(f"scopes has {scope!r}: write a scope without spaces, quotes and backslashes")

    @property
    def url(self) -> str:
        """Return the address that a 401 names: of the two, the one with the resource's path."""
        return f"{self.base_url}{WELL_KNOWN}/mcp"

    @property
    def document(self) -> Mapping[str, str | list[str]]:
        """Return the metadata document."""
        # "Parameters with zero values MUST be omitted from the response."  -- RFC 9728, 3.2
        scopes = {"scopes_supported": list(self.scopes)} if self.scopes else {}
        return {
            "resource": f"{self.base_url}/mcp",
            "authorization_servers": list(self.issuers),
            "bearer_methods_supported": ["header"],
            **scopes,
        }

    @property
    def challenge(self) -> str:
        """Return the WWW-Authenticate header where there was no token; some clients read no other scopes than these."""
        return f"Bearer {self._where}"

    @property
    def invalid_token(self) -> str:
        """Return the same header for a request whose token is not accepted (RFC 6750, 3.1)."""
        return f'Bearer error="invalid_token", {self._where}'

    @property
    def _where(self) -> str:
        scope = f', scope="{" ".join(self.scopes)}"' if self.scopes else ""
        return f'resource_metadata="{self.url}"{scope}'
