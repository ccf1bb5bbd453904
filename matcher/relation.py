"""What one diagnosis is to another: the same, a kind of it, a class of it, near kin, nothing, or excluded."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ..models.relation import RelationModel
from .policy import EXCLUDED, RELATIONS, SAME

SEMANTIC = ("Exact Synonym", "Broad Synonym", "Exact Disease Group", "Broad Disease Group", "Not Related")
"""The five classes of Kernel29, from 1 to 5."""


@dataclass(frozen=True)
class Relations:
    """The relations of n pairs.

    Attributes
    ----------
    probabilities : float64[n, 6], in the order of `RELATIONS`; each row adds up to 1, or is NaN for a pair that is unscored.
    close : float64[n]: of what is related, the probability that a narrow group holds both.
    """

    probabilities: NDArray[np.float64]
    close: NDArray[np.float64]

    @cached_property
    def kinds(self) -> list[str | None]:
        """The likeliest relation of each pair; None where it is unscored."""
        likeliest = np.nan_to_num(self.probabilities).argmax(axis=1)
        known = np.isfinite(self.probabilities[:, 0])
        return [RELATIONS[i] if there else None for i, there in zip(likeliest.tolist(), known.tolist(), strict=True)]

    @property
    def semantic_distance(self) -> NDArray[np.int8]:
        """int8[n]: Kernel29's five classes, 1 (`SEMANTIC`: exact synonym) to 5 (not related), of least expected squared error; 0 where unscored.

        Same is an exact synonym, kind and class are broad synonyms, what one narrow group holds is an exact disease group, what a wide one
        holds a broad disease group; what excludes each other by its words alone ("no pneumonia") is not related.
        """
        same, narrower, broader, related, unrelated, excluded = self.probabilities.T
        near, far = related * self.close, related * (1 - self.close)
        mean = same + 2 * (narrower + broader) + 3 * near + 4 * far + 5 * (unrelated + excluded)
        return np.where(np.isfinite(mean), np.rint(mean), 0).astype(np.int8)


def relations_of(
    model: RelationModel,
    match: NDArray[np.float64],
    table: NDArray[np.float32],
    directions: NDArray[np.float32],
    *,
    equal: NDArray[np.bool_],
    excluded: NDArray[np.bool_],
    opposed: NDArray[np.bool_],
) -> Relations:
    """The relations of n pairs, from M's probability of a match and their features.

    Parameters
    ----------
    match : float64[n]. table : float32[n, f], M's columns. directions : float32[n, 5], as of `features.direction`.
    equal : bool[n], one name. excluded : bool[n], by assertion or denial: nothing else counts.
    opposed : bool[n], by their words: what is no match is excluded, not related or unrelated.
    """
    same, kin, close = (model.of_head(head, table) for head in ("same", "kin", "close"))
    first_narrower = model.first_is_narrower(directions)
    differ = 1 - match
    out = np.stack(
        [
            match * same,
            match * (1 - same) * first_narrower,
            match * (1 - same) * (1 - first_narrower),
            np.where(opposed, 0, differ * kin),
            np.where(opposed, 0, differ * (1 - kin)),
            np.where(opposed, differ, 0),
        ],
        axis=1,
    )
    out[equal], out[excluded] = _only(SAME), _only(EXCLUDED)
    out[np.isnan(match)] = np.nan
    return Relations(out, close)


def _only(relation: str) -> Sequence[float]:
    return [float(name == relation) for name in RELATIONS]
