"""What an engine gains over the engine `lightgbm`, trained on the same folds and asked about the same pairs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from .examples import Examples
from .extra import ExtraExamples, reference_names
from .fold_fit import Fitted, fit_folds
from .recipe import Recipe
from .statistics.measure import average_precision, group_draws, percentile_interval

PLAIN = "lightgbm"
REPEATS, LEVEL = 1000, 0.95


def gain_over_plain(
    fitted: Fitted,
    seen: Examples,
    unseen: Examples,
    recipe: Recipe,
    directions: Sequence[int],
    *,
    extra: ExtraExamples | None = None,
) -> dict[str, Any]:
    """The average precision of `fitted` and of the plain engine, and the difference as {"value", "low", "high"}.

    seen : what `fitted` was fitted to, under `recipe`. unseen : the held-out pairs; where there are none, out-of-fold scores
        are compared. Pairs that are equal after normalisation are left out.
    low, high : 95 % bootstrap over references, the same resamples for both engines.
    """
    plain = fit_folds(seen, replace(recipe, engine=PLAIN), directions, extra=extra, unseen=reference_names(unseen))
    part = unseen if len(unseen) else seen
    part = part.take(~part.identical)
    ensembles = fitted.ensemble, plain.ensemble
    scores = [each.raw(part.table) if len(unseen) else each.out_of_fold for each in ensembles]
    own, of_plain = (float(average_precision(score, part.label)[0]) for score in scores)
    groups = len(part.groups.names)
    draws = group_draws(groups, REPEATS, recipe.seed).astype(np.float64)
    own_resampled, plain_resampled = (
        np.concatenate([average_precision(score, part.label, few[:, part.groups.code]) for few in np.split(draws, 20)])
        for score in scores
    )
    low, high = percentile_interval(own_resampled - plain_resampled, LEVEL)
    return {
        "measured_on": "held_out_not_identical" if len(unseen) else "cross_validated",
        "pairs": len(part),
        "groups": groups,
        "level": LEVEL,
        "average_precision": own,
        "plain_average_precision": of_plain,
        "gain": {"value": own - of_plain, "low": low, "high": high},
    }
