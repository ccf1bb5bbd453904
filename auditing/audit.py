"""The audit of a match function: what it relies on, how good it is, where it errs."""

from __future__ import annotations

from importlib import metadata
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError, OptionError
from ..files.reading import OF_TABLES, PairColumns, Reading
from ..matcher.match_function import MatchFunction, load
from ..matcher.policy import SPECIFICATION
from ..options import Between, Table, checked
from ..pages.rows import Row, arrow_table
from ..progress import shown
from ..stats.resampling import CASES_ALONE, Resampling
from ..training.labelled import hash_of
from ..training.statistics.correlation import correlations
from ..training.statistics.measure import MEASURES, measure
from ..training.statistics.split import grouped_folds
from .families import families, family_of, label_of
from .permutation import Resamples, ablation_rows, permutation_rows
from .result import TABLES, Audit
from .scored_pairs import MIN_PAIRS, ScoredPairs, mistakes, score_pairs
from .voters import alone_rows, voter_columns, voter_rows

_MIN_RESAMPLES = 20

_Rows = dict[str, list[Row]]
"""Rows of tables, by the name of each."""


@checked
def audit(
    matcher: Any,
    pairs: Table,
    *,
    columns: Annotated[PairColumns, "a", "b", "label", "group"] = PairColumns(),
    sample: Annotated[int, Between(MIN_PAIRS)] = 2000,
    repeats: Annotated[int, Between(1)] = 5,
    folds: Annotated[int, Between(2)] = 5,
    voters: Annotated[int, Between(1)] | None = None,
    retrain: bool = False,
    resampling: Annotated[Resampling, *CASES_ALONE] = Resampling(resamples=200),
    reading: Annotated[Reading, *OF_TABLES] = Reading(),
) -> Audit:
    """Audits a match function on pairs: contributions, importance, correlation, each feature alone, errors; the source's figures 1 to 3.

    Parameters
    ----------
    matcher : MatchFunction or path
        The match function, or its folder; None is the shipped one.
    pairs : table
        Pairs with labels, as in `train`. They should be pairs that it was not trained on.
    columns : PairColumns
        The columns of the pairs.
    sample : int
        The most pairs whose contributions are computed, drawn at random.
    repeats : int
        Shuffles of each feature.
    folds : int
        Of references: for the thresholds of each feature alone, the choice of voters, and what is trained anew.
    voters : int, optional
        Also which so many votes of language models decide best, by themselves and together; of at most 20,000 choices.
    retrain : bool
        Also train without each family of features, cross-validated on these pairs.
    resampling : Resampling
        The intervals, over references; 20 resamples or more, and no fewer than `repeats`. Its seed is that of sample and shuffles, too.
    reading : Reading
        How the pairs are read.

    Returns
    -------
    Audit
        Tables, words and charts.

    Raises
    ------
    InputError
        For pairs without labels, too few, or with one label only.
    OptionError
        For a parameter out of range, or an M under another policy than the default: what is audited are its trees.
    ModelError
        Where the trees lack the counts of training pairs.
    """
    m, seed = matcher if isinstance(matcher, MatchFunction) else load(matcher), resampling.seed
    if m.policy != SPECIFICATION:
        raise OptionError("matcher", f"an M under the policy {SPECIFICATION}", m.policy)
    if resampling.resamples < (least := max(_MIN_RESAMPLES, repeats)):
        raise OptionError("resampling", f"of {least:,} resamples or more", resampling.resamples)
    with shown("Auditing") as report:
        every = score_pairs(m, pairs, columns, reading, report)
        differ = every.take(~every.identical)
        asked = [] if voters is None else voter_columns(m.features, differ.table, voters)
        resamples = Resamples.of(differ, resampling)
        rows = np.sort(np.random.default_rng(seed).permutation(len(differ.a))[:sample])
        found, left_out = _features(m, every, differ, rows), dict[str, str]()
        for name, column in zip(m.features.names, differ.table.T, strict=True):
            if len(np.unique(column[np.isfinite(column)])) < 2:
                left_out[f"what the feature {name} is worth"] = "it is the same, or unknown, for every pair"
        found |= _errors(m, every, differ, resampling)
        if not m.has_relation_model:
            left_out["errors by kind"] = f"{m.name} has no relation model"
        try:
            fold = grouped_folds(differ.groups, differ.label, folds, seed)
        except InputError as error:
            fold = None
            left_out["what is chosen or trained anew in folds: each feature alone, voters, families"] = str(error)
        else:
            found["alone"] = alone_rows(m, resamples, fold)
            if voters is not None:
                found["voters"] = voter_rows(m.features, resamples, fold, asked, voters)
        alone = {name: [column] for column, name in enumerate(m.features.names)}
        own = families(m.features.features)
        found["permutation"] = permutation_rows(m, resamples, alone, repeats, seed, report)
        ways = {"shuffled": permutation_rows(m, resamples, own, repeats, seed, report)}
        if retrain and fold is not None and len(own) > 1:
            ways["trained without"] = ablation_rows(m, resamples, own, fold, seed, report)
        found["families"] = [{"way": way, **row} for way, rows in ways.items() for row in rows]
    made_with = {
        "match_function": m.identity, "threshold": m.threshold, "sets_of_trees": len(m.parts.trees),
        "source": Path(every.source).name, "pairs": len(every.a), "matches": int(every.match.sum()),
        "references": len(every.groups.names), "equal_after_normalisation": int(every.identical.sum()), "rows_set_aside": every.n_rejected, "trained_on": m.data.get("sha256") == hash_of(every.a.tolist(), every.b.tolist(), every.label.tolist()),
        "pairs_with_contributions": len(rows), "shuffles": repeats, "resamples_of_references": resampling.resamples, "level": resampling.level,
        "folds": folds, "seed": seed,
        **{library: metadata.version(library) for library in ("dxmatch", "lightgbm", "numpy")},
    }  # fmt: skip
    tables = {name: arrow_table(found[name]) for name in TABLES if name in found}
    return Audit(tables, left_out, made_with)


def _features(matcher: MatchFunction, every: ScoredPairs, differ: ScoredPairs, rows: NDArray[np.int64]) -> _Rows:
    """Finds what moves the scores of the pairs in some rows of those that differ, and what goes together."""
    names, table, trees = matcher.features.names, differ.table[rows], matcher.parts.trees
    moved, raw, known = trees.contributions(table), trees.raw(table), np.isfinite(every.table).mean(0)
    together = correlations(differ.table)
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
            "a": differ.a[i], "b": differ.b[i], "label": int(differ.label[i]),
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


def _errors(matcher: MatchFunction, every: ScoredPairs, differ: ScoredPairs, resampling: Resampling) -> _Rows:
    """Finds how good M is, and where it errs."""
    found = {}
    for name, part in (("all", every), ("not identical", differ)):
        found[name] = measure(part.probability, part.label, part.groups.code, matcher.threshold, resampling=resampling)
    rows = [{"pairs": name, "measure": each, **of[each]} for name, of in found.items() for each in MEASURES]
    return {"measures": rows, "reliability": found["all"]["reliability"], **mistakes(every, matcher.threshold)}
