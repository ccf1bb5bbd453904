"""What can go wrong with a call of an endpoint, in one line that never holds the key."""

from __future__ import annotations

import time
from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from typing import Any

from ..errors import DxmatchError
from .endpoint import Endpoint

MAX_WAIT = 300.0
"""Seconds. An endpoint that asks for a longer wait is not asked again in this run."""

_MAX_CHARACTERS = 200
_MIN_SECRET = 4
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
_FINAL = ("refused key", "payment required", "forbidden", "not found", "redirect")
_PASSING = ("rate limited", "server error", "time-out", "connection", "malformed")


class EndpointError(DxmatchError):
    """A call that brought no answer.

    kind : "rate limited", "server error", "time-out", "connection", "malformed", "too long", "refused question",
        "refused key", "payment required", "forbidden", "not found" or "redirect".
    final : further calls of the same model would fail alike. passing : the same call may do better a little later.
    wait : seconds for which the endpoint asks to be left alone, or None.
    unreachable : no connection came about at all.
    billed : the endpoint may have computed, and charged for, an answer that did not come through.
    """

    def __init__(
        self,
        endpoint: Endpoint,
        kind: str,
        words: str,
        *,
        final: bool | None = None,
        wait: float | None = None,
        unreachable: bool = False,
    ) -> None:
        self.kind, self.wait, self.unreachable = kind, wait, unreachable
        self.final = kind in _FINAL if final is None else final
        self.passing = kind in _PASSING and not self.final
        self.billed = kind in ("time-out", "connection", "malformed", "too long") and not unreachable
        super().__init__(f"{endpoint.name} ({endpoint.url}): {kind}: {_in_one_line(without_key(words, endpoint))}.")

    def __repr__(self) -> str:
        """Without the server's words, which may hold what was asked: retries are logged with this."""
        return f"EndpointError({self.kind!r})"


def without_key(text: str, endpoint: Endpoint) -> str:
    """`text` with the endpoint's key blotted out. A key under four characters is a placeholder, and stays."""
    key = endpoint.key()
    return text.replace(key, "[key]") if len(key) >= _MIN_SECRET else text


def error_of_status(endpoint: Endpoint, status: int, headers: Mapping[str, str], body: Any) -> EndpointError:
    """The error for a reply with an HTTP status that is no success. body : its JSON, else its text."""
    error = body.get("error", body) if isinstance(body, Mapping) else body
    words = f"status {status}"
    said = error.get("message") if isinstance(error, Mapping) else error
    if isinstance(said, str) and said.strip():
        words += f", {said}"
    if 300 <= status < 400:
        return EndpointError(endpoint, "redirect", f"{words} to {headers.get('location', 'nowhere')}; none is followed")
    kind = _BY_STATUS.get(status, "server error" if status >= 500 else "refused question")
    if isinstance(error, Mapping) and error.get("code") == "insufficient_quota":
        return EndpointError(endpoint, kind, words, final=True)
    wait = _asked_wait(headers)
    if kind in ("rate limited", "server error") and wait is not None and wait > MAX_WAIT:
        words = f"it asks for a wait of {wait:,.0f} s, longer than {MAX_WAIT:,.0f} s; run this again later ({words})"
        return EndpointError(endpoint, kind, words, final=True)
    return EndpointError(endpoint, kind, words, wait=wait)


def _asked_wait(headers: Mapping[str, str]) -> float | None:
    """Retry-After in seconds: a number, or a date by the server's own clock where it tells the time."""
    asked = headers.get("retry-after", "").strip()
    try:
        return max(float(int(asked)), 0.0)
    except ValueError:
        pass
    try:
        now = parsedate_to_datetime(headers["date"]).timestamp() if "date" in headers else time.time()
        return max(parsedate_to_datetime(asked).timestamp() - now, 0.0)
    except (ValueError, OverflowError):
        return None


def _in_one_line(words: str) -> str:
    line = " ".join("".join(c if c.isprintable() else " " for c in words[: 10 * _MAX_CHARACTERS]).split())
    return (line if len(line) <= _MAX_CHARACTERS else line[: _MAX_CHARACTERS - 1] + "…").rstrip(".")
