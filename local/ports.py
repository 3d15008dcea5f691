"""The ports of this machine."""

import errno
import socket


class PortInUse(Exception):
    """Another process listens on the port; the text says what to do."""

    def __init__(self, port: int) -> None:
        super().__init__(f"Port {port} is in use: end the process that listens there, or choose another port.")


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
        raise
    return opened
