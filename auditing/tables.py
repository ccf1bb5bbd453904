"""What an audit computed, as rows."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..matcher.match_function import MatchFunction
from ..pages.figure import Row
from ..training.statistics.correlation import Correlations
from ..training.statistics.measure import MEASURES, measure
from .contributions import Contributions
from .families import family_of, label_of
from .scored_pairs import ScoredPairs

_BINS = 40


def feature_rows(matcher: MatchFunction, read: ScoredPairs, found: Contributions, together: Correlations) -> list[Row]:
    names = matcher.features.names
    same = {column: ", ".join(names[i] for i in group) for group in together.redundant() for column in group}
    total = float(found.strength.sum())
    rows: list[Row] = [
        {
            "feature": feature.name,
            "family": family_of(feature),
            "label": label_of(feature),
            "known": read.coverage[feature.name],
            "strength": strength,
            "share": strength / total if total else float("nan"),
            "same_as": same.get(column, ""),
        }
        for column, (feature, strength) in enumerate(
            zip(matcher.features.features, found.strength.tolist(), strict=True)
        )
    ]
    return sorted(rows, key=lambda row: -row["strength"])


def contribution_rows(
    matcher: MatchFunction, pairs: ScoredPairs, rows: NDArray[np.int64], found: Contributions
) -> list[Row]:
    names, probability = matcher.features.names, pairs.probability[rows]
    columns = {
        "a": pairs.a[rows].tolist(),
        "b": pairs.b[rows].tolist(),
        **({} if pairs.label is None else {"label": pairs.label[rows].tolist()}),
        "match": (probability >= matcher.threshold).tolist(),
        "probability": probability.tolist(),
        "raw": pairs.raw[rows].tolist(),
        "base": [found.base] * len(rows),
        **dict(zip(names, pairs.table[rows].T.tolist(), strict=True)),
        **dict(zip((f"shap_{name}" for name in names), found.values.T.tolist(), strict=True)),
    }
    return [dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)]


def correlation_rows(matcher: MatchFunction, found: Correlations) -> list[Row]:
    """Each two features once, those that go together side by side."""
    names, order = matcher.features.names, found.order
    return [
        {"first": names[i], "second": names[j], "spearman": float(found.spearman[i, j]),
         "pearson": float(found.pearson[i, j]), "pairs": int(found.pairs[i, j])}
        for place, i in enumerate(order) for j in order[place:]
    ]  # fmt: skip


def histogram_rows(pairs: ScoredPairs) -> list[Row]:
    """How many pairs have which probability: `from`, `to`, `pairs`, and with labels `matches`, `others`."""
    edges = np.linspace(0, 1, _BINS + 1)
    columns = {"from": edges[:-1], "to": edges[1:], "pairs": np.histogram(pairs.probability, edges)[0]}
    if pairs.label is not None:
        columns["matches"] = np.histogram(pairs.probability[pairs.label == 1], edges)[0]
        columns["others"] = columns["pairs"] - columns["matches"]
    values = [column.tolist() for column in columns.values()]
    return [dict(zip(columns, row, strict=True)) for row in zip(*values, strict=True)]


def measure_rows(
    read: ScoredPairs, differ: ScoredPairs, threshold: float, bootstrap: int, seed: int
) -> dict[str, list[Row]]:
    """`measures` of all pairs and of those that differ; the `reliability` curve of all."""
    rows: list[Row] = []
    curves = []
    for name, part in (("all", read), ("not identical", differ)):
        assert part.label is not None
        found = measure(part.probability, part.label, part.groups.code, threshold, repeats=bootstrap, seed=seed)
        rows += [{"pairs": name, "measure": each, **found[each]} for each in MEASURES]
        curves.append(found["reliability"])
    return {"measures": rows, "reliability": curves[0]}
