"""How a client without a token learns where to get one (RFC 9728), in plain values: `make serve` says the same."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

PAGES: Final = {"access-control-allow-origin": "*"}
"""Web pages of any origin may read it: it says the same to everybody, and to those who have no token yet."""

PREFLIGHT: Final = {
    **PAGES,
    "access-control-allow-methods": "GET",
    "access-control-allow-headers": "mcp-protocol-version",
    "access-control-max-age": "7200",
}
"""Clients say which version they speak, and so their browsers ask first."""

WELL_KNOWN: Final = "/.well-known/oauth-protected-resource"


@dataclass(frozen=True, slots=True, kw_only=True)
class ResourceMetadata:
    """The metadata of the server that clients find at `base_url`."""

    base_url: str
    issuer: str
    scopes: Sequence[str] = ()

    @property
    def url(self) -> str:
        """Return the address to name to clients: that of the two which belongs to the resource's path."""
        return f"{self.base_url}{WELL_KNOWN}/mcp"

    @property
    def document(self) -> Mapping[str, str | list[str]]:
        """Return what is at both addresses."""
        # "Parameters with zero values MUST be omitted from the response."  -- RFC 9728, 3.2
        scopes = {"scopes_supported": list(self.scopes)} if self.scopes else {}
        return {
            "resource": f"{self.base_url}/mcp",
            "authorization_servers": [self.issuer],
            "bearer_methods_supported": ["header"],
            **scopes,
        }

    @property
    def challenge(self) -> str:
        """Return the WWW-Authenticate header of a 401."""
        return f'Bearer resource_metadata="{self.url}"'
