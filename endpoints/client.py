"""Calls of an OpenAI-compatible server that survive what servers and networks do. Needs the extra `llm`."""

from __future__ import annotations

import asyncio
import json
import logging
import random
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Protocol, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError, MissingExtra
from .call_errors import EndpointError, error_of_connection, error_of_no_json, error_of_status, no_connection
from .endpoint import Endpoint
from .keys import without_key
from .replies import ChatReply, chat_reply, embedding_rows, model_names

__all__ = ["ChatReply", "EndpointClient", "EndpointError", "Meter"]

T = TypeVar("T")

FIRST_WAIT, MAX_BACK_OFF, JITTER = 0.5, 60.0, 1.0
"""Seconds between tries: 0.5, 1, 2, 4, … and up to 1 at random on top."""

TRIES_AT_FIRST = 2
"""Of a call; where none of them makes a connection, and no other call has made one, there is no server to wait for."""

TRIES_IF_MALFORMED = 2
"""Of a call whose replies are not of the protocol: a page of a proxy, or an API of another kind, does not mend itself."""

_SPREAD = 0.1

# Where a program sets up no logging, Python would print every retry that stamina logs, in the midst of a progress bar.
logging.getLogger("stamina").addHandler(logging.NullHandler())


class Meter(Protocol):
    """Counts every try of a call."""

    async def begin(self) -> None:
        """Before each; what it raises ends the call."""
        ...

    def failed(self, error: EndpointError) -> None:
        """After each that brought no answer."""
        ...


class _Pace:
    """Shared by all calls of an endpoint.

    per_minute : the most calls that begin in any minute, evenly spaced; None for no limit.
    """

    def __init__(self, per_minute: float | None) -> None:
        self._gap = 60.0 / per_minute if per_minute else 0.0
        self._next = self._paused_until = 0.0

    def pause(self, seconds: float) -> None:
        """No call begins for so long."""
        self._paused_until = max(self._paused_until, time.monotonic() + seconds)

    async def turn(self) -> None:
        """Returns when a call may begin. The calls that waited for the end of a pause begin spread over 0.1 s."""
        while True:
            now = time.monotonic()
            start = max(now, self._next, self._paused_until)
            self._next = start + self._gap
            if start == now:
                return
            late = random.uniform(0, _SPREAD) if start == self._paused_until else 0.0
            await asyncio.sleep(start - now + late)
            if time.monotonic() >= self._paused_until:
                return


class EndpointClient:
    """Asks one endpoint: no redirect is followed, and nothing is taken from the environment but the key.

    A failed try is repeated where that may help, after an exponential back-off with jitter. While a server asks to be left
    alone (Retry-After), no call of this client begins. The key is read at each call and kept nowhere.

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
            import stamina

            from .transport import Client
        except ImportError as error:
            raise MissingExtra("Asking a language model", "llm") from error
        self.endpoint = endpoint
        self._openai = Client(endpoint)
        self._retrying = stamina.retry_context
        self._pace = _Pace(endpoint.per_minute)
        self._slots = asyncio.Semaphore(endpoint.concurrency)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._openai.close()

    async def chat(
        self,
        model: str,
        messages: list[dict[str, str]],
        parameters: Mapping[str, Any],
        meter: Meter | None = None,
    ) -> ChatReply:
        """One completion. parameters : what else is sent, such as temperature or max_tokens."""

        def read(body: Any, seconds: float) -> ChatReply:
            reply = chat_reply(body, seconds)
            texts = {name: getattr(reply, name) for name in ("text", "refusal", "finish")}
            return replace(reply, **{name: text and without_key(text, self.endpoint) for name, text in texts.items()})

        return await self._ask("chat/completions", {**parameters, "model": model, "messages": messages}, read, meter)

    async def embed(self, model: str, texts: Sequence[str], dimensions: int | None = None) -> NDArray[np.float32]:
        """float32[len(texts), d], as they come, in the order of `texts`. dimensions : the width asked for, if any."""
        body = {"model": model, "input": list(texts), "encoding_format": "base64"}
        if dimensions is not None:
            body["dimensions"] = dimensions
        return await self._ask("embeddings", body, lambda reply, _: embedding_rows(reply, len(texts)), None)

    async def models(self) -> list[str]:
        """The names of the models that the server lists."""
        names = await self._ask("models", None, lambda reply, _: model_names(reply), None)
        return [without_key(name, self.endpoint) for name in names]

    async def _ask(
        self, path: str, body: dict[str, Any] | None, read: Callable[[Any, float], T], meter: Meter | None
    ) -> T:
        """body : what is posted; None for a GET."""
        content = None if body is None else json.dumps(body).encode()
        async for attempt in self._retrying(
            on=lambda error: isinstance(error, EndpointError) and error.passing and not error.final,
            attempts=self.endpoint.tries,
            timeout=None,
            wait_initial=FIRST_WAIT,
            wait_max=MAX_BACK_OFF,
            wait_jitter=JITTER,
        ):
            with attempt:
                await self._pace.turn()
                async with self._slots:
                    if meter is not None:
                        await meter.begin()
                    reply = await self._try(path, content, read)
                # Raised only here: the library's own error, which holds the request with its key, is forgotten by now.
                if isinstance(reply, EndpointError):
                    if not reply.reached and attempt.num >= TRIES_AT_FIRST and not self._openai.connected:
                        reply.final, reply.passing = True, False
                    if reply.kind == "malformed" and attempt.num >= TRIES_IF_MALFORMED:
                        reply.passing = False
                    if reply.wait is not None:
                        self._pace.pause(reply.wait)
                    if meter is not None:
                        meter.failed(reply)
                    raise reply
                return reply
        raise AssertionError("the last try returns or raises")

    async def _try(self, path: str, content: bytes | None, read: Callable[[Any, float], T]) -> T | EndpointError:
        import httpx2
        import openai

        from .transport import RefusedReply

        endpoint, start = self.endpoint, time.monotonic()
        try:
            async with asyncio.timeout(endpoint.timeout):
                options: Any = {"headers": self._headers()}
                if content is None:
                    reply = await self._openai.get(path, cast_to=httpx2.Response, options=options)
                else:
                    reply = await self._openai.post(path, cast_to=httpx2.Response, content=content, options=options)
        except TimeoutError:
            if not self._openai.connected:
                return no_connection(endpoint, f"no answer within {endpoint.timeout:g} s")
            return EndpointError(endpoint, "time-out", f"no whole answer within {endpoint.timeout:g} s")
        except RefusedReply as error:
            return EndpointError(endpoint, error.kind, str(error))
        except openai.APIStatusError as error:
            return error_of_status(endpoint, error.status_code, error.response.headers, error.body)
        except openai.APIConnectionError as error:
            connected = not isinstance(error.__cause__, httpx2.ConnectError | httpx2.ConnectTimeout)
            return error_of_connection(endpoint, error, connected=connected)
        try:
            body = json.loads(reply.content)
        except ValueError as error:
            return error_of_no_json(endpoint, reply.content, error)
        except RecursionError as error:
            return EndpointError(endpoint, "malformed", f"the reply is not of the protocol ({error})", said=reply.text)
        try:
            return read(body, time.monotonic() - start)
        except (ValueError, RecursionError) as error:
            # `error` says where the reply is wrong, and not what stands there.
            return EndpointError(endpoint, "malformed", f"the reply is not of the protocol ({error})", said=reply.text)

    def _headers(self) -> dict[str, Any]:
        from openai import omit

        key = self.endpoint.key()
        if not (key.isascii() and key.isprintable()):
            raise InputError(f"the key in {self.endpoint.key_env} cannot be sent", allowed="printable ASCII characters")
        return {"Authorization": f"Bearer {key}" if key else omit, "x-stainless-retry-count": omit}
