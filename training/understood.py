"""Labelled pairs with a diagnosis that is not understood: they are neither learned from nor measured on."""

from __future__ import annotations

from ..errors import InputError, quoted
from ..features.interning import intern_pairs
from ..files.pairs import Pairs
from ..terms.icd.naming import Naming

SHOWN = 3


def understood_pairs(pairs: Pairs, naming: Naming) -> tuple[Pairs, list[str]]:
    """The pairs whose two diagnoses are understood or equal, and a warning that counts and names the others.

    Raises
    ------
    InputError
        Where none is left.
    """
    if naming.vocabulary is None:
        return pairs, []
    unique = intern_pairs(pairs.a, pairs.b, naming)
    unscored, said = unique.not_understood, unique.said
    if said is None or not unscored.any():
        return pairs, []
    count = int(unscored.sum())
    if count == len(pairs):
        text, reason = said.first(unscored)
        problem = f"no pair is left: in each of {count:,} a diagnosis is not understood ({reason})"
        raise InputError(problem, source=pairs.source, allowed="diagnoses in words of the model's language", got=text)
    told = [f"{quoted(text)}: {reason}" for text, reason in said.unknown(unscored, SHOWN + 1).items()]
    first = "; ".join(told[:SHOWN]) + ("; …" if len(told) > SHOWN else "")
    return pairs.take(~unscored), [
        f"Pairs set aside, since a diagnosis is not understood: {count:,} of {len(pairs):,} ({first})."
    ]
