"""What can go wrong with a call of an endpoint, in one line that holds neither the key nor the server's own words.

A server's words may repeat what was asked, and so a diagnosis: they are logged at DEBUG alone.
"""

from __future__ import annotations

import logging
import os
import socket
import ssl
import time
from collections.abc import Iterator, Mapping
from email.utils import parsedate_to_datetime
from typing import Any
from urllib.parse import urlsplit

from ..errors import DxmatchError
from .endpoint import Endpoint
from .keys import without_key

MAX_WAIT = 300.0
"""Seconds. An endpoint that asks for a longer wait is not asked again in this run."""

_MOST_SAID = 2_000
_BY_STATUS = {
    401: "refused key",
    402: "payment required",
    403: "forbidden",
    404: "not found",
    405: "not found",
    408: "time-out",
    409: "server error",
    425: "server error",
    429: "rate limited",
}
REFUSED = "connection refused"
_UNREACHED = (REFUSED, "unknown host", "no connection", "TLS")
_FINAL = ("refused key", "payment required", "forbidden", "not found", "redirect")
_PASSING = ("rate limited", "server error", "time-out", "connection", "malformed", *_UNREACHED)
_TO_DO = {
    "payment required": "its account has no credit left",
    "forbidden": "the key may not ask this model, or not from here",
    "not found": "no such path or model: `url` must end where /chat/completions follows, and the model be served there",
    "server error": "the server failed; its own log says why",
    "rate limited": "lower `concurrency`, or set `per_minute`",
    "refused question": "it takes no such request: check the model's name and the parameters",
}
_CODES = {
    "authentication_error": "",
    "billing_not_active": "its account is not active",
    "content_filter": "what was asked is not let through",
    "context_length_exceeded": "what was asked is longer than the model reads",
    "insufficient_quota": "its account has no credit left",
    "invalid_api_key": "",
    "invalid_request_error": "",
    "model_not_found": "no such model there",
    "not_found_error": "",
    "overloaded_error": "",
    "permission_error": "",
    "rate_limit_error": "",
    "rate_limit_exceeded": "",
    "server_error": "",
    "unsupported_parameter": "one of the parameters is not known there",
    "unsupported_value": "the value of a parameter is not taken there",
}
"""The codes and types of errors that are shown, and what each means where it says more than the status."""
_STARTED_BY = {
    1234: "lms server start",
    8000: "vllm serve MODEL",
    8080: "llama-server -m MODEL.gguf",
    11434: "ollama serve",
    30000: "python -m sglang.launch_server --model MODEL",
}
"""The usual ports of servers."""
_LOST = {
    "Server disconnected": "the server closed the connection without an answer",
    "peer closed": "the server closed the connection in the midst of its answer",
}
_LOG = logging.getLogger(__name__)


class EndpointError(DxmatchError):
    """A call that brought no answer.

    kind : "rate limited", "server error", "time-out", "connection", "connection refused", "unknown host", "no connection",
        "TLS", "malformed", "too long", "refused question", "refused key", "payment required", "forbidden", "not found" or
        "redirect".
    final : further calls of the same model would fail alike. passing : the same call may do better a little later.
    wait : seconds for which the endpoint asks to be left alone, or None.
    reached : a connection was made. billed : the endpoint may have computed, and charged for, an answer that did not come through.
    address : the endpoint's name and URL.

    Parameters
    ----------
    words : what went wrong and what to do, in our own words. said : the server's; they are logged at DEBUG, and not kept.
    """

    def __init__(
        self, endpoint: Endpoint, kind: str, words: str, *, final: bool | None = None, wait: float | None = None, said: object = None
    ) -> None:  # fmt: skip
        self.kind, self.wait = kind, wait
        self.final = kind in _FINAL if final is None else final
        self.passing = kind in _PASSING and not self.final
        self.reached = kind not in _UNREACHED
        self.billed = kind in ("time-out", "connection", "malformed", "too long")
        self.address = f"{endpoint.name} ({endpoint.url})"
        super().__init__(f"{self.address}: {kind}: {words}.")
        if said and _LOG.isEnabledFor(logging.DEBUG):
            _LOG.debug(
                "%s: %s: the server said: %s", self.address, kind, _in_one_line(without_key(f"{said}", endpoint))
            )

    def __repr__(self) -> str:
        """Short: retries are logged with this."""
        return f"EndpointError({self.kind!r})"


def error_of_status(endpoint: Endpoint, status: int, headers: Mapping[str, str], body: Any) -> EndpointError:
    """The error for a reply with an HTTP status that is no success. body : its JSON, else its text."""
    if 300 <= status < 400:
        to = headers.get("location", "")
        words = f"status {status} to {_place(endpoint, to)}; none is followed: mend `url`"
        return EndpointError(endpoint, "redirect", words, said=to)
    error = body.get("error", body) if isinstance(body, Mapping) else body
    named = [error.get(key) for key in ("code", "type")] if isinstance(error, Mapping) else []
    code = next((each for each in named if isinstance(each, str) and each in _CODES), None)
    kind = _BY_STATUS.get(status, "server error" if status >= 500 else "refused question")
    answer = f"status {status}" + (f", {code}" if code else "")
    if kind == "refused key":
        key = endpoint.key_env
        to_do = f"it does not take the key in {key}" if key else "it wants a key: name its variable as `key_env`"
    else:
        to_do = (code and _CODES[code]) or _TO_DO.get(kind, "")
    words = f"{answer}: {to_do}" if to_do else answer
    if code in ("insufficient_quota", "billing_not_active"):
        return EndpointError(endpoint, kind, words, final=True, said=body)
    wait = _asked_wait(headers)
    if kind in ("rate limited", "server error") and wait is not None and wait > MAX_WAIT:
        asked = f"{wait:,.0f} s" if wait < 1e6 else "over 1,000,000 s"
        words = f"{answer}: it asks for a wait of {asked}, longer than {MAX_WAIT:,.0f} s; run this again later"
        return EndpointError(endpoint, kind, words, final=True, said=body)
    return EndpointError(endpoint, kind, words, wait=wait, said=body)


def error_of_connection(endpoint: Endpoint, error: BaseException, *, connected: bool) -> EndpointError:
    """The error for a connection that was lost, or was never made. error : what the library raised."""
    whose, field = (endpoint.proxy, "proxy") if endpoint.proxy else (endpoint.url, "url")
    at, port = _origin(whose)
    roots = list(_roots(error))
    if connected:
        said = f"{error.__cause__ or ''}"
        lost = (words for begin, words in _LOST.items() if said.startswith(begin))
        no_http = type(error.__cause__).__name__ == "RemoteProtocolError"
        words = next(lost, "what came is no HTTP" if no_http else f"the connection was lost ({_name(error.__cause__)})")
        return EndpointError(endpoint, "connection", words, said=said)
    if any(isinstance(root, socket.gaierror) for root in roots):
        return EndpointError(
            endpoint, "unknown host", f"no address is known for the host of {at}: check `{field}`, and the DNS"
        )
    if tls := next((root for root in roots if isinstance(root, ssl.SSLError)), None):
        why = getattr(tls, "verify_message", None) or (tls.reason or "no TLS").replace("_", " ").lower()
        hint = (
            "is it http:// there?" if tls.reason in _NO_TLS else "its certificate must be one that this machine trusts"
        )
        return EndpointError(endpoint, "TLS", f"{at}: {why}; {hint}")
    if roots and all(isinstance(root, ConnectionRefusedError) for root in roots):
        by = f", e.g. `{_STARTED_BY[port]}`," if field == "url" and port in _STARTED_BY else ""
        return EndpointError(endpoint, REFUSED, f"nothing listens at {at}: start the server{by} or mend `{field}`")
    numbers = sorted({root.errno for root in roots if isinstance(root, OSError) and root.errno})
    why = ", ".join(os.strerror(number) for number in numbers)
    return no_connection(endpoint, why or "no answer to the attempt to connect")


def error_of_no_json(endpoint: Endpoint, content: bytes, error: ValueError) -> EndpointError:
    """The error for a reply that is no JSON. error : says where, and not what stands there."""
    if content.lstrip()[:16].lower().startswith((b"<!doctype html", b"<html")):
        what = "a web page (HTML): `url` must lead to the server's API, mostly to …/v1, and no proxy or login stand before it"
    else:
        what = f"{error}"
    return EndpointError(
        endpoint, "malformed", f"the reply is not JSON: {what}", said=content[:_MOST_SAID].decode("utf-8", "replace")
    )


def no_connection(endpoint: Endpoint, why: str) -> EndpointError:
    """The error for a host that is known and does not answer at all."""
    whose, field = (endpoint.proxy, "proxy") if endpoint.proxy else (endpoint.url, "url")
    words = f"none to {_origin(whose)[0]} ({why}): check `{field}`, and what is between here and there"
    return EndpointError(endpoint, "no connection", words)


_NO_TLS = (
    "WRONG_VERSION_NUMBER",
    "RECORD_LAYER_FAILURE",
    "UNEXPECTED_EOF_WHILE_READING",
    "HTTP_REQUEST",
    "PACKET_LENGTH_TOO_LONG",
)


def _roots(error: BaseException | None) -> Iterator[BaseException]:
    """What an error came from: several for a host with several addresses."""
    if isinstance(error, BaseExceptionGroup):
        for each in error.exceptions:
            yield from _roots(each)
    elif error is not None:
        under = error.__cause__ or error.__context__
        # What the system says has a number; what came before it is no cause.
        if under is None or (isinstance(error, OSError) and error.errno):
            yield error
        else:
            yield from _roots(under)


def _name(error: BaseException | None) -> str:
    """An error without its words, which may be the server's."""
    if (root := next(_roots(error), None)) is None:
        return "without a reason"
    number = getattr(root, "errno", None)
    return os.strerror(number) if isinstance(number, int) and number > 0 else type(root).__name__


def _origin(url: str) -> tuple[str, int | None]:
    """("http://localhost:11434", 11434)"""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}", parts.port


def _place(endpoint: Endpoint, location: str) -> str:
    """Where a redirect leads, without the address itself, which is a server's word."""
    try:
        here, there = urlsplit(endpoint.url), urlsplit(location)
    except ValueError:
        return "what is no address"
    if not location:
        return "nowhere"
    if there.netloc not in ("", here.netloc):
        same = there.hostname == here.hostname
        return "another port of this host" if same else "another host"
    if there.scheme and there.scheme != here.scheme:
        return "the same host by https" if there.scheme == "https" else "the same host by another protocol"
    return "another path of this host"


def _asked_wait(headers: Mapping[str, str]) -> float | None:
    """Retry-After in seconds: a number, or a date by the server's own clock where it tells the time."""
    asked = headers.get("retry-after", "").strip()
    try:
        return max(float(int(asked)), 0.0)
    except (ValueError, OverflowError):
        pass
    try:
        now = parsedate_to_datetime(headers["date"]).timestamp() if "date" in headers else time.time()
        return max(parsedate_to_datetime(asked).timestamp() - now, 0.0)
    except (ValueError, OverflowError):
        return None


def _in_one_line(words: str) -> str:
    line = " ".join("".join(c if c.isprintable() else " " for c in words[: 10 * _MOST_SAID]).split())
    return line if len(line) <= _MOST_SAID else line[: _MOST_SAID - 1] + "…"
