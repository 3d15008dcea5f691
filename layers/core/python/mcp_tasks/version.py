"""The version of this template, which is also a server's own until its owner sets `server_version`."""

from typing import Final

VERSION: Final = "0.3.0"
