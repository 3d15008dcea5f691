"""The ports of this machine."""

import errno
import socket
from argparse import ArgumentTypeError
from typing import Final

HIGHEST: Final = 65_535


class PortInUse(Exception):
    """Another process listens on the port, or this user may not; the text says what to do."""

    def __init__(self, port: int, why: str = "is in use: end the process that listens there, or") -> None:
        super().__init__(f"Port {port} {why} choose another port.")


def port_number(text: str) -> int:
    """Return the port that a command was given; raises `ArgumentTypeError`."""
    if not (text.isascii() and text.isdigit() and len(text) <= len(str(HIGHEST)) and int(text) <= HIGHEST):
        raise ArgumentTypeError(f"a port is a number from 0, which is any free one, to {HIGHEST}, not {text!r}")
    return int(text)


def bound(port: int = 0) -> socket.socket:
    """Return a socket that is bound to loopback, to any free port unless one is named; raises `PortInUse`."""
    # asyncio sets TCP_NODELAY only on sockets whose protocol is IPPROTO_TCP; those of `create_server` have 0.
    opened = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    opened.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        opened.bind(("127.0.0.1", port))
    except OSError as error:
        opened.close()
        if error.errno == errno.EADDRINUSE:
            raise PortInUse(port) from error
        if error.errno == errno.EACCES:
            raise PortInUse(port, "is not for this user, as those below 1024:") from error
        raise
    return opened
