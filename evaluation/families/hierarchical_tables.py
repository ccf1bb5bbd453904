"""Tables beside the hierarchical metrics: by chapter of the reference, and rank shifts from metric to metric."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from ...pages.rows import Row, known
from ...terms.icd.tree import IcdTree
from ..metrics import REGISTRY
from ..metrics.hierarchical import harmonic_mean, mean_of_defined
from ..statistics.bootstrap import resampled_means
from ..statistics.section import Context, measured

Values = NDArray[np.float64]


def chapter_rows(
    raters: Sequence[str],
    rates: Values,
    chapters: NDArray[np.integer],
    order: NDArray[np.integer],
    tree: IcdTree,
    context: Context,
) -> list[Row]:
    """HDP, HDR and HDF1 with its interval, in the cases whose reference has a code in a chapter.

    rates : [2, n, r], precision and recall of each case. chapters : [n, D], nodes; -1 fills. order : [n], as resampled.
    The cases of a chapter are resampled among themselves; a case of two chapters counts in both.
    """
    place = np.argsort(order)
    rows: list[Row] = []
    for chapter in np.unique(chapters[chapters >= 0]).tolist():
        among = (chapters == chapter).any(1)
        n_cases = int(among.sum())
        flat = np.concatenate([part[among] for part in rates], 1)
        data = np.split(mean_of_defined(flat), 2)
        repeats = np.split(resampled_means(flat, context.repeats, context.seed, np.argsort(place[among])), 2, 1)
        value, again = harmonic_mean(*data), harmonic_mean(*repeats)
        for i, rater in enumerate(raters):
            found = measured(value[i], again[:, i], context.level, n_cases, "")
            parts = dict(
                zip(("HDP", "HDR", "HDF1"), [known(float(of_rater[i])) for of_rater in (*data, value)], strict=True)
            )
            ends = {"low": found["low"], "high": found["high"]}
            of = {"chapter": tree.code(chapter), "chapter_name": tree.name(chapter), "algorithm": rater}
            rows.append({**of, "n_cases": n_cases, **parts, **ends})
    return rows


def rank_shift_rows(raters: Sequence[str], accuracies: Mapping[str, Values], hdf1: Values, k: int) -> list[Row]:
    """How many places each rater gains from each top-k accuracy to HDF1.

    accuracies : judge -> [r]. hdf1 : [r]. Place 1 is the best, equals share the better place; raters without both
    values have none.
    """
    rows: list[Row] = []
    for judge, accuracy in accuracies.items():
        both = ~np.isnan(accuracy) & ~np.isnan(hdf1)
        before, after = (_places(np.where(both, values, np.nan)) for values in (accuracy, hdf1))
        for i in np.flatnonzero(both).tolist():
            rows.append(
                {
                    "algorithm": raters[i],
                    "from": REGISTRY["top_k_accuracy"].printed(k, of=judge),
                    "from_value": float(accuracy[i]),
                    "from_rank": int(before[i]),
                    "to": REGISTRY["hdf1"].printed(k),
                    "to_value": float(hdf1[i]),
                    "to_rank": int(after[i]),
                    "shift": int(before[i] - after[i]),
                }
            )
    return rows


def _places(values: Values) -> NDArray[np.int64]:
    return (values[None] > values[:, None]).sum(1) + 1
