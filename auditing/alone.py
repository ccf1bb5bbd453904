"""Each feature alone as a match function: precision, recall, F1 and accuracy of what it says by itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..features.feature_set import FeatureSpec
from ..features.registry import KINDS
from ..matcher.match_function import MatchFunction
from ..pages.figure import Row
from ..training.statistics.likeness import UNKNOWN, likeness, value_at
from ..training.statistics.measure import percentile_interval
from ..training.statistics.threshold import choose_threshold
from .families import family_of, label_of
from .permutation import LEVEL
from .results.audit_tables import DECIDED
from .scored_pairs import ScoredPairs

OF_M = "M"
MEASURES = tuple(DECIDED)
_NEVER = "it is unknown for every pair"


@dataclass(frozen=True)
class Decisions:
    """Labelled pairs of several raters' yes and no, with what their intervals need.

    pairs : n of them. fold : int64[n], whole references. draws : int64[r, groups], the resamples.
    """

    pairs: ScoredPairs
    fold: NDArray[np.int64]
    draws: NDArray[np.int64]

    @property
    def label(self) -> NDArray[np.int8]:
        assert self.pairs.label is not None
        return self.pairs.label

    def measured(self, said: NDArray[np.bool_]) -> Row:
        """`MEASURES` of bool[n], each with `_low` and `_high`; NaN where undefined (the precision of who never says yes)."""
        weight = np.vstack([np.ones((1, self.draws.shape[1]), np.int64), self.draws]).astype(float)
        code, match = self.pairs.groups.code, self.label == 1

        def of(rows: NDArray[np.bool_]) -> NDArray[np.float64]:
            return weight @ np.bincount(code[rows], minlength=weight.shape[1]).astype(float)

        both, yes, matches, right, every = map(of, (said & match, said, match, said == match, np.ones(len(said), bool)))
        with np.errstate(invalid="ignore", divide="ignore"):
            found = (both / yes, both / matches, 2 * both / (yes + matches), right / every)
        row: Row = {}
        for name, values in zip(MEASURES, found, strict=True):
            row[name] = float(values[0])
            row[f"{name}_low"], row[f"{name}_high"] = percentile_interval(values[1:], LEVEL)
        return row


def yes_by_folds(score: NDArray[np.float64], of: Decisions) -> NDArray[np.bool_]:
    """bool[n]: the pairs of each fold at the threshold of highest F1 in the others. score : as of `likeness`."""
    said = np.zeros(len(score), bool)
    for fold in np.unique(of.fold).tolist():
        held = of.fold == fold
        said[held] = score[held] >= choose_threshold(score[~held], of.label[~held], "max_f1")
    return said & (score != UNKNOWN)


def alone_rows(matcher: MatchFunction, of: Decisions) -> list[Row]:
    """M, then each feature, the highest F1 first.

    A value of 0 or 1 is taken as it is. Any other is a match from a threshold on, that of highest F1 in the folds of references
    that the pair is not in; the `threshold` told is that of all pairs. A feature that is unknown for a pair says no match.
    """
    decided = of.pairs.probability >= matcher.threshold
    of_m = {"feature": OF_M, "family": "", "label": "the match function", "rule": "from", "threshold": matcher.threshold, "known": 1.0}  # fmt: skip
    rows = [_row(feature, of.pairs.table[:, column], of) for column, feature in enumerate(matcher.features.features)]
    rows.sort(key=lambda row: -row["f1"] if row["f1"] == row["f1"] else 1.0)
    return [{**row, **_support(of)} for row in (of_m | {"reason": ""} | of.measured(decided), *rows)]


def _support(of: Decisions) -> Row:
    return {"pairs": len(of.label), "matches": int(of.label.sum())}


def _row(feature: FeatureSpec, values: NDArray[np.floating], of: Decisions) -> Row:
    kind, known = KINDS[feature.kind], np.isfinite(values)
    row: Row = {
        "feature": feature.name,
        "family": family_of(feature),
        "label": label_of(feature),
        "rule": "as it is",
        "threshold": np.nan,
        "known": float(known.mean()),
        "reason": "",
    }
    if not known.any():
        nothing = dict.fromkeys((f"{name}{end}" for name in MEASURES for end in ("", "_low", "_high")), np.nan)
        return row | {"rule": "", "reason": _NEVER} | nothing
    score = likeness(feature, values)
    if kind.range == (0.0, 1.0) and set(np.unique(values[known]).tolist()) <= {0.0, 1.0}:
        return row | of.measured(score == 1)
    best = choose_threshold(score, of.label, "max_f1")
    rule = {"rule": "from" if kind.alike == kind.range[1] else "up to", "threshold": value_at(feature, best)}
    return row | rule | of.measured(yes_by_folds(score, of))


def names_of(features: Sequence[FeatureSpec], columns: Sequence[int]) -> str:
    return ", ".join(features[column].name for column in columns)
