"""What an audit computed, as rows, settings and notes."""

from __future__ import annotations

from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..matcher.match_function import MatchFunction
from ..pages.figure import Row
from ..training.statistics.measure import MEASURES, measure
from .contributions import Contributions
from .correlation import Correlations
from .families import family_of, label_of
from .permutation import LEVEL, Quality
from .scored_pairs import ScoredPairs


def feature_rows(matcher: MatchFunction, read: ScoredPairs, found: Contributions, together: Correlations) -> list[Row]:
    same = {
        column: ", ".join(matcher.features.names[i] for i in group)
        for group in together.redundant()
        for column in group
    }
    total = float(found.strength.sum())
    rows: list[Row] = [
        {"feature": feature.name, "family": family_of(feature), "label": label_of(feature),
         "known": read.coverage[feature.name], "strength": float(strength),
         "share": float(strength) / total if total else float("nan"), "same_as": same.get(column, "")}
        for column, (feature, strength) in enumerate(zip(matcher.features.features, found.strength, strict=True))
    ]  # fmt: skip
    return sorted(rows, key=lambda row: -row["strength"])


def contribution_rows(
    matcher: MatchFunction, pairs: ScoredPairs, rows: NDArray[np.int64], found: Contributions
) -> list[Row]:
    out: list[Row] = []
    for place, i in enumerate(rows.tolist()):
        row: Row = {"a": pairs.a[i], "b": pairs.b[i]}
        if pairs.label is not None:
            row["label"] = int(pairs.label[i])
        probability = float(pairs.probability[i])
        row |= {"match": probability >= matcher.threshold, "probability": probability, "raw": float(pairs.raw[i]), "base": found.base}  # fmt: skip
        row |= dict(zip(matcher.features.names, map(float, pairs.table[i]), strict=True))
        row |= {f"shap_{name}": float(v) for name, v in zip(matcher.features.names, found.values[place], strict=True)}
        out.append(row)
    return out


def correlation_rows(matcher: MatchFunction, found: Correlations) -> list[Row]:
    """Each two features once, those that go together side by side."""
    order = found.order
    return [
        {"first": matcher.features.names[i], "second": matcher.features.names[j], "spearman": float(found.spearman[i, j]),
         "pearson": float(found.pearson[i, j]), "pairs": int(found.pairs[i, j])}
        for place, i in enumerate(order) for j in order[place:]
    ]  # fmt: skip


def measure_rows(
    read: ScoredPairs, differ: ScoredPairs, threshold: float, bootstrap: int, seed: int
) -> tuple[list[Row], list[Row]]:
    """Those of all pairs and of those that differ; and the reliability curve of all."""
    rows: list[Row] = []
    curve: list[Row] = []
    for name, part in (("all", read), ("not identical", differ)):
        assert part.label is not None
        found = measure(part.probability, part.label, part.groups.code, threshold, repeats=bootstrap, seed=seed)
        rows += [{"pairs": name, "measure": each, **found[each]} for each in MEASURES]
        curve = curve or found["reliability"]
    return rows, curve


def made_with(
    matcher: MatchFunction,
    read: ScoredPairs,
    differ: ScoredPairs,
    rows: NDArray[np.int64],
    whole: Quality | None,
    again: Quality | None,
    repeats: int,
    bootstrap: int,
    seed: int,
) -> dict[str, Any]:
    return {
        "model": matcher.identity,
        "threshold": matcher.threshold,
        "raw_threshold": matcher.scorer.calibration.inverse(matcher.threshold),
        "source": Path(read.source).name,
        "pairs": len(read),
        "matches": None if read.label is None else int(read.label.sum()),
        "references": len(read.groups.names),
        "identical": len(read) - len(differ),
        "rejected": read.n_rejected,
        "sample": len(rows),
        "sampled_of": len(differ),
        "members": len(matcher.scorer.members),
        "repeats": repeats,
        "bootstrap": bootstrap,
        "level": LEVEL,
        "seed": seed,
        "quality": None if whole is None else whole.value,
        "retrained": None if again is None else again.value,
        "versions": {library: metadata.version(library) for library in ("dxmatch", "lightgbm", "numpy")},
    }


def notes(matcher: MatchFunction, differ: ScoredPairs, labelled: bool) -> list[str]:
    notes = []
    known = np.isfinite(differ.table)
    for column, name in enumerate(matcher.features.names):
        values = differ.table[known[:, column], column]
        if not len(values):
            notes.append(f"{name} is unknown for every pair: nothing here says what it is worth.")
        elif np.ptp(values) == 0:
            notes.append(f"{name} is {values[0]:g} wherever it is known: nothing here says what it is worth.")
    if labelled:
        notes.append(
            "What is measured here holds for pairs that M was not trained on. On its training pairs every figure is too good."
        )
    return notes
