"""The audit of a match function: what it relies on, how good it is, where it errs."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from functools import partial
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError, OptionError
from ..evaluation.read.findings import Finding
from ..matcher.match_function import MatchFunction
from ..matcher.policy import SPECIFICATION
from ..pages.rows import Row, arrow_table
from ..stats.resampling import group_draws
from ..training.statistics.correlation import correlations
from ..training.statistics.measure import MEASURES, measure
from ..training.statistics.split import grouped_folds
from .families import families, family_of, label_of
from .mistakes import mistakes
from .permutation import LEVEL, Losses, Resamples
from .result import TABLES, Audit
from .scored_pairs import MIN_PAIRS, ScoredPairs, score_pairs
from .voters import alone_rows, voter_columns, voter_rows

_NO_LABELS = "the pairs have no labels (a column label, or one label_<expert> for each expert)"
_MIN_RESAMPLES = 20

_Rows = dict[str, list[Row]]
"""Rows of tables, by the name of each."""
_Step = Callable[[], _Rows]


def audit(
    matcher: MatchFunction,
    pairs: Any,
    *,
    a: str = "a",
    b: str = "b",
    label: str | None = None,
    group: str | None = None,
    sample: int = 2000,
    repeats: int = 5,
    bootstrap: int = 200,
    retrain: bool = False,
    folds: int = 5,
    voters: int | None = None,
    seed: int = 0,
    rejects: str | os.PathLike[str] | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Audit:
    """Audits a match function on pairs: contributions, importance, correlation, each feature alone, errors; the source's figures 1 to 3.

    Parameters
    ----------
    pairs : a path or data frame with columns `a` and `b`, with labels (as in `train`) or without; what needs labels is
        left out where there are none. They should be pairs that it was not trained on.
    group : the column of the reference diagnosis, `a` if not given; intervals resample references.
    sample : the most pairs whose contributions are computed, drawn at random.
    repeats : shuffles of each feature.
    bootstrap : resamples behind each interval.
    retrain : also train without each family of features, cross-validated on these pairs in `folds` folds of references.
    folds : of references; also of the thresholds of each feature alone, and of the choice of voters.
    voters : also which so many votes of language models decide best, by themselves and together; of at most 20,000 choices.
    rejects : a file for rows that cannot be right; without it the first of them is an `InputError`.
    progress : called with (done, total) steps.

    Raises
    ------
    InputError
        For too few pairs, or one label only.
    OptionError
        For a parameter out of range, or an M under another policy than the default: what is audited are its trees.
    ModelError
        Where the trees lack the counts of training pairs.
    """
    for name, allowed, value, holds in (
        ("matcher", f"an M under the policy {SPECIFICATION}", matcher.policy, matcher.policy == SPECIFICATION),
        ("sample", f"{MIN_PAIRS} or more", sample, sample >= MIN_PAIRS),
        ("bootstrap", f"{_MIN_RESAMPLES} or more", bootstrap, bootstrap >= _MIN_RESAMPLES),
        ("repeats", f"from 1 to {bootstrap}, the resamples", repeats, 1 <= repeats <= bootstrap),
    ):
        if not holds:
            raise OptionError(name, allowed, value)
    every = score_pairs(matcher, pairs, a=a, b=b, label=label, group=group, rejects=rejects, progress=progress)
    differ = every.take(~every.identical)
    asked = [] if voters is None else voter_columns(matcher.features, differ.table, voters)
    groups = len(differ.groups.names)
    resamples = Resamples(differ, np.vstack([np.ones((1, groups), np.int64), group_draws(groups, bootstrap, seed)]))
    fold = _folds(differ, folds, seed)
    losses = Losses(matcher, resamples, fold, seed)
    rows = np.sort(np.random.default_rng(seed).permutation(len(differ.a))[:sample])

    steps: list[_Step] = [lambda: _features(matcher, every, differ, rows)]
    left_out: dict[str, str] = {}
    if every.label is None:
        left_out["what needs labels"] = _NO_LABELS
    else:
        steps.append(lambda: _errors(matcher, every, differ, bootstrap, seed))
        if not matcher.has_relation_model:
            left_out["errors by kind"] = f"{matcher.name} has no relation model"
        if isinstance(fold, str):
            left_out["what is chosen or trained anew in folds: each feature alone, voters, families"] = fold
    if not isinstance(fold, str):
        steps.append(lambda: {"alone": alone_rows(matcher, resamples, fold)})
        if voters is not None:
            steps.append(lambda: {"voters": voter_rows(matcher.features, resamples, fold, asked, voters)})
    trains = retrain and not isinstance(fold, str)
    steps += _losses(losses, repeats, retrain=trains)

    found: _Rows = {}
    for done, step in enumerate(steps, 1):
        for table, own in step().items():
            found.setdefault(table, []).extend(own)
        if progress is not None:
            progress(done, len(steps))
    trained = losses.retrained if trains else {}
    made_with = {
        "match_function": matcher.identity, "threshold": matcher.threshold, "sets_of_trees": len(matcher.scorer.members),
        "source": Path(every.source).name, "pairs": len(every.a), "matches": None if every.label is None else int(every.match.sum()),
        "references": len(every.groups.names), "equal_after_normalisation": int(every.identical.sum()), "rows_set_aside": every.n_rejected,
        "pairs_with_contributions": len(rows), "shuffles": repeats, "resamples_of_references": bootstrap, "level": LEVEL, "folds": folds,
        "seed": seed, **{f"{name}_trained_anew": float(values[0]) for name, values in trained.items()},
        **{library: metadata.version(library) for library in ("dxmatch", "lightgbm", "numpy")},
    }  # fmt: skip
    return Audit(
        {name: arrow_table(found[name]) for name in TABLES if name in found},
        _findings(matcher, differ),
        left_out,
        made_with,
    )


def _folds(differ: ScoredPairs, folds: int, seed: int) -> NDArray[np.int64] | str:
    """Gives the fold of each pair, or why there is none."""
    if differ.label is None:
        return _NO_LABELS
    try:
        return grouped_folds(differ.groups, differ.label, folds, seed)
    except InputError as error:
        return str(error)


def _losses(losses: Losses, repeats: int, *, retrain: bool) -> Iterator[_Step]:
    """Gives a step for each feature, and for each way to lose a family."""
    features, seed = losses.matcher.features, losses.seed
    each, together = np.random.default_rng(seed), np.random.default_rng(seed)

    def step(table: str, compute: Callable[..., Row], *given: Any, **known: str) -> _Rows:
        return {table: [known | compute(*given)]}

    for column, name in enumerate(features.names):
        yield partial(step, "permutation", losses.shuffled, [column], repeats, each, name=name)
    own = families(features.features)
    for name, columns in own.items():
        yield partial(step, "families", losses.shuffled, columns, repeats, together, name=name, way="shuffled")
    for name, columns in own.items() if retrain and len(own) > 1 else ():
        yield partial(step, "families", losses.without, columns, name=name, way="trained without")


def _features(matcher: MatchFunction, every: ScoredPairs, differ: ScoredPairs, rows: NDArray[np.int64]) -> _Rows:
    """Finds what moves the scores of the pairs in some rows of those that differ, and what goes together."""
    names, table, known = matcher.features.names, differ.table[rows], np.isfinite(every.table).mean(0)
    moved, raw, together = matcher.contributions(table), matcher.raw(table), correlations(differ.table)
    strength = np.abs(moved[:, :-1]).mean(0).tolist()
    same = {column: ", ".join(names[i] for i in group) for group in together.redundant() for column in group}
    features: list[Row] = [
        {
            "feature": feature.name, "family": family_of(feature), "label": label_of(feature), "known": float(known[column]),
            "strength": strength[column], "share": strength[column] / sum(strength) if any(strength) else None, "same_as": same.get(column, ""),
        }
        for column, feature in enumerate(matcher.features.features)
    ]  # fmt: skip
    contributions = [
        {
            "a": differ.a[i], "b": differ.b[i], **({} if differ.label is None else {"label": int(differ.label[i])}),
            "match": bool(differ.probability[i] >= matcher.threshold), "probability": float(differ.probability[i]), "raw": float(raw[place]),
            "base": float(moved[place, -1]), **dict(zip(names, table[place].tolist(), strict=True)),
            **dict(zip((f"shap_{name}" for name in names), moved[place].tolist(), strict=False)),
        }
        for place, i in enumerate(rows.tolist())
    ]  # fmt: skip
    pairs: list[Row] = [
        {"first": names[i], "second": names[j], "spearman": float(together.spearman[i, j]), "pearson": float(together.pearson[i, j]),
         "pairs": int(together.pairs[i, j])}
        for place, i in enumerate(together.order) for j in together.order[place:]
    ]  # fmt: skip
    features.sort(key=lambda row: -row["strength"])
    return {"features": features, "contributions": contributions, "correlations": pairs}


def _errors(matcher: MatchFunction, every: ScoredPairs, differ: ScoredPairs, repeats: int, seed: int) -> _Rows:
    """Finds how good M is, and where it errs."""
    found = {}
    for name, part in (("all", every), ("not identical", differ)):
        assert part.label is not None
        found[name] = measure(
            part.probability, part.label, part.groups.code, matcher.threshold, repeats=repeats, seed=seed
        )
    rows = [{"pairs": name, "measure": each, **of[each]} for name, of in found.items() for each in MEASURES]
    return {"measures": rows, "reliability": found["all"]["reliability"], **mistakes(every, matcher.threshold)}


def _findings(matcher: MatchFunction, differ: ScoredPairs) -> list[Finding]:
    """Says what the reader should know."""
    said = []
    for name, column in zip(matcher.features.names, differ.table.T, strict=True):
        values = np.unique(column[np.isfinite(column)])
        if len(values) < 2:
            constant = f"{values[0]:g} wherever it is known" if len(values) else "unknown for every pair"
            said.append(f"the feature {name} is {constant}: nothing here says what it is worth.")
    if differ.label is not None:
        said.append(
            "what is measured holds for pairs that M was not trained on. On its training pairs every figure is too good."
        )
    return [Finding("origin", example=words) for words in said]
