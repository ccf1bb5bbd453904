"""The audit of a match function: what it relies on, how good it is, where it errs."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import partial
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import InputError, OptionError
from ..matcher.match_function import MatchFunction
from ..matcher.policy import SPECIFICATION
from ..pages.figure import Row
from ..pages.rows import arrow_table
from ..training.correlated import check_drop_correlated, correlated
from ..training.statistics.correlation import correlations
from ..training.statistics.measure import group_draws
from ..training.statistics.split import grouped_folds
from .alone import Decisions, alone_rows
from .contributions import Contributions, sampled_rows
from .families import families
from .findings import findings
from .leave_family_out import LeaveFamilyOut
from .mistakes import mistakes
from .permutation import LEVEL, Disturbed, Quality, lost, quality
from .result import Audit
from .results.audit_tables import TABLES
from .scored_pairs import MIN_PAIRS, ScoredPairs, score_pairs
from .tables import contribution_rows, correlation_rows, feature_rows, histogram_rows, measure_rows
from .voters import check_voters, voter_rows

_NO_LABELS = "the pairs have no labels (a column label, or one label_<expert> for each expert)"
_ONE_LABEL = "the pairs that differ after normalisation have one label only"
_NOT_ASKED = "not asked for (the option 'retrain')"
_ALONE = "what each feature says alone"
_MIN_RESAMPLES = 20


@dataclass(frozen=True)
class _Settings:
    """As the parameters of `audit`."""

    sample: int
    repeats: int
    bootstrap: int
    retrain: bool
    folds: int
    seed: int
    voters: int | None = None
    drop_correlated: float | None = None

    def __post_init__(self) -> None:
        if self.sample < MIN_PAIRS:
            raise OptionError("sample", f"{MIN_PAIRS} or more", self.sample)
        if self.bootstrap < _MIN_RESAMPLES:
            raise OptionError("bootstrap", f"{_MIN_RESAMPLES} or more", self.bootstrap)
        if not 1 <= self.repeats <= self.bootstrap:
            raise OptionError("repeats", f"from 1 to {self.bootstrap}, the resamples", self.repeats)
        check_drop_correlated(self.drop_correlated)
        if self.drop_correlated is not None and not self.retrain:
            raise OptionError(
                "drop_correlated", "given together with 'retrain', which trains without them", self.drop_correlated
            )


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
    if matcher.policy != SPECIFICATION:
        raise OptionError("matcher", f"an M under the policy {SPECIFICATION}", matcher.policy)
    settings = _Settings(sample, repeats, bootstrap, retrain, folds, seed, voters, drop_correlated)
    check_voters(voters, matcher.features)
    every = score_pairs(matcher, pairs, a=a, b=b, label=label, group=group, rejects=rejects, progress=progress)
    audited = _Audit(matcher, every, settings)
    for done, step in enumerate(audited.steps, 1):
        step()
        if progress is not None:
            progress(done, len(audited.steps))
    return audited.result()


class _Audit:
    """The steps of an audit, and what they have found.

    every, differ : all pairs, and those that differ after normalisation, on which the trees are asked.
    """

    def __init__(self, matcher: MatchFunction, every: ScoredPairs, settings: _Settings) -> None:
        self.matcher, self.every, self.settings = matcher, every, settings
        self.differ = differ = every.take(~every.identical)
        self.labelled = differ.label is not None and len(set(differ.label.tolist())) == 2
        self.rows: dict[str, list[Row]] = {"permutation": [], "families": []}
        decided = differ.probability >= matcher.threshold
        self.draws = group_draws(len(differ.groups.names), settings.bootstrap, settings.seed)
        self.whole = quality(matcher.ranked(differ.table), decided, differ, self.draws) if self.labelled else None
        self.retrained: Quality | None = None
        self.no_folds = ""
        strata = decided if differ.label is None else differ.label == 1
        self.sample = sampled_rows(strata, settings.sample, settings.seed)
        self.steps = [self._features, self._errors, *self._deciders(), *self._losses()]

    def _losses(self) -> list[Callable[[], None]]:
        """A step for each feature and family that is disturbed."""
        names, columns = self.matcher.features.names, families(self.matcher.features.features)
        disturbed = Disturbed(self.matcher, self.differ, self.whole, self.draws)
        repeats, seed = self.settings.repeats, self.settings.seed
        each, together = np.random.default_rng(seed), np.random.default_rng(seed)

        def row(table: str, compute: Callable[[], Row], **known: str) -> Callable[[], None]:
            return lambda: self.rows[table].append(known | compute())

        steps = [
            row("permutation", partial(disturbed.shuffled, [column], repeats, each), name=name)
            for column, name in enumerate(names)
        ]
        for name, own in columns.items():
            steps.append(
                row("families", partial(disturbed.shuffled, own, repeats, together), name=name, way="shuffled")
            )
        for name, own in columns.items():
            steps.append(row("families", partial(disturbed.masked, own), name=name, way="unknown"))
        if self.settings.retrain and self.labelled:
            training = LeaveFamilyOut(self.matcher, self.differ, self.draws, self.settings.folds, seed)
            steps.append(lambda: setattr(self, "retrained", training.without(())))
            for name, own in columns.items():
                if len(own) < len(names):
                    without = partial(self._loss_without, training, own)
                    steps.append(row("families", without, name=name, way="trained without"))
            if self.settings.drop_correlated is not None:
                steps.append(lambda: self._without_correlated(training))
        return steps

    def _without_correlated(self, training: LeaveFamilyOut) -> None:
        limit, label = self.settings.drop_correlated, self.differ.label
        assert limit is not None and label is not None
        gone = correlated(self.differ.table, label, self.matcher.features, limit)
        self.rows["dropped"] = [asdict(one) for one in gone]
        if gone:
            columns = [self.matcher.features.names.index(one.feature) for one in gone]
            known = {"name": f"correlated, {limit:g} or more", "way": "trained without"}
            self.rows["families"].append(known | self._loss_without(training, columns))

    def _deciders(self) -> list[Callable[[], None]]:
        """Each feature alone, and the choice of voters, where the pairs allow it."""
        if not self.labelled:
            return []
        assert self.differ.label is not None
        try:
            fold = grouped_folds(self.differ.groups, self.differ.label, self.settings.folds, self.settings.seed)
        except InputError as error:
            self.no_folds = str(error)
            return []
        of, count = Decisions(self.differ, fold, self.draws), self.settings.voters

        def alone() -> None:
            self.rows["alone"] = alone_rows(self.matcher, of)

        def voters() -> None:
            assert count is not None
            self.rows["voters"] = voter_rows(self.matcher.features, of, count)

        return [alone] if count is None else [alone, voters]

    def _features(self) -> None:
        shap_values = Contributions.of(self.matcher, self.differ.table[self.sample])
        together = correlations(self.differ.table)
        self.rows["features"] = feature_rows(self.matcher, self.every, shap_values, together)
        self.rows["contributions"] = contribution_rows(self.matcher, self.differ, self.sample, shap_values)
        self.rows["correlations"] = correlation_rows(self.matcher, together)

    def _errors(self) -> None:
        every, threshold, settings = self.every, self.matcher.threshold, self.settings
        self.rows["histogram"] = histogram_rows(every)
        if every.label is not None:
            self.rows |= mistakes(every, threshold, self.matcher.features.language)
            self.rows |= measure_rows(every, self.differ, threshold, settings.bootstrap, settings.seed)

    def _loss_without(self, training: LeaveFamilyOut, columns: list[int]) -> Row:
        assert self.retrained is not None
        return lost(self.retrained, [training.without(columns)])

    def _left_out(self) -> dict[str, str]:
        """What could not be found, and why."""
        out: dict[str, str] = {}
        if self.every.label is None:
            out["how good it is and where it errs"] = _NO_LABELS
        if not self.labelled:
            out["what permuted features cost"] = _NO_LABELS if self.every.label is None else _ONE_LABEL
            out[_ALONE] = out["what permuted features cost"]
        if self.no_folds:
            out[_ALONE] = self.no_folds
        if self.settings.voters is not None and (why := out.get(_ALONE)):
            out["which voters decide best"] = why
        if not self.settings.retrain:
            out["training without a family"] = _NOT_ASKED
        elif not self.labelled:
            out["training without a family"] = out["what permuted features cost"]
        return out

    def _made_with(self) -> dict[str, Any]:
        matcher, every, settings = self.matcher, self.every, self.settings
        return {
            "model": matcher.identity,
            "threshold": matcher.threshold,
            "raw_threshold": matcher.scorer.calibration.inverse(matcher.threshold),
            "source": Path(every.source).name,
            "pairs": len(every),
            "matches": None if every.label is None else int(every.label.sum()),
            "references": len(every.groups.names),
            "identical": len(every) - len(self.differ),
            "rejected": every.n_rejected,
            "sample": len(self.sample),
            "sampled_of": len(self.differ),
            "members": len(matcher.scorer.members),
            "repeats": settings.repeats,
            "bootstrap": settings.bootstrap,
            "level": LEVEL,
            "folds": settings.folds,
            "drop_correlated": settings.drop_correlated,
            "seed": settings.seed,
            "quality": self.whole and {name: float(values[0]) for name, values in self.whole.items()},
            "retrained": self.retrained and {name: float(values[0]) for name, values in self.retrained.items()},
            "versions": {library: metadata.version(library) for library in ("dxmatch", "lightgbm", "numpy")},
        }

    def _notes(self) -> list[str]:
        notes = []
        for name, column in zip(self.matcher.features.names, self.differ.table.T, strict=True):
            values = column[np.isfinite(column)]
            if not len(values):
                notes.append(f"{name} is unknown for every pair: nothing here says what it is worth.")
            elif np.ptp(values) == 0:
                notes.append(f"{name} is {values[0]:g} wherever it is known: nothing here says what it is worth.")
        if self.labelled:
            notes.append(
                "What is measured here holds for pairs that M was not trained on. On its training pairs every figure is too good."
            )
        return notes

    def result(self) -> Audit:
        """After all steps."""
        made = self._made_with()
        tables = {name: arrow_table(self.rows[name]) if name in self.rows else None for name in TABLES}
        words = findings(self.rows, made)
        return Audit(**tables, words=words, notes=self._notes(), left_out=self._left_out(), made_with=made)
