"""The audit of a match function: what it relies on, how good it is, where it errs."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from functools import partial
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError, OptionError
from ..evaluation.read.findings import Finding
from ..matcher.match_function import MatchFunction
from ..matcher.policy import SPECIFICATION
from ..pages.rows import Row, arrow_table
from ..stats.resampling import group_draws
from ..training.correlated import check_drop_correlated, correlated
from ..training.statistics.correlation import correlations
from ..training.statistics.measure import MEASURES, measure
from ..training.statistics.split import grouped_folds
from .families import families, family_of, label_of
from .mistakes import mistakes
from .permutation import LEVEL, Losses, Resamples
from .result import TABLES, Audit
from .scored_pairs import MIN_PAIRS, ScoredPairs, score_pairs
from .voters import alone_rows, check_voters, voter_rows

if TYPE_CHECKING:
    pass

_WITHOUT = "trained without"
_MIN_RESAMPLES = 20
_BINS = 40


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
    drop_correlated: float | None = None,
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
    sample : the most pairs whose contributions are computed, drawn so that both labels keep their shares.
    repeats : shuffles of each feature.
    bootstrap : resamples behind each interval.
    retrain : also train without each family of features, cross-validated on these pairs in `folds` folds of references.
    folds : of references; also of the thresholds of each feature alone, and of the choice of voters.
    voters : also which so many votes of language models decide best, by themselves and together.
    drop_correlated : with `retrain`, also train without the features whose Spearman correlation with a better one is that strong,
        in (0, 1]; those of `training.correlated`.
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
    alone = "given together with 'retrain', which trains without them"
    for name, allowed, value, holds in (
        ("matcher", f"an M under the policy {SPECIFICATION}", matcher.policy, matcher.policy == SPECIFICATION),
        ("sample", f"{MIN_PAIRS} or more", sample, sample >= MIN_PAIRS),
        ("bootstrap", f"{_MIN_RESAMPLES} or more", bootstrap, bootstrap >= _MIN_RESAMPLES),
        ("repeats", f"from 1 to {bootstrap}, the resamples", repeats, 1 <= repeats <= bootstrap),
        ("drop_correlated", alone, drop_correlated, retrain or drop_correlated is None),
    ):
        if not holds:
            raise OptionError(name, allowed, value)
    check_drop_correlated(drop_correlated)
    check_voters(voters, matcher.features)
    every = score_pairs(matcher, pairs, a=a, b=b, label=label, group=group, rejects=rejects, progress=progress)
    audited = _Audited(matcher, every, sample, repeats, bootstrap, retrain, folds, voters, drop_correlated, seed)
    rows: dict[str, list[Row]] = {}
    steps = list(audited.steps())
    for done, step in enumerate(steps, 1):
        for table, found in step().items():
            rows.setdefault(table, []).extend(found)
        if progress is not None:
            progress(done, len(steps))
    tables = {name: arrow_table(rows[name]) for name in TABLES if name in rows}
    return Audit(tables, audited.findings(), audited.left_out(), audited.made_with())


_Step = Callable[[], dict[str, list[Row]]]
"""Computes rows of tables, by the name of each."""


@dataclass
class _Audited:
    """Computes what an audit finds, step by step. every : all pairs. The rest is as the parameters of `audit`."""

    matcher: MatchFunction
    every: ScoredPairs
    most: int
    repeats: int
    bootstrap: int
    retrain: bool
    folds: int
    voters: int | None
    drop_correlated: float | None
    seed: int

    def __post_init__(self) -> None:
        self.differ = differ = self.every.take(~self.every.identical)
        labels = set() if differ.label is None else set(differ.label.tolist())
        one_label = "the pairs that differ after normalisation have one label only"
        no_labels = "the pairs have no labels (a column label, or one label_<expert> for each expert)"
        self.unfit = no_labels if differ.label is None else one_label if len(labels) == 1 else ""
        self.fold: NDArray[np.int64] | str = self.unfit
        if differ.label is not None and not self.unfit:
            try:
                self.fold = grouped_folds(differ.groups, differ.label, self.folds, self.seed)
            except InputError as error:
                self.fold = str(error)
        groups = len(differ.groups.names)
        weights = np.vstack([np.ones((1, groups), np.int64), group_draws(groups, self.bootstrap, self.seed)])
        self.losses = Losses(self.matcher, Resamples(differ, weights), not self.unfit, self.fold, self.seed)
        strata = differ.probability >= self.matcher.threshold if differ.label is None else differ.match
        self.sample = differ.sampled(strata, self.most, self.seed)

    def steps(self) -> Iterator[_Step]:
        """Gives every step that the pairs allow."""
        features, fold, resamples = self.matcher.features, self.fold, self.losses.resamples
        yield self._features
        if self.every.label is not None:
            yield self._errors
        if not isinstance(fold, str):
            yield lambda: {"alone": alone_rows(self.matcher, resamples, fold)}
            if (count := self.voters) is not None:
                yield lambda: {"voters": voter_rows(features, resamples, fold, count)}
        each, together = np.random.default_rng(self.seed), np.random.default_rng(self.seed)
        for column, name in enumerate(features.names):
            yield partial(self._loss, "permutation", {"name": name}, self.losses.shuffled, [column], self.repeats, each)
        own = families(features.features)
        losses = [("shuffled", self.losses.shuffled, (self.repeats, together)), ("unknown", self.losses.masked, ())]
        if self.retrain and not self.unfit:
            losses.append((_WITHOUT, self.losses.without, ()))
        for way, compute, given in losses:
            for name, columns in own.items():
                if way != _WITHOUT or len(columns) < len(features.names):
                    yield partial(self._loss, "families", {"name": name, "way": way}, compute, columns, *given)
        if self.drop_correlated is not None and not self.unfit:
            yield partial(self._without_correlated, self.drop_correlated)

    def _loss(self, table: str, known: Row, compute: Callable[..., Row], *given: Any) -> dict[str, list[Row]]:
        return {table: [known | compute(*given)]}

    def _without_correlated(self, limit: float) -> dict[str, list[Row]]:
        assert self.differ.label is not None
        gone = correlated(self.differ.table, self.differ.label, self.matcher.features, limit)
        columns = [self.matcher.features.names.index(one.feature) for one in gone]
        known = {"name": f"correlated, {limit:g} or more", "way": _WITHOUT}
        lost = self._loss("families", known, self.losses.without, columns) if gone else {}
        return {"dropped": [asdict(one) for one in gone], **lost}

    def _features(self) -> dict[str, list[Row]]:
        """What moves the scores, and what goes together."""
        differ, names, sample = self.differ, self.matcher.features.names, self.sample
        moved = self.matcher.contributions(differ.table[sample])
        strength = np.abs(moved[:, :-1]).mean(0).tolist()
        together = correlations(differ.table)
        same = {column: ", ".join(names[i] for i in group) for group in together.redundant() for column in group}
        features: list[Row] = [
            {
                "feature": feature.name, "family": family_of(feature), "label": label_of(feature),
                "known": self.every.coverage[feature.name], "strength": strength[column],
                "share": strength[column] / sum(strength) if any(strength) else None, "same_as": same.get(column, ""),
            }
            for column, feature in enumerate(self.matcher.features.features)
        ]  # fmt: skip
        probability = differ.probability[sample]
        columns = {
            "a": differ.a[sample], "b": differ.b[sample], **({} if differ.label is None else {"label": differ.label[sample]}),
            "match": probability >= self.matcher.threshold, "probability": probability, "raw": differ.raw[sample], "base": moved[:, -1],
            **dict(zip(names, differ.table[sample].T, strict=True)), **dict(zip((f"shap_{name}" for name in names), moved.T, strict=False)),
        }  # fmt: skip
        edges, every = np.linspace(0, 1, _BINS + 1), self.every
        histogram = {"from": edges[:-1], "to": edges[1:], "pairs": np.histogram(every.probability, edges)[0]}
        if every.label is not None:
            histogram["matches"] = np.histogram(every.probability[every.match], edges)[0]
            histogram["others"] = histogram["pairs"] - histogram["matches"]
        pairs = [
            {"first": names[i], "second": names[j], "spearman": float(together.spearman[i, j]), "pearson": float(together.pearson[i, j]),
             "pairs": int(together.pairs[i, j])}
            for place, i in enumerate(together.order) for j in together.order[place:]
        ]  # fmt: skip
        features.sort(key=lambda row: -row["strength"])
        return {
            "features": features,
            "contributions": _rows(columns),
            "correlations": pairs,
            "histogram": _rows(histogram),
        }

    def _errors(self) -> dict[str, list[Row]]:
        """How good M is, and where it errs."""
        threshold, rows, curves = self.matcher.threshold, [], []
        for name, part in (("all", self.every), ("not identical", self.differ)):
            assert part.label is not None
            found = measure(
                part.probability, part.label, part.groups.code, threshold, repeats=self.bootstrap, seed=self.seed
            )
            rows += [{"pairs": name, "measure": each, **found[each]} for each in MEASURES]
            curves.append(found["reliability"])
        wrong = mistakes(self.every, threshold, self.matcher.features.language)
        return {"measures": rows, "reliability": curves[0], **wrong}

    def left_out(self) -> dict[str, str]:
        """Says what could not be found, and why."""
        folds = self.fold if isinstance(self.fold, str) else ""
        reasons = {
            "how good it is and where it errs": self.unfit if self.every.label is None else "",
            "what permuted features cost": self.unfit,
            "what each feature says alone": folds,
            "which voters decide best": "" if self.voters is None else folds,
            "training without a family": self.unfit if self.retrain else "",
        }
        return {what: why for what, why in reasons.items() if why}

    def findings(self) -> list[Finding]:
        """Says what the reader should know."""
        said = []
        for name, column in zip(self.matcher.features.names, self.differ.table.T, strict=True):
            values = np.unique(column[np.isfinite(column)])
            if len(values) < 2:
                constant = f"{values[0]:g} wherever it is known" if len(values) else "unknown for every pair"
                said.append(f"the feature {name} is {constant}: nothing here says what it is worth.")
        if not self.unfit:
            said.append(
                "what is measured holds for pairs that M was not trained on. On its training pairs every figure is too good."
            )
        return [Finding("origin", example=words) for words in said]

    def made_with(self) -> dict[str, Any]:
        """Gives settings and counts."""
        matcher, every, losses = self.matcher, self.every, self.losses
        before, again = (
            None if self.unfit else losses.before,
            losses.retrained if self.retrain and not self.unfit else None,
        )
        quality, retrained = (
            one and {"average_precision": float(one["ap"][0]), "f1": float(one["f1"][0])} for one in (before, again)
        )
        return {
            "model": matcher.identity, "threshold": matcher.threshold,
            "raw_threshold": matcher.scorer.calibration.inverse(matcher.threshold), "source": Path(every.source).name,
            "pairs": len(every.a), "matches": None if every.label is None else int(every.match.sum()),
            "references": len(every.groups.names), "identical": int(every.identical.sum()), "rejected": every.n_rejected,
            "sample": len(self.sample), "sampled_of": len(self.differ.a), "members": len(matcher.scorer.members),
            "repeats": self.repeats, "bootstrap": self.bootstrap, "level": LEVEL, "folds": self.folds,
            "drop_correlated": self.drop_correlated, "seed": self.seed, "quality": quality, "retrained": retrained,
            "versions": {library: metadata.version(library) for library in ("dxmatch", "lightgbm", "numpy")},
        }  # fmt: skip


def _rows(columns: dict[str, Any]) -> list[Row]:
    return [
        dict(zip(columns, row, strict=True)) for row in zip(*(own.tolist() for own in columns.values()), strict=True)
    ]
