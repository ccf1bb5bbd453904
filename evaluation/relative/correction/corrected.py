"""A report's section of P, R, RPAD and RRAD corrected for the match function's own errors; see `prediction_powered`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ....errors import InputError, quoted
from ....pages.rows import Row
from ...lists.lists import Lists, Panel
from ...matches.case_matches import CaseMatches
from ...matches.multiplicity import sizes
from ...metrics import REGISTRY
from ...statistics.bootstrap import by_name
from ...statistics.section import Context, Section, metric_row
from .labelled import Labelled, read_labelled
from .prediction_powered import CorrectedRates, corrected_by_cases, corrected_by_pairs

NAME, TITLE = "correction", "Corrected for the match function's own errors"
_SIDES = ("AE mean", "EE mean")
_UNLABELLED, _NO_MATCH, _MATCH = 1, 2, 3
_APART, _MATCHED, _EQUAL = 1, 2, 3

Values = NDArray[np.float64]


def corrected(
    lists: Lists,
    judged: Sequence[Panel],
    pair_of: NDArray[np.integer],
    matches: CaseMatches,
    context: Context,
) -> Section:
    """The section: P and RPAD; R and RRAD too where cases were drawn. `of` begins with "corrected".

    Its tables: compared (each corrected value beside the plain one) and errors (M on the labelled sample).

    Parameters
    ----------
    judged : the algorithms and their panels.
    pair_of : [raters, raters], the number of each pair of raters that some panel compares, in the order (0,1), (0,2),
        …, (1,2), …; -1 for the others.
    matches : M on all these pairs, at k or at longer lists.
    context : with what `read_labelled` reads. Where the denominator is the lists' own lengths, these are not resampled.

    Raises
    ------
    InputError
        For a labelled sample that cannot be right.
    """
    sample = read_labelled(context.labelled, lists)
    met = _pairwise_agreement(lists, matches, context.relative_k, context.denominator)
    columns = _Columns(judged, pair_of)
    order = by_name(lists.cases)
    if sample.cases is None:
        rates = {"P": _by_pairs(met, columns, sample, context, order)}
    else:
        rates = _by_cases(met, columns, sample, lists, context, order)
    plain = {"P": columns.of(met.matched).mean(0), "R": columns.of(met.met).mean(0)}
    section = Section(NAME, TITLE, tables={"compared": [], "errors": [_errors(sample, matches, rates)]})
    for place, panel in enumerate(judged):
        for letter, found in rates.items():
            of_panel = columns.of_panel(place)
            ae, ee = (len(side) for side in columns.sides[place])
            rows = _rows(lists.raters[panel.algorithm], of_panel, (ae, ee, ae + ee), letter, found, context)
            before = of_panel(plain[letter], context.hardness)
            section.rows += rows
            section.tables["compared"] += [_compared(row, float(old)) for row, old in zip(rows, before, strict=True)]
            section.words += _words(rows[-1], float(before[-1]), context)
    section.notes = _notes(sample, section.tables["errors"][0])
    return section


@dataclass(frozen=True)
class _PairwiseAgreement:
    """By case and pair of raters.

    matched, equal, unequal : float64 [n, m], the places that M matches, those of two equal strings, and those of two
        different ones, each over what P divides by, so that P is the mean of `matched`.
    met : float64 [n, m], chi by M.
    area : float64 [m], what P divides by, per case. matches : of lists cut to k.
    """

    matched: NDArray[np.float64]
    equal: NDArray[np.float64]
    unequal: NDArray[np.float64]
    met: NDArray[np.float64]
    area: NDArray[np.float64]
    matches: CaseMatches

    @property
    def same(self) -> NDArray[np.bool_]:
        """bool [u], which pairs are two equal strings."""
        return np.equal(*np.divmod(self.matches.codes, len(self.matches.strings)))


def _pairwise_agreement(lists: Lists, matches: CaseMatches, k: int, denominator: str) -> _PairwiseAgreement:
    """Of the pairs of raters that `matches` compares, in lists cut to k."""
    matches = matches.top(k)
    n, m = len(matches.entries), len(matches.first)
    area = np.full(m, float(k * k))
    if denominator == "observed":
        area = sizes(lists.lengths, matches.first, matches.second, k).mean(0)
    matched, equal, unequal, met = (np.zeros((n, m)) for _ in range(4))
    made = _PairwiseAgreement(matched, equal, unequal, met, area, matches)
    kind = np.where(made.same, _EQUAL, np.where(matches.verdicts, _MATCHED, _APART)).astype(np.int8)
    for cases, compared in matches.compared(kind):
        equal[cases] = (compared == _EQUAL).sum((-2, -1)) / area
        matched[cases] = (compared >= _MATCHED).sum((-2, -1)) / area
        unequal[cases] = (compared > 0).sum((-2, -1)) / area - equal[cases]
        met[cases] = (compared >= _MATCHED).any((-2, -1))
    return made


class _Columns:
    """The columns that are corrected: each pair of raters, then for each panel the mean over AE and over EE.

    A mean is corrected as one column, since few labelled pairs may stand between two given raters.
    """

    def __init__(self, judged: Sequence[Panel], pair_of: NDArray[np.integer]) -> None:
        self.pairs = int(pair_of.max()) + 1
        self.sides = [panel.pairs(pair_of) for panel in judged]

    def of(self, values: Values) -> Values:
        """[..., m] -> [..., m + 2 panels]."""
        means = [values[..., side].mean(-1, keepdims=True) for sides in self.sides for side in sides]
        return np.concatenate([values, *means], -1)

    def of_panel(self, panel: int) -> Any:
        """A function (rates [..., columns], hardness) -> [3, ...]: mean AE, mean EE, and RPAD or RRAD."""
        ae, ee = self.sides[panel]
        at = self.pairs + 2 * panel

        def values(rates: Values, hardness: float) -> Values:
            above, below = hardness * rates[..., at], hardness * rates[..., at + 1]
            if hardness < 1:
                above = above + (1 - hardness) * rates[..., ae].max(-1)
                below = below + (1 - hardness) * rates[..., ee].min(-1)
            ratio = np.divide(above, below, out=np.full(np.shape(above), np.nan), where=below > 0)
            return np.stack([rates[..., at], rates[..., at + 1], ratio])

        return values


def _by_pairs(
    met: _PairwiseAgreement, columns: _Columns, sample: Labelled, context: Context, order: NDArray[np.integer]
) -> CorrectedRates:
    at, known = sample.among(met.matches.codes)
    pairs = len(met.area)
    held = np.zeros((len(sample.codes) + 1, pairs))
    for _, compared in met.matches.compared(np.where(known, at + 1, 0).astype(np.int32)):
        flat = compared.astype(np.int64) * pairs + np.arange(pairs)[:, None, None]
        held += np.bincount(flat.ravel(), minlength=held.size).reshape(held.shape)
    weighted = columns.of(held[1:] / met.area) * sample.weights[:, None]
    used = weighted.any(1)
    if used.sum() < 2:
        raise InputError(
            f"fewer than two labelled pairs stand face to face at k = {context.relative_k}", source=sample.source
        )
    return corrected_by_pairs(
        columns.of(met.matched), columns.of(met.equal), columns.of(met.unequal), weighted[used],
        sample.labels[used].astype(float), sample.verdicts(met.matches)[used].astype(float),
        repeats=context.repeats, seed=context.seed, order=order,
    )  # fmt: skip


def _by_cases(
    met: _PairwiseAgreement,
    columns: _Columns,
    sample: Labelled,
    lists: Lists,
    context: Context,
    order: NDArray[np.integer],
) -> dict[str, CorrectedRates]:
    assert sample.cases is not None
    if len(sample.cases) < 2:
        raise InputError("fewer than two cases are labelled", source=sample.source, allowed="a random sample of cases")
    at, known = sample.among(met.matches.codes)
    kind = np.where(known, np.where(sample.labels[at], _MATCH, _NO_MATCH), _UNLABELLED)
    kind = np.where(met.same, _MATCH, kind).astype(np.int8)
    shared, joint = (np.full(met.matched.shape, np.nan) for _ in "12")
    drawn = replace(met.matches, entries=met.matches.entries[sample.cases])
    for block, compared in drawn.compared(kind):
        cases = sample.cases[block]
        if (compared == _UNLABELLED).any():
            raise _not_labelled(met, sample, lists, cases, compared == _UNLABELLED)
        matched = compared == _MATCH
        shared[cases] = matched.sum((-2, -1)) / met.area
        joint[cases] = matched.any((-2, -1))
    sides = {"P": (met.matched, shared), "R": (met.met, joint)}
    return {
        letter: corrected_by_cases(
            columns.of(by_m), columns.of(by_experts), repeats=context.repeats, seed=context.seed, order=order
        )
        for letter, (by_m, by_experts) in sides.items()
    }


def _not_labelled(
    met: _PairwiseAgreement, sample: Labelled, lists: Lists, cases: NDArray[np.intp], missing: NDArray[np.bool_]
) -> InputError:
    case, pair, p, q = (int(where[0]) for where in np.nonzero(missing))
    entries, raters = met.matches.entries[cases[case]], (met.matches.first[pair], met.matches.second[pair])
    one, other = (lists.strings[entries[rater, place]] for rater, place in zip(raters, (p, q), strict=True))
    return InputError(
        f"the case {quoted(lists.cases[cases[case]])} is not labelled in full: {quoted(one)} with {quoted(other)} is missing",
        source=sample.source, allowed="every pair of a case that it names, or no column case_id",
    )  # fmt: skip


def _rows(
    algorithm: str, of_panel: Any, pairs: tuple[int, ...], letter: str, found: CorrectedRates, context: Context
) -> list[Row]:
    rate = {"P": "precision_at_k", "R": "recall_at_k"}[letter]
    values, repeats = of_panel(found.data, context.hardness), of_panel(found.repeats, context.hardness)
    parts = (rate, rate, f"r{letter.lower()}ad"), (*(f"corrected {side}" for side in _SIDES), "corrected")
    why = "no labelled pair stands between them" if np.isnan(found.data).any() else "the experts' part is not above 0"
    return [
        metric_row(
            algorithm, name, value, again, context, of=of, k=context.relative_k,
            hardness=context.hardness if name.endswith("ad") else None, n_pairs=behind, reason=why,
        )
        for name, of, value, again, behind in zip(*parts, values, repeats, pairs, strict=True)
    ]  # fmt: skip


def _compared(row: Row, before: float) -> Row:
    keep = ("algorithm", "name", "value", "low", "high", "reason")
    return {**{name: row[name] for name in keep}, "by_the_match_function": None if np.isnan(before) else before}


def _errors(sample: Labelled, matches: CaseMatches, rates: Mapping[str, CorrectedRates]) -> Row:
    """M on the labelled pairs that the lists put face to face; the trust in M, lambda, for P and for R."""
    used = np.isin(sample.codes, matches.codes)
    labels, verdicts = sample.labels[used], sample.verdicts(matches)[used]
    return {
        "labelled": int(used.sum()),
        "elsewhere": sample.elsewhere + int((~used).sum()),
        "cases": None if sample.cases is None else len(sample.cases),
        "matches": int(labels.sum()),
        "missed": int((labels & ~verdicts).sum()),
        "false_matches": int((~labels & verdicts).sum()),
        **{f"lambda_{letter}": found.tuning for letter, found in rates.items()},
    }


def _words(row: Row, before: float, context: Context) -> list[str]:
    if row["value"] is None or np.isnan(before):
        return []
    interval = "" if row["low"] is None else f" [{row['low']:.3f}, {row['high']:.3f}]"
    name = REGISTRY["rpad" if row["metric"] == "RPAD" else "rrad"].printed(context.relative_k, context.hardness)
    return [
        f"Corrected for the match function's errors, {row['algorithm']} reaches {name} {row['value']:.3f}{interval}; "
        f"uncorrected {before:.3f}."
    ]


def _notes(sample: Labelled, errors: Row) -> list[str]:
    drawn = "a random sample of pairs" if sample.cases is None else f"{errors['cases']:,} cases drawn at random"
    notes = [
        f"The correction rests on {errors['labelled']:,} labelled pairs, taken as {drawn}: of {errors['matches']:,} matches "
        f"M missed {errors['missed']:,}, and it found {errors['false_matches']:,} that are none."
    ]
    if sample.cases is None:
        notes.append("R and RRAD are not corrected: that needs cases labelled in full (a column case_id).")
    if errors["elsewhere"]:
        notes.append(
            f"Labelled pairs that never stand face to face in the lists and were left out: {errors['elsewhere']:,}."
        )
    return notes
