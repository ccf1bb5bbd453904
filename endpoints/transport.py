"""How requests leave: straight to the endpoint, or through its proxy; how much of a reply is read."""

from __future__ import annotations

import logging
from typing import Any

import httpx2
import openai

from .endpoint import Endpoint

MAX_CHAT_BYTES, MAX_EMBEDDING_BYTES = 4 << 20, 64 << 20
"""The largest body of a reply that is read."""

_HEADERS = {
    "Accept": "application/json",
    "Accept-Encoding": "identity",
    "Content-Type": "application/json",
    "User-Agent": "dxmatch",
}

# httpcore logs the headers of replies at DEBUG, and a server may send the key back in one.
logging.getLogger("httpcore2.http11").addFilter(lambda record: "receive_response_headers" not in record.getMessage())


class RefusedReply(Exception):
    """A reply whose body was not read to its end. kind : as of `EndpointError`."""

    def __init__(self, kind: str, description: str) -> None:
        super().__init__(description)
        self.kind = kind


class Client(openai.AsyncOpenAI):
    """Without retries, time-outs, redirects, organisation or key, whatever the environment says: each call brings its own."""

    def __init__(self, endpoint: Endpoint) -> None:
        limits = httpx2.Limits(max_connections=None, max_keepalive_connections=None)
        transport = _Transport(proxy=endpoint.proxy, limits=limits, trust_env=False)
        http = httpx2.AsyncClient(transport=transport, trust_env=False, follow_redirects=False, timeout=None)
        super().__init__(
            api_key="", admin_api_key="", base_url=endpoint.url, max_retries=0, timeout=None, http_client=http
        )

    @property
    def default_headers(self) -> dict[str, Any]:
        return dict(_HEADERS)


class _Transport(httpx2.AsyncHTTPTransport):
    """Reads bodies whole, up to a number of bytes."""

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        reply = await super().handle_async_request(request)
        max_bytes = MAX_EMBEDDING_BYTES if request.url.path.endswith("/embeddings") else MAX_CHAT_BYTES
        body = bytearray()
        try:
            if (encoding := reply.headers.get("content-encoding", "identity")) != "identity":
                raise RefusedReply("malformed", f"a reply in {encoding}, which was not asked for")
            async for part in reply.stream:  # type: ignore[union-attr]
                body += part
                if len(body) > max_bytes:
                    raise RefusedReply("too long", f"a reply of more than {max_bytes:,} bytes")
        finally:
            await reply.aclose()
        return httpx2.Response(reply.status_code, headers=reply.headers, content=bytes(body), request=request)
