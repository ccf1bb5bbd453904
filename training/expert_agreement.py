"""How far the experts who labelled the pairs agree."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..files.pair_labels import BLANK
from ..files.pairs import Pairs
from ..files.wording import counted
from ..matcher.batch import Batch
from ..stats.agreement import GroupAgreement


def agreement_of(read: Pairs, batch: Batch) -> dict[str, Any] | None:
    """`expert_agreement` of all rows, pair by pair: experts of several files vote on one pair. None without experts' columns.

    A pair is the same in either order and after normalisation. Who says both of one pair says nothing of it.
    """
    if read.ballots is None:
        return None
    of = batch.pair_of_row
    said = np.zeros((2, int(of.max()) + 1, read.ballots.shape[1]), bool)
    for verdict in (0, 1):
        rows, experts = np.nonzero(read.ballots == verdict)
        said[verdict, of[rows], experts] = True
    votes = np.select([said[1] & ~said[0], said[0] & ~said[1]], [1, 0], BLANK).astype(np.int8)
    voted = (votes != BLANK).any(axis=1)
    return expert_agreement(votes[voted]) if voted.any() else None


def expert_agreement(ballots: NDArray[np.int8]) -> dict[str, Any]:
    """What the card says of the panel. ballots : int8[n, k] of 0, 1 and -1 for a blank.

    experts : k. votes_per_pair : the mean. judged_twice : the pairs with two votes or more, on which the rest is measured.
    unanimous : the share of these on which all agree, None without one.
    krippendorff_alpha : None where it is undefined.
    """
    votes = (ballots != BLANK).sum(axis=1)
    found = (ballots == 1).sum(axis=1)
    twice = votes >= 2
    same = (found[twice] == 0) | (found[twice] == votes[twice])
    alpha = float(GroupAgreement(ballots).alpha(np.ones((1, len(ballots))))[0])
    return {
        "experts": ballots.shape[1],
        "votes_per_pair": float(votes.mean()),
        "judged_twice": int(twice.sum()),
        "unanimous": float(same.mean()) if twice.any() else None,
        "krippendorff_alpha": None if np.isnan(alpha) else alpha,
    }


def agreement_words(agreement: dict[str, Any]) -> str:
    """One line for the terminal and the card."""
    unanimous, alpha = agreement["unanimous"], agreement["krippendorff_alpha"]
    if unanimous is None:
        return f"{counted(agreement['experts'], 'expert')}; no pair has two votes, so their agreement is unknown."
    return (
        f"{counted(agreement['experts'], 'expert')}, {agreement['votes_per_pair']:.1f} votes a pair: unanimous on {100 * unanimous:.0f} % of"
        f" {counted(agreement['judged_twice'], 'pair')}, Krippendorff's alpha {'undefined' if alpha is None else f'{alpha:.2f}'}."
    )
