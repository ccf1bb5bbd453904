"""How requests leave: straight to the endpoint, or through its proxy, with nothing of the environment in them."""

from __future__ import annotations

import contextlib
import logging
from contextvars import ContextVar
from typing import Any

import httpx2
import openai

from ..errors import DxmatchError
from .endpoint import Endpoint

CHAT_BYTES, EMBEDDING_BYTES = 4 << 20, 64 << 20
"""The largest body of a reply that is read."""

_HEADERS = {
    "Accept": "application/json",
    "Accept-Encoding": "identity",
    "Content-Type": "application/json",
    "User-Agent": "dxmatch",
}
_OTHER_FILES = 100

_calling: ContextVar[bool] = ContextVar("calling an endpoint", default=False)


class _WithoutReplyHeaders(logging.Filter):
    """Holds back the headers of our replies, which httpcore logs at DEBUG: a server may send the key back in them."""

    def filter(self, record: logging.LogRecord) -> bool:
        return not (_calling.get() and "receive_response_headers.complete" in record.getMessage())


logging.getLogger("httpcore2.http11").addFilter(_WithoutReplyHeaders())


class RefusedReply(Exception):
    """A reply whose body was not read to its end. kind : as of `EndpointError`."""

    def __init__(self, kind: str, words: str) -> None:
        super().__init__(words)
        self.kind = kind


def open_client(endpoint: Endpoint, concurrency: int) -> openai.AsyncOpenAI:
    """A client without retries, time-outs, redirects, organisation or key: each call brings its own.

    Errors: `DxmatchError` where the process may not hold so many connections open.
    """
    _check_open_files(concurrency)
    http = httpx2.AsyncClient(
        transport=OneConnectionEach(endpoint), trust_env=False, follow_redirects=False, timeout=None
    )
    # An empty text, unlike None, is not replaced by the environment's.
    return _Client(
        api_key="", admin_api_key="", webhook_secret="", base_url=endpoint.url, max_retries=0, timeout=None, http_client=http
    )  # fmt: skip


class _Client(openai.AsyncOpenAI):
    """Sends no header but these, whatever OPENAI_ORG_ID, OPENAI_PROJECT_ID and OPENAI_CUSTOM_HEADERS hold."""

    @property
    def default_headers(self) -> dict[str, Any]:
        return dict(_HEADERS)


class OneConnectionEach(httpx2.AsyncBaseTransport):
    """A pool of its own for each connection.

    One pool looks through all of its connections at every call: at 1,000 of them that takes longer than all else.
    There is no limit here; who calls limits the calls under way.
    """

    def __init__(self, endpoint: Endpoint) -> None:
        self._proxy = endpoint.proxy
        self._tls = httpx2.create_ssl_context()
        self._idle: list[httpx2.AsyncHTTPTransport] = []

    def _new(self) -> httpx2.AsyncHTTPTransport:
        return httpx2.AsyncHTTPTransport(verify=self._tls, proxy=self._proxy)

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        # The one that was used last is the least likely to have been closed by the server.
        connection = self._idle.pop() if self._idle else self._new()
        before = _calling.set(True)
        try:
            reply = await connection.handle_async_request(request)
            body = await _body(reply, EMBEDDING_BYTES if request.url.path.endswith("/embeddings") else CHAT_BYTES)
        except BaseException:
            await connection.aclose()
            raise
        finally:
            _calling.reset(before)
        self._idle.append(connection)
        return httpx2.Response(reply.status_code, headers=reply.headers, content=body, request=request)

    async def aclose(self) -> None:
        for connection in self._idle:
            await connection.aclose()


async def _body(reply: httpx2.Response, most: int) -> bytes:
    """Errors: `RefusedReply` for a compressed body, and as soon as more than `most` bytes have come."""
    parts, length = [], 0
    try:
        if (encoding := reply.headers.get("content-encoding", "identity")) != "identity":
            raise RefusedReply("malformed", f"a reply in {encoding}, which was not asked for")
        async for part in reply.stream:  # type: ignore[union-attr]
            parts.append(part)
            length += len(part)
            if length > most:
                raise RefusedReply("too long", f"a reply of more than {most:,} bytes")
    finally:
        await reply.aclose()
    return b"".join(parts)


def _check_open_files(connections: int) -> None:
    with contextlib.suppress(ImportError):  # Windows has no such limit
        import resource

        allowed, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
        if allowed != resource.RLIM_INFINITY and connections + _OTHER_FILES > allowed:
            raise DxmatchError(
                f"{connections:,} calls at once need about {connections + _OTHER_FILES:,} open files; this process may open "
                f"{allowed:,}. Lower the concurrency of the endpoint, or raise the limit: ulimit -n {connections + 2 * _OTHER_FILES}."
            )
