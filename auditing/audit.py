"""The audit of a match function: what it relies on, how good it is, where it errs."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from ..errors import OptionError
from ..matcher.match_function import MatchFunction
from ..pages.figure import Row
from ..pages.rows import arrow_table
from .contributions import contributions, sampled_rows
from .correlation import correlations
from .examined import FEWEST, examine
from .histogram import histogram
from .mistakes import mistakes
from .opened import Opened, check_installed
from .result import Audit
from .retrained import retrained
from .spoilt import Quality, Resamples, decided, masked, quality, shuffled
from .tabled import contribution_rows, correlation_rows, feature_rows, made_with, measure_rows, notes
from .words import findings

SHUFFLED, UNKNOWN, TRAINED_WITHOUT = "shuffled", "unknown", "trained without"
_NO_LABELS = "the pairs have no labels (a column label, or one label_<expert> for each expert)"
_ONE_LABEL = "the pairs that differ after normalisation have one label only"
_FEWEST_RESAMPLES = 20
_NOT_ASKED = "not asked for (--retrain)"


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
    repeats : shuffles of each feature. bootstrap : resamples behind each interval.
    retrain : also train without each family of features, cross-validated on these pairs in `folds` folds of references.
    rejects : a file for rows that cannot be right; without it the first of them is an `InputError`.
    progress : called with (done, total) steps.

    Errors: `MissingExtra` without the extra `explain`; `InputError` for too few pairs, or one label only; `OptionError`.
    """
    check_installed("An audit")
    if sample < FEWEST:
        raise OptionError("sample", f"{FEWEST} or more", sample)
    if bootstrap < _FEWEST_RESAMPLES:
        raise OptionError("bootstrap", f"{_FEWEST_RESAMPLES} or more", bootstrap)
    if not 1 <= repeats <= bootstrap:
        raise OptionError("repeats", f"from 1 to {bootstrap}, the resamples", repeats)
    opened = Opened(matcher)
    read = examine(opened, pairs, a=a, b=b, label=label, group=group, rejects=rejects, progress=progress)
    differ = read.take(~read.identical)
    labelled = differ.label is not None and len(set(differ.label.tolist())) == 2
    left_out: dict[str, str] = {}
    if read.label is None:
        left_out["how good it is and where it errs"] = _NO_LABELS
    if not labelled:
        left_out["what spoilt features cost"] = _NO_LABELS if read.label is None else _ONE_LABEL
    if not (retrain and labelled):
        left_out["training without a family"] = left_out["what spoilt features cost"] if retrain else _NOT_ASKED
    retrain = retrain and labelled

    tick = _Ticks(progress, len(opened.boosters) + (len(opened.names) + len(opened.families)) * repeats + len(opened.families) * (2 if retrain else 1) + retrain)  # fmt: skip
    rows = sampled_rows(differ.label == 1 if differ.label is not None else decided(opened, differ.raw), sample, seed)
    shap_values = contributions(opened, differ.table[rows], tick)
    together = correlations(differ.table)
    resamples = Resamples.of(len(differ.groups.names), bootstrap, seed)
    before: tuple[Quality, Resamples] | None = None
    if labelled:
        before = quality(differ.raw, decided(opened, differ.raw), differ, resamples), resamples
    each = {name: [column] for column, name in enumerate(opened.names)}
    permutation = shuffled(opened, differ, each, before, repeats=repeats, seed=seed, tick=tick)
    families = [
        *_way(SHUFFLED, shuffled(opened, differ, opened.families, before, repeats=repeats, seed=seed, tick=tick)),
        *_way(UNKNOWN, masked(opened, differ, opened.families, before, tick=tick)),
    ]
    again: Quality | None = None
    if retrain:
        again, trained = retrained(opened, differ, resamples, folds=folds, seed=seed, tick=tick)
        families += _way(TRAINED_WITHOUT, trained)

    found: dict[str, list[Row] | None] = {
        "features": feature_rows(opened, read, shap_values, together),
        "contributions": contribution_rows(opened, differ, rows, shap_values),
        "permutation": permutation,
        "families": families,
        "correlations": correlation_rows(opened, together),
        "histogram": histogram(read.probability, read.label),
        **dict.fromkeys(("measures", "reliability", "kinds", "worst", "references")),
    }
    if read.label is not None:
        errors = mistakes(read, matcher.threshold, matcher.features.language)
        found |= {"kinds": errors.by_kind, "worst": errors.worst, "references": errors.references}
        found["measures"], found["reliability"] = measure_rows(read, differ, matcher.threshold, bootstrap, seed)
    made = made_with(opened, read, differ, rows, before, again, repeats, bootstrap, seed)
    return Audit(
        **{name: None if table is None else arrow_table(table) for name, table in found.items()},
        words=findings(found, made),
        notes=notes(opened, differ, labelled),
        left_out=left_out,
        made_with=made,
    )


class _Ticks:
    def __init__(self, progress: Callable[[int, int], None] | None, total: int) -> None:
        self.progress, self.total, self.done = progress, total, 0

    def __call__(self) -> None:
        self.done += 1
        if self.progress is not None:
            self.progress(self.done, self.total)


def _way(way: str, rows: list[Row]) -> list[Row]:
    return [{"name": row["name"], "way": way, **row} for row in rows]
