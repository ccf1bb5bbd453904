"""What stands before every answer: who may ask, and what a browser may do with what it gets."""

from __future__ import annotations

import ipaddress
from collections.abc import Collection
from typing import Any
from urllib.parse import urlsplit

import msgspec
from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})
"""Names that always mean this machine to who asks."""
_HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cache-Control": "no-store",
}


def answered(answer: Any, status: int = 200) -> Response:
    """An answer as JSON."""
    return Response(msgspec.json.encode(answer), status, media_type="application/json")


def refused(status: int, line: str) -> Response:
    """An error as one line of JSON."""
    return answered({"error": " ".join(line.split())}, status)


async def let_end(receive: Receive) -> None:
    """Takes in, and forgets, what a client still sends: who sends all before it reads would see a reset in place of an answer."""
    while (await receive()).get("more_body"):
        pass


class Guard:
    """Refuses what does not come from a page of this server or from a program on purpose.

    A page of a stranger can send a browser here by a name of its own (DNS rebinding), so the `Host` must be a known one; and it can
    post to an address that it may not read, so what is posted must be JSON, and of the same origin where the browser tells.

    Parameters
    ----------
    hosts : names, without port, by which it may be called. None: any address in numbers, beside `names`.
    """

    def __init__(self, app: ASGIApp, hosts: Collection[str] | None, names: Collection[str] = ()) -> None:
        self.app = app
        self.known = {name.lower() for name in (*(hosts or ()), *names)}
        self.any_address = hosts is None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    headers[name] = value
            await send(message)

        problem = self.problem(scope["method"], Headers(scope=scope))
        if problem is not None:
            await let_end(receive)
        answer = self.app if problem is None else refused(*problem)
        await answer(scope, receive, guarded)

    def problem(self, method: str, headers: Headers) -> tuple[int, str] | None:
        """The status and the line that a request is refused with; None where it may go on."""
        address = headers.get("host", "")
        host = _host(address)
        if host is None or not (host in self.known or (self.any_address and _is_address(host))):
            return 421, f"this server is not known by the name in 'Host'. Allowed: {self._allowed()}."
        if method in ("GET", "HEAD"):
            return None
        origin = headers.get("origin")
        if headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none") or (
            origin is not None and urlsplit(origin).netloc.lower() != address.lower()
        ):
            return 403, "a page of another origin may not ask this server."
        if headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
            return 415, "what is posted must be JSON. Allowed: the header 'Content-Type: application/json'."
        return None

    def _allowed(self) -> str:
        return ", ".join(sorted(self.known) + (["an address in numbers"] if self.any_address else []))


def _host(address: str) -> str | None:
    """The host of a `Host` header, without its port; None for what is no address."""
    try:
        split = urlsplit(f"//{address}")
        _ = split.port
    except ValueError:
        return None
    return None if split.path or split.username is not None or split.query or split.fragment else split.hostname


def _is_address(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True
