"""Pairs that were labelled twice and differently: what is learned of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..errors import InputError
from ..files.pairs import REFUSE, Pairs
from ..files.wording import counted
from ..matcher.batch import Batch


def decide_conflicts(read: Pairs, batch: Batch, rule: str) -> tuple[Pairs, Batch, dict[str, Any]]:
    """The rows to learn from, and what the card says of those left out.

    rule : "majority" keeps, of a pair with two labels, the rows that say what more than half of its rows do, and leaves out all rows of a
        tie; "drop" leaves out all rows of such a pair. A pair is the same in either order and after normalisation. "refuse" keeps
        all: as written they were refused when they were read, and a pair that only the normaliser makes one is warned of.

    Returns
    -------
    read, batch
    facts : dict
        rule; pairs, with two labels; decided, of these by a majority; rows, left out.
    """
    assert read.label is not None
    if rule == REFUSE:
        return read, batch, {}
    of = batch.pair_of_row
    rows, matches = np.bincount(of), np.bincount(of, read.label)
    divided = (matches > 0) & (matches < rows)
    decided = divided & (2 * matches != rows) & (rule == "majority")
    kept = ~divided[of] | (decided[of] & (read.label == (2 * matches > rows)[of]))
    if not kept.any():
        raise InputError(
            "every pair has two labels, and none a majority", source=read.source, allowed="labels that agree"
        )
    counts = {"pairs": int(divided.sum()), "decided": int(decided.sum()), "rows": int((~kept).sum())}
    return read.take(kept), batch.take(kept), {"rule": rule, **counts}


def conflict_words(facts: Mapping[str, Any]) -> str:
    """A line for card and terminal."""
    pairs, decided = facts["pairs"], facts["decided"]
    if not pairs:
        return "No pair has two labels."
    said = f"{counted(pairs, 'pair has', 'pairs have')} two labels: "
    if decided:
        said += f"{decided:,} decided by the majority of {'its' if decided == 1 else 'their'} rows, "
    return f"{said}{pairs - decided:,} left out; {counted(facts['rows'], 'row')} not learned from."
