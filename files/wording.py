"""Words of messages: 1 pair, 2 pairs; thresholds; the nearest right word; whether a text is the name of a file."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable

from ..settings import cells_hidden

_FILE = re.compile(
    r"(~|\.{1,2})?[/\\]\S.*|[A-Za-z]:\\.*|.*\S\.(csv|tsv|txt|jsonl?|ndjson|xlsx?|ods|parquet|feather|arrow|docx?|rtf|pdf|html?|xml|ya?ml|toml|rds|npy|pkl|sqlite3?|db|gz|zip|tar|tgz)(#.*)?",
    re.IGNORECASE | re.DOTALL,
)
"""A path, or a name with the suffix of a file that holds data or text. None of these is a word that ends a diagnosis: "E. coli", "M.I.", "w/ CKD"."""


def counted(number: int, one: str, more: str | None = None) -> str:
    """`1,000 pairs`. more : the word for other numbers than one, where it is not `one` with an s."""
    return f"{number:,} {one if number == 1 else more or f'{one}s'}"


def shown_threshold(value: float) -> str:
    """`0.251`; more digits where three would say 0 or 1 of what is neither."""
    short = f"{value:.3f}"
    return short if float(short) == value or 0 < float(short) < 1 else f"{value:.10g}"


def nearest(word: str, known: Iterable[str]) -> str | None:
    """The known word that `word` is likely to stand for, whatever the case; None where none is near, or cells are hidden."""
    if cells_hidden():
        return None
    folded = {each.casefold(): each for each in reversed(list(known))}
    near = difflib.get_close_matches(word.casefold(), folded, n=1, cutoff=0.5)
    return folded[near[0]] if near else None


def hint(word: str, known: Iterable[str]) -> str:
    """`; did you mean 'stem'?` where `nearest` finds a word, else nothing."""
    near = nearest(word, known)
    return f"; did you mean {near!r}?" if near else ""


def is_file_name(text: str) -> bool:
    """Whether a text looks like a file's name rather than a diagnosis, be it there or not."""
    return _FILE.fullmatch(text.strip()) is not None
