"""The nearest right word, for errors about words in a feature set."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from typing import Any

from ..errors import InputError


def hint(word: str, known: Iterable[str]) -> str:
    """`; did you mean 'stem'?` where a known word is near, else nothing."""
    near = difflib.get_close_matches(word, list(known), n=1, cutoff=0.5)
    return f"; did you mean {near[0]!r}?" if near else ""


def check_keys(given: Mapping[str, Any], allowed: Iterable[str], source: str, place: str) -> None:
    """Errors: `InputError` for a key that is not allowed, with the nearest that is."""
    allowed = tuple(allowed)
    for key in given:
        if key not in allowed:
            raise InputError(
                f"{place}: an unknown key{hint(key, allowed)}", source=source, allowed=", ".join(allowed), got=key
            )
