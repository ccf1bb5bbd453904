"""The page served on this machine, until Ctrl-C."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import ipaddress
import os
import socket
import warnings
from collections.abc import Callable, Sequence
from typing import Any

from ..errors import DxmatchError, MissingExtra, OptionError, warn
from ..matcher.match_function import MatchFunction

try:
    import h11
    import uvicorn
    from uvicorn.protocols.http.h11_impl import H11Protocol
except ImportError:
    raise MissingExtra("A server", "serve") from None

from .application import app
from .guard import LOOPBACK

HOST, PORT = "127.0.0.1", 8765
_OPEN_CONNECTIONS = 64
_LAST_ANSWERS_S = 3
REQUEST_S = 20.0
"""For a request to be there, headers and body: else those that never end take all connections."""


def serve(
    matcher: MatchFunction | None = None,
    *,
    host: str = HOST,
    port: int = PORT,
    labels: str | os.PathLike[str] | None = None,
    expert: str | None = None,
    names: Sequence[str] = (),
    ready: Callable[[str], None] = lambda address: print(f"{address} (Ctrl-C ends it)", flush=True),
) -> None:
    """Serves the page and the API until Ctrl-C: to this machine alone, unless `host` says otherwise. Nothing that is typed is logged.

    Parameters
    ----------
    matcher, labels
        As of `app`.
    host
        Where it listens. All but 127.0.0.1, ::1 and localhost let others in, who can read and write all: a warning says so.
    port
        Where browsers find it; 0 takes any that is free.
    expert
        Your name, for the column of your labels; the one you are logged in by if not given.
    names
        Names by which browsers may call this server, beside its address.
    ready
        Called with the address once it answers.

    Raises
    ------
    MissingExtra
        Without the extra `serve`.
    OptionError
        For a port that another program has, or a host that is not this machine's.
    """
    alone = is_loopback(host)
    if not alone:
        warn(f"the host {host} is open to the network: {OPEN}")
    listening = _listening(host, port)
    with contextlib.closing(listening), warnings.catch_warnings():
        # they quote what was typed, and each answer says the same to who asked
        warnings.simplefilter("ignore", UserWarning)
        known = (*names, *(() if alone else (socket.gethostname(), *LOOPBACK)))
        made = app(matcher, labels=labels, expert=expert, hosts=LOOPBACK if alone else None, names=known)
        ready(_address(host, listening.getsockname()[1]))
        # uvicorn ends its work and then raises the signal again
        with contextlib.suppress(KeyboardInterrupt):
            server_of(made).run(sockets=[listening])


class _Timely(H11Protocol):
    """Closes a connection whose request is not whole in time, which uvicorn has no limit for."""

    _due: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self._due = self.loop.call_later(REQUEST_S, transport.close)

    def data_received(self, data: bytes) -> None:
        self._due = self._due or self.loop.call_later(REQUEST_S, self.transport.close)
        super().data_received(data)
        if self.conn.their_state not in (h11.IDLE, h11.SEND_BODY):
            self._due.cancel()
            self._due = None


def server_of(application: Any) -> uvicorn.Server:
    """uvicorn around an ASGI application, as `serve` runs it."""
    config = uvicorn.Config(
        application, http=_Timely, log_level="error", access_log=False, server_header=False, proxy_headers=False, lifespan="off", ws="none",
        limit_concurrency=_OPEN_CONNECTIONS, timeout_graceful_shutdown=_LAST_ANSWERS_S,
    )  # fmt: skip
    return uvicorn.Server(config)


OPEN = "everybody who can reach this machine can read what the page shows and write labels, without a password"
"""What a host other than this machine's own loopback means."""


def is_loopback(host: str) -> bool:
    """Whether an address lets in this machine alone."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _listening(host: str, port: int) -> socket.socket:
    """A socket that takes connections from now on; they are answered once the server runs."""
    if not 0 <= port <= 65_535:
        raise OptionError("port", "0 to 65535", port)
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        made = socket.socket(family, kind, protocol)
    except OSError:
        raise OptionError("host", "an address of this machine, as 127.0.0.1", host) from None
    try:
        if os.name != "nt":  # there it would let two programs have one port
            made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind(address)
        made.listen()
    except OSError as error:
        made.close()
        if error.errno == errno.EADDRINUSE:
            raise OptionError("port", "one that no other program has; 0 takes any that is free", port) from None
        if error.errno == errno.EADDRNOTAVAIL:
            raise OptionError("host", "an address of this machine, as 127.0.0.1", host) from None
        raise DxmatchError(f"Port {port} of {host} cannot be had: {error.strerror}.") from None
    return made


def _address(host: str, port: int) -> str:
    shown = "127.0.0.1" if host in ("0.0.0.0", "::") else host
    return f"http://{f'[{shown}]' if ':' in shown else shown}:{port}/"
