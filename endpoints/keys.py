"""An endpoint's key blotted out of what its server said: as it is, and in the codings that a server may give it back in."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator
from urllib.parse import quote

from .endpoint import Endpoint

_MIN_SECRET = 4
_MIN_CODED = 8
"""Characters. Shorter ones are placeholders ("none"), or so short that a text may hold them by chance."""


def without_key(text: str, endpoint: Endpoint) -> str:
    """`text` with the endpoint's key blotted out: plain, URL-encoded, in hexadecimal or base64, alone or within more.

    A key under four characters is a placeholder, and stays; one under eight is looked for plain alone.
    """
    key = endpoint.key()
    if len(key) < _MIN_SECRET:
        return text
    text = text.replace(key, "[key]")
    if len(key) < _MIN_CODED:
        return text
    return re.sub("|".join(_coded(key)), "[key]", text)


def _coded(key: str) -> Iterator[str]:
    """Patterns. Made at each call, since a key is kept nowhere."""
    raw = key.encode()
    url = quote(key, safe="")
    if url != key:
        yield f"(?i:{re.escape(url)})"
    yield f"(?i:{raw.hex()})"
    for before in range(3):
        # Of the characters that hold the key where `before` bytes stand before it, those that hold nothing else.
        first, last = -(-8 * before // 6), 8 * (before + len(raw)) // 6
        coded = base64.b64encode(bytes(before) + raw).decode()[first:last]
        yield re.escape(coded).replace(r"\+", r"[+\-]").replace("/", r"[/_]") + "={0,2}"
