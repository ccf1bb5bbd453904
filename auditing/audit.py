"""The audit of a match function: what it relies on, how good it is, where it errs."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from ..errors import OptionError
from ..matcher.match_function import MatchFunction
from ..pages.figure import Row
from ..pages.rows import arrow_table
from .contributions import Contributions, sampled_rows
from .correlation import correlations
from .families import families
from .findings import findings
from .histogram import histogram
from .leave_family_out import LeaveFamilyOut
from .mistakes import mistakes
from .permutation import Disturbed, Quality, Resamples, lost, quality
from .result import Audit
from .scored_pairs import MIN_PAIRS, ScoredPairs, score_pairs
from .tables import contribution_rows, correlation_rows, feature_rows, made_with, measure_rows, notes

_NO_LABELS = "the pairs have no labels (a column label, or one label_<expert> for each expert)"
_ONE_LABEL = "the pairs that differ after normalisation have one label only"
_NOT_ASKED = "not asked for (--retrain)"
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

    def __post_init__(self) -> None:
        if self.sample < MIN_PAIRS:
            raise OptionError("sample", f"{MIN_PAIRS} or more", self.sample)
        if self.bootstrap < _MIN_RESAMPLES:
            raise OptionError("bootstrap", f"{_MIN_RESAMPLES} or more", self.bootstrap)
        if not 1 <= self.repeats <= self.bootstrap:
            raise OptionError("repeats", f"from 1 to {self.bootstrap}, the resamples", self.repeats)


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
    seed: int = 0,
    rejects: str | os.PathLike[str] | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Audit:
    """Audits a match function on pairs: contributions, importance, correlation, errors; the source's figures 1 to 3.

    Parameters
    ----------
    pairs : a path or data frame with columns `a` and `b`, with labels (as in `train`) or without; what needs labels is
        left out where there are none. They should be pairs that it was not trained on.
    group : the column of the reference diagnosis, `a` if not given; intervals resample references.
    sample : the most pairs whose contributions are computed, drawn so that both labels keep their shares.
    repeats : shuffles of each feature.
    bootstrap : resamples behind each interval.
    retrain : also train without each family of features, cross-validated on these pairs in `folds` folds of references.
    rejects : a file for rows that cannot be right; without it the first of them is an `InputError`.
    progress : called with (done, total) steps.

    Raises
    ------
    InputError
        For too few pairs, or one label only.
    OptionError
        For a parameter out of range.
    ModelError
        Where the trees lack the counts of training pairs.
    """
    settings = _Settings(sample, repeats, bootstrap, retrain, folds, seed)
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
        self.found: dict[str, list[Row] | None] = {
            "permutation": [],
            "families": [],
            **dict.fromkeys(("measures", "reliability", "kinds", "worst", "references")),
        }
        self.resamples = Resamples.of(len(differ.groups.names), settings.bootstrap, settings.seed)
        self.whole = quality(differ.raw, self._decided, differ, self.resamples) if self.labelled else None
        self.retrained: Quality | None = None
        self.sample = sampled_rows(
            self._decided if differ.label is None else differ.label == 1, settings.sample, settings.seed
        )
        self.steps = self._steps()

    @property
    def _decided(self) -> Any:
        return self.differ.probability >= self.matcher.threshold

    def _steps(self) -> list[Callable[[], None]]:
        names = self.matcher.features.names
        columns = families(self.matcher.features.features)
        disturbed = Disturbed(self.matcher, self.differ, None if self.whole is None else (self.whole, self.resamples))
        repeats, seed = self.settings.repeats, self.settings.seed
        each, together = np.random.default_rng(seed), np.random.default_rng(seed)

        def row(table: str, name: str, way: str | None, compute: Callable[[], Row]) -> Callable[[], None]:
            return lambda: self._rows(table).append(
                {"name": name, **({} if way is None else {"way": way}), **compute()}
            )

        steps: list[Callable[[], None]] = [self._features, self._errors]
        for column, name in enumerate(names):
            steps.append(row("permutation", name, None, partial(disturbed.shuffled, [column], repeats, each)))
        for name, own in columns.items():
            steps.append(row("families", name, "shuffled", partial(disturbed.shuffled, own, repeats, together)))
        for name, own in columns.items():
            steps.append(row("families", name, "unknown", partial(disturbed.masked, own)))
        if self.settings.retrain and self.labelled:
            training = LeaveFamilyOut(self.matcher, self.differ, self.resamples, self.settings.folds, seed)
            steps.append(lambda: setattr(self, "retrained", training.without(())))
            for name, own in columns.items():
                if len(own) < len(names):
                    steps.append(row("families", name, "trained without", partial(self._loss_without, training, own)))
        return steps

    def _rows(self, table: str) -> list[Row]:
        rows = self.found[table]
        assert rows is not None
        return rows

    def _features(self) -> None:
        shap_values = Contributions.of(self.matcher, self.differ.table[self.sample])
        together = correlations(self.differ.table)
        self.found["features"] = feature_rows(self.matcher, self.every, shap_values, together)
        self.found["contributions"] = contribution_rows(self.matcher, self.differ, self.sample, shap_values)
        self.found["correlations"] = correlation_rows(self.matcher, together)

    def _errors(self) -> None:
        every, threshold, settings = self.every, self.matcher.threshold, self.settings
        self.found["histogram"] = histogram(every.probability, every.label)
        if every.label is not None:
            errors = mistakes(every, threshold, self.matcher.features.language)
            self.found |= {"kinds": errors.by_kind, "worst": errors.worst, "references": errors.references}
            measures = measure_rows(every, self.differ, threshold, settings.bootstrap, settings.seed)
            self.found["measures"], self.found["reliability"] = measures

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
        if not self.settings.retrain:
            out["training without a family"] = _NOT_ASKED
        elif not self.labelled:
            out["training without a family"] = out["what permuted features cost"]
        return out

    def result(self) -> Audit:
        """After all steps."""
        made = made_with(
            self.matcher, self.every, self.differ, self.sample, self.whole, self.retrained,
            self.settings.repeats, self.settings.bootstrap, self.settings.seed,
        )  # fmt: skip
        return Audit(
            **{name: None if table is None else arrow_table(table) for name, table in self.found.items()},
            words=findings(self.found, made),
            notes=notes(self.matcher, self.differ, self.labelled),
            left_out=self._left_out(),
            made_with=made,
        )
