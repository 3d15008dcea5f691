"""How a client without a token learns where to get one (RFC 9728), in plain values: `make serve` says the same."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

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
        return {
            "resource": f"{self.base_url}/mcp",
            "authorization_servers": [self.issuer],
            "bearer_methods_supported": ["header"],
            "scopes_supported": list(self.scopes),
        }

    @property
    def challenge(self) -> str:
        """Return the WWW-Authenticate header of a 401."""
        return f'Bearer resource_metadata="{self.url}"'
