"""Labels that would measure and not teach: references that an earlier training held out are held out again."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError, Remedy
from ..files.wording import counted
from .data_checks import FEW_OF_A_LABEL
from .examples import Examples
from .options import Split
from .statistics.split import beyond_chance

WHY = "which ones depends on their names and the seed alone, so those that an earlier training with this seed held out are held out again"


def check_left(examples: Examples, test: NDArray[np.bool_], split: Split) -> None:
    """Raises `InputError` where what is left to train on is too little because of what is held out, bool[n]."""
    needed = 2 * split.folds
    all_of, left = (_references(part) for part in (examples, examples.take(~test)))
    if min(all_of) >= needed > left[0] or min(all_of) >= split.folds > min(left[1:]):
        held = len(set(examples.groups.code[test].tolist()))
        raise InputError(
            f"{held:,} of {len(examples.groups.names):,} reference diagnoses are held out to measure on, which leaves too few to train on: {WHY}",
            allowed=f"at least {needed} to train on, {split.folds} of them with a match and {split.folds} with a pair that does not match; or another seed",
            got=f"{left[0]:,}, {left[1]:,} and {left[2]:,}",
            remedy=Remedy("holds none out and measures out of fold", test_share=0),
        )  # fmt: skip


def _references(part: Examples) -> tuple[int, int, int]:
    """How many references there are among the pairs that the trees decide; with a match; with a pair that does not match."""
    code, label = part.groups.code[part.open], part.label[part.open]
    return len(set(code.tolist())), len(set(code[label == 1].tolist())), len(set(code[label == 0].tolist()))


def _too_few(held: Examples) -> list[str]:
    matches = int(held.label.sum())
    if min(matches, len(held) - matches) >= FEW_OF_A_LABEL:
        return []
    return [
        f"Held out to measure on are only {counted(len(held), 'pair')} that differ, {matches:,} of them matches, of "
        f"{counted(len(set(held.groups.code.tolist())), 'reference')}: look at what is cross-validated. {FEW_OF_A_LABEL} of each label are the least to rely on."
    ]


def held_out_warnings(source: str, examples: Examples, test: NDArray[np.bool_], split: Split) -> list[str]:
    """Where too little is held out, bool[n], to measure on; or far more than the share that was asked for."""
    told = _too_few(examples.take(test & ~examples.identical)) if test.any() else []
    every, held = (len(set(code.tolist())) for code in (examples.groups.code, examples.groups.code[test]))
    if beyond_chance(held, every, split.test_share):
        told.append(
            f"{source}: {held:,} of {every:,} reference diagnoses are held out, so their labels measure and do not teach: {WHY}."
            " Another seed, or a smaller test share, would learn from them."
        )
    return told
