"""How requests leave: straight to the endpoint, or through its proxy; how much of a reply is read, and what of it is kept."""

from __future__ import annotations

import logging
from typing import Any

import httpx2
import openai

from .endpoint import Endpoint

MAX_CHAT_BYTES, MAX_EMBEDDING_BYTES = 4 << 20, 64 << 20
"""The largest body of a reply that is read."""
CONNECT_WAIT = 10.0
"""Seconds for a connection to be made."""

# Every call has a connection of its own. On one that is kept, a reply too many, as a faulty proxy sends it, would be taken
# for the answer to the next question, and every verdict after it would stand one question too late.
_HEADERS = {
    "Accept": "application/json",
    "Accept-Encoding": "identity",
    "Connection": "close",
    "Content-Type": "application/json",
    "User-Agent": "dxmatch",
}
_KEPT = ("content-type", "date", "location", "retry-after")
"""Of the headers of a reply. No cookie is kept, so none comes back."""
_ENCODINGS = ("gzip", "x-gzip", "deflate", "br", "zstd", "compress")

# httpcore logs the headers of replies at DEBUG, and a server may send the key back in one.
logging.getLogger("httpcore2.http11").addFilter(lambda record: "receive_response_headers" not in record.getMessage())


class RefusedReply(Exception):
    """A reply whose body was not read to its end. kind : as of `EndpointError`."""

    def __init__(self, kind: str, description: str) -> None:
        super().__init__(description)
        self.kind = kind


class Client(openai.AsyncOpenAI):
    """Without retries, redirects, organisation or key, whatever the environment says: each call brings its own time-out."""

    def __init__(self, endpoint: Endpoint) -> None:
        limits = httpx2.Limits(max_connections=None, max_keepalive_connections=0)
        self._transport = _Transport(proxy=endpoint.proxy, limits=limits, trust_env=False)
        waits = httpx2.Timeout(None, connect=CONNECT_WAIT)
        http = httpx2.AsyncClient(transport=self._transport, trust_env=False, follow_redirects=False, timeout=waits)
        super().__init__(
            api_key="", admin_api_key="", base_url=endpoint.url, max_retries=0, timeout=waits, http_client=http
        )

    @property
    def default_headers(self) -> dict[str, Any]:
        return dict(_HEADERS)

    @property
    def connected(self) -> bool:
        """Whether a connection was ever made, to the endpoint or to its proxy."""
        return self._transport.connected


class _Transport(httpx2.AsyncHTTPTransport):
    """Reads bodies whole, up to a number of bytes, and never unpacks one: a few packed megabytes can hold gigabytes."""

    connected = False
    """Whether a connection was ever made, its TLS included."""

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        if not self.connected:
            self._last_step = "start_tls.complete" if request.url.scheme == "https" else "connect_tcp.complete"
            request.extensions = {**request.extensions, "trace": self._note}
        reply = await super().handle_async_request(request)
        max_bytes = MAX_EMBEDDING_BYTES if request.url.path.endswith("/embeddings") else MAX_CHAT_BYTES
        body = bytearray()
        try:
            if (encoding := reply.headers.get("content-encoding", "").strip().lower()) not in ("", "identity"):
                named = (
                    encoding if encoding in _ENCODINGS else "several encodings" if "," in encoding else "an encoding"
                )
                raise RefusedReply("malformed", f"a reply in {named}, which was not asked for, and is not unpacked")
            async for part in reply.stream:  # type: ignore[union-attr]
                body += part
                if len(body) > max_bytes:
                    raise RefusedReply("too long", f"a reply of more than {max_bytes:,} bytes")
        finally:
            await reply.aclose()
        headers = {name: reply.headers[name] for name in _KEPT if name in reply.headers}
        return httpx2.Response(reply.status_code, headers=headers, content=bytes(body), request=request)

    async def _note(self, event: str, _: Any) -> None:
        self.connected |= event.endswith(self._last_step)
