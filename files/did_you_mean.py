"""The nearest right word, for errors about words that a user chose."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

from ..settings import cells_hidden


def nearest(word: str, known: Iterable[str]) -> str | None:
    """The known word that `word` is likely to stand for, whatever the case; None where none is near."""
    folded = {each.casefold(): each for each in reversed(list(known))}
    near = difflib.get_close_matches(word.casefold(), folded, n=1, cutoff=0.5)
    return folded[near[0]] if near else None


def hint(word: str, known: Iterable[str]) -> str:
    """`; did you mean 'stem'?` where a known word is near, else nothing; nothing where cells are hidden."""
    near = None if cells_hidden() else nearest(word, known)
    return f"; did you mean {near!r}?" if near else ""
