"""What each feature contributed to each score: SHAP values in M's raw log-odds."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import ModelError
from ..models.ensemble import Combination
from .opened import Opened

_NODES = 64
_NEAR = 1e-6


@dataclass(frozen=True)
class Contributions:
    """values float64[n, f]; base + values.sum(1) is the raw score of each pair. All in log-odds, before calibration."""

    values: NDArray[np.float64]
    base: float

    @property
    def strength(self) -> NDArray[np.float64]:
        """float64[f]: the mean of the absolute contributions."""
        return np.abs(self.values).mean(axis=0)


def contributions(opened: Opened, table: NDArray[np.float32], tick: Callable[[], None] = lambda: None) -> Contributions:
    """SHAP values of each member by TreeSHAP (Lundberg et al. 2020, from `shap`), joined as the members' scores are.

    table : float32[n, f].

    Where M is the mean of the members' log-odds, its values are the mean of theirs, since Shapley values are linear.
    Where it is the log-odds of their mean probability, each member's values count by what that member moved the whole
    on the way from the bases to the scores (Aumann & Shapley 1974; Chen, Lundberg & Lee 2022 for series of models).

    Errors: `ModelError` where base and values do not add up to M's score: the trees lack what SHAP values need.
    """
    shap = _shap()
    values, bases = [], []
    for booster in opened.boosters:
        explainer = shap.TreeExplainer(booster)
        values.append(np.asarray(explainer.shap_values(table), np.float64))
        bases.append(float(np.ravel(explainer.expected_value)[-1]))
        tick()
    of_member = np.stack(values, axis=1)
    base = np.array(bases)
    shares = _shares(opened.combination, base, base + of_member.sum(axis=2))
    joined = np.einsum("nk,nkf->nf", shares, of_member)
    start = float(opened.combination(base[None])[0])
    score = opened.matcher.raw(table)
    worst = float(np.abs(start + joined.sum(axis=1) - score).max(initial=0.0))
    if not worst <= _NEAR * max(1.0, float(np.abs(score).max(initial=0.0))):
        raise ModelError(
            f"Model {opened.matcher.name}: SHAP values do not add up to the score (by {worst:.2g}). Its trees lack the "
            "counts of pairs (leaf_count, internal_count), or count otherwise than LightGBM."
        )
    return Contributions(joined, start)


def _shap() -> Any:
    """The library; in a notebook its progress bars warn of widgets that nothing here needs."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import shap
    return shap


def _shares(combination: Combination, base: NDArray[np.float64], score: NDArray[np.float64]) -> NDArray[np.float64]:
    """float64[n, k]: by how much M's score moves for each unit by which a member's does, the mean over the straight way.

    base : float64[k]. score : float64[n, k].
    """
    weight = np.ones(len(base)) if combination.weights is None else np.array(combination.weights)
    if combination.kind == "mean_raw":
        return np.broadcast_to(weight / weight.sum(), score.shape)
    nodes, shares = np.polynomial.legendre.leggauss(_NODES)
    out = np.zeros(score.shape)
    for node, share in zip((nodes + 1) / 2, shares / 2, strict=True):
        raw = base + node * (score - base)
        match, other = (weight / (1 + np.exp(-sign * raw)) for sign in (1, -1))
        # d/dr of log(sum w p) - log(sum w (1 - p)), with dp/dr = p (1 - p)
        slope = match * other / weight
        out += share * slope * (1 / match.sum(1) + 1 / other.sum(1))[:, None]
    return out


def sampled_rows(strata: NDArray[np.bool_], most: int, seed: int) -> NDArray[np.int64]:
    """The rows of a random sample, in order: at most `most`, of both strata in the share that they have, and 1 at least."""
    rows = np.arange(len(strata))
    if len(rows) <= most:
        return rows
    generator = np.random.default_rng(seed)
    few = min(max(round(most * float(strata.mean())), 1), most - 1) if strata.any() and not strata.all() else 0
    counts = {True: few, False: most - few} if few else {bool(strata[0]): most}
    drawn = [generator.choice(rows[strata == of], min(n, int((strata == of).sum())), False) for of, n in counts.items()]
    return np.sort(np.concatenate(drawn))
