"""Calls of an OpenAI-compatible server that survive what servers and networks do. Needs the extra `llm`."""

from __future__ import annotations

import asyncio
import json
import logging
import time
from collections.abc import Callable, Coroutine, Mapping, Sequence
from concurrent import futures
from contextlib import AbstractAsyncContextManager, nullcontext
from email.utils import parsedate_to_datetime
from typing import Any, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from ..errors import DxmatchError, InputError, MissingExtra
from .endpoint import Endpoint
from .replies import ChatReply, chat_reply, embedding_rows

T = TypeVar("T")
Read = Callable[[Any, float], T]
Meter = Callable[[], AbstractAsyncContextManager[object]]
FIRST_WAIT, MAX_BACK_OFF, JITTER = 0.5, 60.0, 1.0
"""Seconds between tries: 0.5, 1, 2, 4, … and up to 1 at random on top."""
MAX_WAIT = 300.0
"""Seconds. An endpoint that asks for a longer wait is not asked again in this run."""
_KINDS = {
    401: "refused key", 402: "no credit", 403: "forbidden", 404: "not found", 408: "server error", 409: "server error", 429: "rate limited",
}  # fmt: skip
_FINAL = ("refused key", "no credit", "forbidden", "not found", "redirect")
_TO_DO = {
    "refused key": "it does not take the key, or wants one: `key_env` names the variable that holds it",
    "no credit": "its account has no credit left",
    "forbidden": "the key may not ask this model, or not from here",
    "not found": "no such path or model: `url` must end where /chat/completions follows, and the model be served there",
    "server error": "the server failed, or is loading the model still; its own log says why",
    "rate limited": "lower `concurrency`, or set `per_minute`",
    "refused question": "it takes no such request: check the model's name, its parameters and the length of what is asked",
    "redirect": "none is followed: mend `url`",
}
_LOG = logging.getLogger(__name__)
# Where a program sets up no logging, Python would print every retry that stamina logs, in the midst of a progress bar.
logging.getLogger("stamina").addHandler(logging.NullHandler())


class EndpointError(DxmatchError):
    """A call that brought no answer, in our own words: the server's may repeat what was asked, and are logged at DEBUG alone.

    kind : "rate limited", "server error", "time-out", "connection" (lost), "no connection", "malformed", "refused question",
        "refused key", "no credit", "forbidden", "not found" or "redirect".
    final : further calls of the same model would fail alike. passing : the same call may do better a little later.
    wait : seconds for which the endpoint asks to be left alone. reached : a connection was made.
    billed : the endpoint may have computed, and charged for, an answer that did not come through.
    """

    def __init__(self, endpoint: Endpoint, kind: str, words: str = "", wait: float = 0.0) -> None:
        self.kind, self.wait = kind, wait if wait <= MAX_WAIT else 0.0
        self.final = kind in _FINAL or wait > MAX_WAIT
        self.passing = not self.final and kind != "refused question"
        self.reached, self.billed = kind != "no connection", kind in ("time-out", "connection", "malformed")
        super().__init__(f"{endpoint.name} ({endpoint.url}): {kind}: {words}.")


class EndpointClient:
    """Asks one endpoint: no redirect is followed, and nothing is taken from the environment but the key.

    A failed try is repeated where that may help, after an exponential back-off with jitter. While a server asks to be left
    alone (Retry-After), no call of this client begins; they are evenly spaced where the endpoint has a limit per minute.
    The key is read at each call and kept nowhere. Every call has a connection of its own: on one that is kept, a reply too many, as
    a faulty proxy sends it, would be taken for the answer to the next question, and every verdict after it would stand one too late.

    Parameters
    ----------
    endpoint : where; also time-out, tries, calls under way at once and calls per minute.

    Raises
    ------
    EndpointError
        Of every call, after its last try.
    InputError
        The key is not set, or no header can hold it.
    MissingExtra
        openai or stamina is not installed.
    """

    def __init__(self, endpoint: Endpoint) -> None:
        try:
            import httpx2
            import openai
            import stamina
        except ImportError as error:
            raise MissingExtra("Asking a language model", "llm") from error
        self.endpoint, self._retrying = endpoint, stamina.retry_context
        http = httpx2.AsyncClient(
            limits=httpx2.Limits(max_connections=None, max_keepalive_connections=0), proxy=endpoint.proxy, trust_env=False,
            headers={"Connection": "close"}, timeout=httpx2.Timeout(None, connect=min(10.0, 0.9 * endpoint.timeout)),
        )  # fmt: skip
        self._openai = openai.AsyncOpenAI(
            api_key="-", admin_api_key="", base_url=endpoint.url, max_retries=0, timeout=http.timeout, http_client=http
        )
        self._slots, self._turn = asyncio.Semaphore(endpoint.concurrency), asyncio.Lock()
        self._reached, self._next, self._paused_until = False, 0.0, 0.0

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._openai.close()

    async def chat(
        self, model: str, messages: list[dict[str, str]], parameters: Mapping[str, Any], meter: Meter = nullcontext
    ) -> ChatReply:
        """One completion.

        parameters : what else is sent, such as temperature or max_tokens. meter : makes what is entered before every try, and left with its
        `EndpointError` or without one; what it raises on entry ends the call.
        """
        body = {**parameters, "model": model, "messages": messages}
        return await self._ask("chat/completions", chat_reply, body, meter)

    async def embed(self, model: str, texts: Sequence[str], dimensions: int | None = None) -> NDArray[np.float32]:
        """float32[len(texts), d], as they come, in the order of `texts`. dimensions : the width asked for, if any."""
        body = {"model": model, "input": list(texts), "encoding_format": "base64"}
        body |= {} if dimensions is None else {"dimensions": dimensions}
        return await self._ask("embeddings", lambda reply, _: embedding_rows(reply, len(texts)), body)

    async def _ask(self, path: str, read: Read[T], body: dict[str, Any], meter: Meter = nullcontext) -> T:
        async for attempt in self._retrying(
            on=lambda error: isinstance(error, EndpointError) and error.passing, attempts=self.endpoint.tries, timeout=None,
            wait_initial=FIRST_WAIT, wait_max=MAX_BACK_OFF, wait_jitter=JITTER,
        ):  # fmt: skip
            with attempt:
                await self._begin()
                async with self._slots, meter():
                    reply = await self._try(path, body, read)
                    self._reached |= not isinstance(reply, EndpointError) or reply.reached
                    if isinstance(reply, EndpointError):
                        if attempt.num > 1 and (not self._reached or reply.kind == "malformed"):  # neither mends itself
                            reply.final, reply.passing = not self._reached, False
                        self._paused_until = max(self._paused_until, time.monotonic() + reply.wait)
                        raise reply
                return reply
        raise AssertionError("the last try returns or raises")

    async def _begin(self) -> None:
        """Returns when a call may begin: one after another, each a gap after the last, none while the server wants a pause."""
        async with self._turn:
            while (wait := max(self._next, self._paused_until) - time.monotonic()) > 0:
                await asyncio.sleep(wait)
            self._next = time.monotonic() + 60.0 / (self.endpoint.per_minute or float("inf"))

    async def _try(self, path: str, body: dict[str, Any], read: Read[T]) -> T | EndpointError:
        """Gives an error back, to be raised where the library's own, which holds the request with its key, is forgotten."""
        import httpx2
        import openai

        endpoint, start = self.endpoint, time.monotonic()
        content, options = json.dumps(body).encode(), {"headers": self._headers()}
        try:
            async with asyncio.timeout(endpoint.timeout):
                reply = await self._openai.post(path, cast_to=httpx2.Response, content=content, options=options)  # type: ignore
            return read(json.loads(self._without_key(reply.text)), time.monotonic() - start)
        except TimeoutError:
            return EndpointError(endpoint, "time-out", f"no whole answer within {endpoint.timeout:g} s, its `timeout`")
        except openai.APIStatusError as error:
            self._log(error.response.text)
            return _error_of_status(endpoint, error.status_code, error.response.headers, error.code)
        except openai.APIConnectionError as error:
            cause = error.__cause__
            if isinstance(cause, httpx2.ConnectError | httpx2.ConnectTimeout | httpx2.ProxyError):
                check = "check `url`, `proxy` and whether the server runs"
                return EndpointError(endpoint, "no connection", f"{cause}; {check}")
            # The words of another may be the server's.
            return EndpointError(endpoint, "connection", f"it was lost ({type(cause).__name__})")
        except (ValueError, RecursionError) as error:  # which says where the reply is wrong, and not what stands there
            self._log(reply.text)  # type: ignore
            words = f"the reply is not of the protocol ({error}): `url` must lead to the server's API, mostly to …/v1"
            return EndpointError(endpoint, "malformed", words)

    def _log(self, said: str) -> None:
        _LOG.debug("%s: the server said: %s", self.endpoint.name, " ".join(self._without_key(said)[:2_000].split()))

    def _without_key(self, said: str) -> str:
        """A shorter key is a placeholder ("none"), which an answer may hold by chance."""
        return said.replace(key, "[key]") if len(key := self.endpoint.key()) >= 8 else said

    def _headers(self) -> dict[str, Any]:
        """In place of openai's own, which say more than they must and are taken from the environment too."""
        from openai import omit

        key = self.endpoint.key()
        if not (key.isascii() and key.isprintable()):
            raise InputError(f"the key in {self.endpoint.key_env} cannot be sent", allowed="printable ASCII characters")
        own = {name: omit for name in self._openai.default_headers if name not in ("Accept", "Content-Type")}
        return {**own, "x-stainless-retry-count": omit, "Authorization": f"Bearer {key}" if key else omit}


def _error_of_status(endpoint: Endpoint, status: int, headers: Mapping[str, str], code: str | None) -> EndpointError:
    other = "redirect" if status < 400 else "refused question" if status < 500 else "server error"
    kind = "no credit" if code == "insufficient_quota" else _KINDS.get(status, other)
    wait = _asked_wait(headers.get("retry-after", "")) if kind in ("rate limited", "server error") else 0.0
    later = f"it asks for a wait of {wait:,.0f} s, longer than {MAX_WAIT:,.0f} s; run this again later"
    return EndpointError(endpoint, kind, f"status {status}: {later if wait > MAX_WAIT else _TO_DO[kind]}", wait)


def _asked_wait(asked: str) -> float:
    """Retry-After in seconds: a number, or a date; 0 for none."""
    try:
        return float(asked) if asked.isdecimal() else max(parsedate_to_datetime(asked).timestamp() - time.time(), 0.0)
    except (ValueError, OverflowError):
        return 0.0


def run(work: Coroutine[Any, Any, T], interrupted: Callable[[], object] = lambda: None) -> T:
    """Runs it to the end, in an event loop and thread of its own: also where one runs already (a notebook). Ctrl-C cancels it.

    interrupted : called before that; a task may miss the one cancellation that it gets, while a connection is made.
    """
    from anyio.from_thread import start_blocking_portal

    with start_blocking_portal() as portal:
        try:
            done = portal.start_task_soon(lambda: work)
            while not futures.wait([done], 0.2).done:  # polars makes a wait without an end deaf to Ctrl-C
                pass
            return done.result()
        except KeyboardInterrupt:
            interrupted()
            raise
