"""What is said, before a pair is scored, of texts that are none, are not understood, or mix scripts."""

from __future__ import annotations

from typing import Any

from ..errors import InputError, MixedScriptsWarning, NotUnderstood, NotUnderstoodWarning, quoted, warn
from ..files.wording import counted, is_file_name
from ..terms.text.understood import NOTHING
from .batch import Batch

_SHOWN = 3


def check_text(text: Any, side: str) -> None:
    """Errors: `InputError` for what is no text, and for the name of a file; of many texts it says which method takes them."""
    if not isinstance(text, str):
        single = isinstance(text, bytes) or not hasattr(text, "__len__")
        many = "" if single else "; `probabilities` takes lists and columns"
        raise InputError("not a text", column=side, allowed=f"a diagnosis in words{many}", got=text)
    if is_file_name(text):
        allowed = "a diagnosis in words; a table of pairs goes to `score`"
        raise InputError("the name of a file, not a diagnosis", column=side, allowed=allowed, got=text)


def refuse_unscored(batch: Batch) -> None:
    """Errors: `NotUnderstood` for the first row that is unscored."""
    for text, reason in batch.unknown(batch.unscored, 1).items():
        raise NotUnderstood(text, reason)


def warn_of_unscored(batch: Batch) -> None:
    """Warns, once for all rows that are unscored, with the first text and its reason."""
    unscored = batch.unscored
    for text, reason in batch.unknown(unscored, 1).items():
        of = f"{len(unscored):,} pairs are" if len(unscored) > 1 else "1 pair is"
        warn(
            f"{int(unscored.sum()):,} of {of} not scored, since a diagnosis is not understood; the first is {quoted(text)}"
            f" ({reason}). The option 'judge_all' scores all.",
            NotUnderstoodWarning,
        )


def warn_of_none_twice(batch: Batch) -> None:
    """Warns of rows that hold the same word for no diagnosis on both sides: equal texts are a match."""
    rows = batch.saying(NOTHING) & batch.equal[batch.pair_of_row]
    for text in batch.unknown(rows, 1):
        warn(
            f"{counted(int(rows.sum()), 'pair')} of {len(rows):,} {'names' if rows.sum() == 1 else 'name'} no diagnosis on either side ({quoted(text)}): "
            "equal texts count as a match. Leave such rows out before you count matches.",
            NotUnderstoodWarning,
        )


def warn_of_mixed_scripts(batch: Batch) -> None:
    """Warns of words that mix scripts."""
    if words := batch.names.mixed_scripts:
        shown = ", ".join(map(quoted, words[:_SHOWN])) + (", …" if len(words) > _SHOWN else "")
        warn(
            f"Words that mix Latin and Cyrillic letters, which look alike and are not the same: {shown}.",
            MixedScriptsWarning,
        )
