"""Features that say nearly the same as another: which of them a training may do without.

"How to Evaluate Medical AI" first filters its features by their correlations (its figure 1), and then keeps all of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError
from ..features.feature_set import FeatureSet
from ..features.registry import EXCLUSION
from .statistics.correlation import correlations
from .statistics.likeness import likeness
from .statistics.measure import average_precision

_MIN_PAIRS = 20
RULE = (
    "of two features whose Spearman correlation is that strong, the one whose average precision alone is lower goes, of equals the later; "
    "what has gone drops no other"
)


@dataclass(frozen=True)
class Dropped:
    """A feature that goes, and the one that stays in its place.

    rho : Spearman's, of the two. importance, importance_of_like : average precision of each alone, in [0, 1].
    """

    feature: str
    like: str
    rho: float
    importance: float
    importance_of_like: float


def correlated(
    table: NDArray[np.float32], label: NDArray[np.int8], features: FeatureSet, limit: float
) -> list[Dropped]:
    """Those to drop by `RULE`, in the order of the features.

    From the best alone to the worst, a feature stays where no feature that stays has |rho| >= `limit` with it, over the pairs that
    know both, at least 20. A feature that decides by itself (`exclusion`) always stays, and drops none.

    Parameters
    ----------
    table : float32[n, f], NaN where unknown.
    label : int8[n], both labels.
    limit : in (0, 1].

    Raises
    ------
    InputError
        For labels without a match.
    """
    if not (label == 1).any():
        raise InputError("no match to tell which of two features is worth more", allowed="both labels")
    found = correlations(table)
    rho = np.where(found.pairs >= _MIN_PAIRS, np.nan_to_num(found.spearman), 0.0)
    worth = [float(average_precision(likeness(f, table[:, c]), label)[0]) for c, f in enumerate(features.features)]
    kept: list[int] = []
    gone: dict[int, Dropped] = {}
    for column in sorted(range(len(worth)), key=lambda column: -worth[column]):
        if features.features[column].kind == EXCLUSION:
            continue
        like = max(kept, key=lambda other: abs(rho[column, other]), default=None)
        if like is None or abs(rho[column, like]) < limit - 1e-9:
            kept.append(column)
            continue
        names = features.names[column], features.names[like]
        gone[column] = Dropped(*names, float(rho[column, like]), worth[column], worth[like])
    return [gone[column] for column in sorted(gone)]


def dropped_words(limit: float, dropped: Sequence[dict[str, Any]]) -> str:
    """What card and terminal say."""
    if not dropped:
        return f"No two features correlate as strongly as {limit:g}, so all of them stay."
    said = ", ".join(f"{one['feature']} ({one['rho']:.2f} with {one['like']})" for one in dropped)
    return f"Dropped for a correlation of {limit:g} or more on the training pairs: {said}. The rule: {RULE}."


def as_facts(limit: float, dropped: Sequence[Dropped]) -> dict[str, Any]:
    """For the manifest: plain JSON."""
    return {"limit": limit, "features": [asdict(one) for one in dropped]}
