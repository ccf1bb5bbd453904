"""The audit of a match function: what it relies on, how good it is, where it errs."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass
from functools import cached_property, partial
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..errors import DxmatchError, InputError, OptionError
from ..evaluation.read.findings import Finding
from ..matcher.match_function import MatchFunction
from ..matcher.policy import SPECIFICATION
from ..pages.rows import Row, arrow_table, json_rows, plain_number
from ..statistics.resampling import group_draws
from ..training.correlated import check_drop_correlated, correlated
from ..training.statistics.correlation import correlations
from ..training.statistics.measure import MEASURES, measure
from ..training.statistics.split import grouped_folds
from .contents import answer, document_of
from .families import families, family_of, label_of
from .mistakes import mistakes
from .permutation import LEVEL, Losses, Resamples
from .scored_pairs import MIN_PAIRS, ScoredPairs, score_pairs
from .voters import alone_rows, check_voters, voter_rows

if TYPE_CHECKING:
    import pyarrow as pa
    from rich.console import Console

FORMAT = 1
PAGE, NUMBERS = "audit.html", "audit.json"
TABLES = (
    "features", "contributions", "permutation", "families", "alone", "voters", "dropped", "correlations", "histogram", "measures",
    "reliability", "kinds", "worst", "references",
)  # fmt: skip
_WITHOUT = "trained without"
_MIN_RESAMPLES = 20
_BINS = 40


@dataclass(frozen=True, repr=False)
class Audit:
    """What `audit` returns. Each of `tables` is an attribute, too: `audit.features`; None where it could not be made.

    `left_out` says why. What is undefined is null. Log-odds are M's raw ones, before calibration. What rests on the trees looks only
    at pairs that differ after normalisation: the others match without them.

    features : feature, family, label (what it says), known (share of the pairs), strength (mean |contribution|), share (of all strengths),
        same_as (a group of features that say nearly the same, each two of |rho| >= 0.9).
    contributions : a row for each pair of the sample: a, b, label, match, probability, raw, base, and for each feature its
        value and its contribution (`shap_<feature>`).
    permutation : name, flipped (share of decisions that change), and with labels ap_lost, f1_lost, each with _low, _high:
        what shuffling one feature costs.
    families : the same, and `way`, for whole families of features: shuffled, unknown, and where asked for trained without.
    alone : M and each feature as a match function by itself, on the labelled pairs that differ: feature, family, label, rule (as it is,
        from, up to), threshold, known, pairs, matches, and precision, recall, f1, accuracy, each with _low, _high.
    voters : where asked for, which n of m voters to ask: way, n, of, voters, yes (how many of them must say yes), folds (in how many the
        same were chosen), pairs, matches, the measures of `alone`, f1_same_pairs (on the pairs that chose them).
    dropped : where asked for, the features that correlate: feature, like, rho, importance and importance_of_like (average precision alone).
    correlations : first, second, spearman, pearson, pairs (that know both).
    histogram : from, to, pairs, matches, others: how many pairs have which probability.
    measures : pairs ("all", "not identical"), measure, value, low, high.
    reliability : from, to, pairs, mean_probability, matches (share), low, high.
    kinds : error ("missed", "false"), kind, says, pairs, wrong, share.
    worst : error, kind, a, b, reference, probability: the surest errors of each kind.
    references : reference, pairs, matches, missed, false, wrong, share: those with most errors.

    findings : what the reader should know. made_with : settings and counts.
    """

    tables: dict[str, pa.Table]
    findings: list[Finding]
    left_out: dict[str, str]
    made_with: dict[str, Any]

    def __getattr__(self, name: str) -> pa.Table | None:
        if name in TABLES:
            return self.tables.get(name)
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def rows(self, table: str) -> list[Row]:
        """Gives a table as rows; none where it could not be made."""
        return self.tables[table].to_pylist() if table in self.tables else []

    @cached_property
    def words(self) -> list[list[str]]:
        """Says what was found, in groups of sentences."""
        return answer(self)

    @property
    def notes(self) -> list[str]:
        """Says the findings in words."""
        return [one.sentence for one in self.findings]

    def __repr__(self) -> str:
        return "\n".join(line for lines in self.words for line in lines)

    def print(self, console: Console | None = None, *, full: bool = False) -> None:
        """Prints the findings and a line for each feature; `full` prints everything."""
        from ..evaluation.report.terminal import print_document

        print_document(document_of(self, drawn=False), console, full=full)

    def to_dict(self) -> dict[str, Any]:
        """Gives everything as plain values, for JSON."""
        tables = {name: json_rows(table.to_pylist()) for name, table in self.tables.items()}
        return {
            "format": FORMAT, "words": self.words, "notes": self.notes, "left_out": self.left_out, "made_with": self.made_with, "tables": tables,
        }  # fmt: skip

    def save(self, folder: str | os.PathLike[str], *, spreadsheet: bool = False) -> Path:
        """Writes audit.html, audit.json and a CSV for each table, each file whole or not at all; an earlier audit gives way.

        spreadsheet : in a CSV, an apostrophe goes before every text that a spreadsheet would run as a formula.

        Raises
        ------
        DxmatchError
            For a folder that holds something else.
        """
        from ..evaluation.report.page import page
        from ..evaluation.report.report import save_text
        from ..files.atomic import make_folder
        from ..files.tables import write_table

        target = check_folder(folder)
        numbers = json.dumps(self.to_dict(), ensure_ascii=False, allow_nan=False, indent=1, default=plain_number)
        drawn = page(document_of(self, drawn=True))
        make_folder(target)
        # first of all: with it, the folder is an audit that a later one may replace
        save_text(numbers, target / NUMBERS)
        for name in TABLES:
            if name in self.tables:
                write_table(self.tables[name], target / f"{name}.csv", spreadsheet=spreadsheet or None)
            else:
                (target / f"{name}.csv").unlink(missing_ok=True)
        save_text(drawn, target / PAGE)
        return target

    def save_charts(self, folder: str | os.PathLike[str], formats: Iterable[str] = ("png", "svg")) -> list[Path]:
        """Writes every chart of the page as a file of its own, in a folder that is made where it is absent.

        Raises
        ------
        OptionError
            For a format that is neither "png" nor "svg".
        """
        from ..pages.files import save_figures
        from .charts import figures

        return save_figures(figures(self), folder, formats)


def check_folder(folder: str | os.PathLike[str]) -> Path:
    """Refuses a folder that an audit may not be written to, before any long work begins.

    Raises
    ------
    DxmatchError
        For a file, or a folder that holds something other than an audit.
    """
    target = Path(folder)
    if target.exists() and not target.is_dir():
        raise DxmatchError(f"{target} is a file; an audit needs a folder.")
    entries = {entry.name for entry in target.iterdir()} if target.is_dir() else set()
    own = {PAGE, NUMBERS, *(f"{name}.csv" for name in TABLES)} if NUMBERS in entries else set()
    if others := entries - own:
        raise DxmatchError(
            f"{target} holds something else ({min(others)}). Allowed: a new folder, an empty one, or an earlier audit."
        )
    return target


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
