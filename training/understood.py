"""Labelled pairs with a diagnosis that is not understood: they are neither learned from nor measured on."""

from __future__ import annotations

from ..errors import InputError, quoted
from ..files.pairs import Pairs
from ..matcher.batch import Batch

SHOWN = 3


def understood_pairs(pairs: Pairs, batch: Batch) -> tuple[Pairs, Batch, list[str]]:
    """The pairs whose two diagnoses are understood or equal, and a warning that counts and names the others.

    batch : the pairs as M's columns see them.

    Raises
    ------
    InputError
        Where none is left.
    """
    unscored = batch.not_understood
    if not (count := int(unscored.sum())):
        return pairs, batch, []
    if count == len(pairs):
        ((text, reason),) = batch.unknown(unscored, 1).items()
        problem = f"no pair is left: in each of {count:,} a diagnosis is not understood ({reason})"
        raise InputError(problem, source=pairs.source, allowed="diagnoses in words of the model's language", got=text)
    told = [f"{quoted(text)}: {reason}" for text, reason in batch.unknown(unscored, SHOWN + 1).items()]
    first = "; ".join(told[:SHOWN]) + ("; …" if len(told) > SHOWN else "")
    return (
        pairs.take(~unscored),
        batch.take(~unscored),
        [f"Pairs set aside, since a diagnosis is not understood: {count:,} of {len(pairs):,} ({first})."],
    )
