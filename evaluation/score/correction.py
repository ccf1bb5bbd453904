"""P, R, RPAD and RRAD corrected for the match function's own errors, from pairs that experts labelled; see `prediction_powered`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import InputError, OptionError, quoted
from ...files.invisible import read_visible
from ...files.pairs import read_pairs
from ...pages.encodings import only
from ...pages.rows import Row
from ..match.judge import place_of
from ..match.matches import Matches
from ..match.pairs import Pairs, PeerMatches
from ..read.findings import Finding
from ..read.lists import Lists
from .declare import Measure
from .panels import Panels, areas
from .prediction_powered import CorrectedByCases, CorrectedByPairs
from .relative import relative
from .scores import FamilyScores, Score, Settings, Values

NAME, TITLE = "correction", "Corrected for the match function's own errors"
_UNLABELLED, _NO_MATCH, _MATCH = 1, 2, 3
_APART, _MATCHED, _EQUAL = 1, 2, 3
_COMPARED = ("algorithm", "name", "value", "low", "high", "reason", "by_the_match_function")

Corrected = CorrectedByPairs | CorrectedByCases


def scores(matches: Matches, settings: Settings) -> FamilyScores:
    """Corrects P and RPAD; R and RRAD too where whole cases were drawn.

    The part compared puts each beside the plain value; the table errors is M on the labelled sample. Where the denominator is the
    lists' own lengths, these are not resampled.

    Raises
    ------
    InputError
        For a labelled sample that cannot be right.
    """
    answers, peers, k = matches.answers, matches.peers, settings.relative_k
    assert peers is not None
    if answers.absent.any():
        raise OptionError(
            "panel.labelled", "left out where lists are missing and count as nothing", settings.panel.labelled
        )
    sample = read_labelled(settings.panel.labelled, answers, peers.pairs)
    panels = Panels(answers.raters, peers)
    met = _met(answers, peers.top(k), settings.panel.denominator)
    columns = partial(_with_means, panels)
    found: dict[str, Corrected] = (
        {"P": _by_pairs(met, columns, sample, settings)} if sample.cases is None else _by_cases(met, columns, sample, answers)
    )  # fmt: skip
    plain = {"P": columns(met.matched).mean(0), "R": columns(met.met).mean(0)}
    family = FamilyScores(NAME, TITLE, parts={"compared": []}, shown={"compared": partial(only, keys=_COMPARED)})
    before: dict[tuple[str, str], float] = {}
    for letter, statistic in found.items():
        for score in _corrected(letter, statistic, panels, len(met.met), settings):
            family.scores.append(score)
            values = score.combine(plain[letter][None][:, score.at])[0]
            for at, (algorithm, value) in enumerate(zip(panels.names, values.tolist(), strict=True)):
                one = replace(score, raters=[algorithm], places=score.at[at : at + 1])
                family.parts["compared"].append(
                    replace(one, labels={"by_the_match_function": None if np.isnan(value) else value})
                )
                if score.measure.of == "corrected":
                    before[algorithm, score.measure.symbol] = value
    family.tables["errors"] = [errors := _errors(sample, peers.top(k), found)]
    family.sentences = partial(_sentences, before, settings)
    family.findings = [Finding("family", place=NAME, example=words) for words in _notes(sample, errors)]
    return family


@dataclass(frozen=True)
class Labelled:
    """Labels of s unordered pairs of different strings of the answers.

    codes : int64 [s], ascending, as in `PeerMatches`. labels : bool [s].
    weights : float64 [s], how many pairs of the answers each stands for. elsewhere : labelled pairs that the answers lack.
    cases : int, those that were drawn and labelled in full, or None where pairs were drawn.
    """

    source: str
    codes: NDArray[np.int64]
    labels: NDArray[np.bool_]
    weights: Values
    elsewhere: int
    cases: NDArray[np.intp] | None

    def among(self, codes: NDArray[np.int64]) -> tuple[NDArray[np.intp], NDArray[np.bool_]]:
        """Finds for each of `codes` its place in the sample, and whether it is there at all."""
        at = np.minimum(np.searchsorted(self.codes, codes), len(self.codes) - 1)
        return at, self.codes[at] == codes

    def verdicts(self, peers: PeerMatches) -> NDArray[np.bool_]:
        """Looks up M: bool [s]; False for pairs that it was not asked."""
        return np.isin(self.codes, peers.codes[peers.verdicts])


def read_labelled(source: Any, answers: Lists, asked: Pairs) -> Labelled:
    """Reads a table with the columns a, b and label (0/1, or one column `label_<name>` for each expert).

    Without a column case_id it is a sample of the pairs that the answers put face to face, drawn at random; where pairs had
    unequal chances of being drawn, a column weight holds 1 / chance. With a column case_id it is a sample of cases drawn at
    random, all pairs of each labelled.

    Raises
    ------
    InputError
        For what `read_pairs` refuses, a case that the answers lack, or no pair of the answers at all.
    """
    table = read_visible(source)
    by_case, weighted = ("case_id" in table.names), ("weight" in table.names)
    if by_case and weighted:
        raise InputError(
            "weights go with a sample of pairs", source=table.source, allowed="case_id or weight, not both"
        )
    pairs = read_pairs(table, label="label", weight="weight" if weighted else None)
    assert pairs.label is not None
    index = dict(zip(answers.strings, asked.numbers(answers.strings).tolist(), strict=True))
    a, b = (np.array([index.get(s, -1) for s in side.to_pylist()], np.int64) for side in (pairs.a, pairs.b))
    elsewhere = int(((a < 0) | (b < 0)).sum())
    codes, place = np.unique(np.where(a == b, -1, asked.codes_of(a, b, ordered=False)), return_index=True)
    there = codes >= 0
    if not there.any():
        raise InputError("no labelled pair is made of two diagnoses of the lists", source=table.source)
    cases = None
    if by_case:
        named = enumerate(table.text("case_id").to_pylist())
        cases = np.unique([place_of(table, row, "case_id", name, answers.cases) for row, name in named])
    weights = np.ones(len(pairs)) if pairs.weight is None else pairs.weight
    return Labelled(table.source, codes[there], pairs.label[place][there] > 0, weights[place][there], elsewhere, cases)


@dataclass(frozen=True)
class _Met:
    """What M says of n cases and m pairs of raters.

    matched, equal, unequal : float64 [n, m], the places that M matches, those of two equal strings, and those of two different
        ones, each over what P divides by, so that P is the mean of `matched`.
    met : float64 [n, m], chi. area : float64 [m], what P divides by, per case. peers : of lists cut to k.
    """

    matched: Values
    equal: Values
    unequal: Values
    met: Values
    area: Values
    peers: PeerMatches


def _same(peers: PeerMatches) -> NDArray[np.bool_]:
    return np.equal(*peers.pairs.sides(peers.codes))


def _met(answers: Lists, peers: PeerMatches, denominator: str) -> _Met:
    n, m, k = len(peers.entries), len(peers.first), peers.entries.shape[2]
    area = np.full(m, float(k * k)) if denominator == "nk2" else areas(answers.lengths, peers, k).mean(0)
    matched, equal, unequal, met = (np.zeros((n, m)) for _ in range(4))
    kind = np.where(_same(peers), _EQUAL, np.where(peers.verdicts, _MATCHED, _APART)).astype(np.int8)
    for cases, compared in peers.compared(kind):
        equal[cases] = (compared == _EQUAL).sum((-2, -1)) / area
        matched[cases] = (compared >= _MATCHED).sum((-2, -1)) / area
        unequal[cases] = (compared > 0).sum((-2, -1)) / area - equal[cases]
        met[cases] = (compared >= _MATCHED).any((-2, -1))
    return _Met(matched, equal, unequal, met, area, peers)


def _with_means(panels: Panels, values: Values) -> Values:
    """Adds to the columns of m pairs of raters each panel's means over AE and EE: [..., m] -> [..., m + 2 panels].

    A mean is corrected as one column, since few labelled pairs may stand between two given raters.
    """
    means = [
        values[..., side].mean(-1, keepdims=True) for both in zip(panels.ae, panels.ee, strict=True) for side in both
    ]
    return np.concatenate([values, *means], -1)


def _by_pairs(met: _Met, columns: Callable[[Values], Values], sample: Labelled, settings: Settings) -> CorrectedByPairs:
    at, known = sample.among(met.peers.codes)
    pairs = len(met.area)
    held = np.zeros((len(sample.codes) + 1, pairs))
    for _, compared in met.peers.compared(np.where(known, at + 1, 0).astype(np.int32)):
        flat = compared.astype(np.int64) * pairs + np.arange(pairs)[:, None, None]
        held += np.bincount(flat.ravel(), minlength=held.size).reshape(held.shape)
    weighted = columns(held[1:] / met.area) * sample.weights[:, None]
    used = weighted.any(1)
    if used.sum() < 2:
        raise InputError(
            f"fewer than two labelled pairs stand face to face at k = {settings.relative_k}", source=sample.source
        )
    return CorrectedByPairs(
        columns(met.matched), columns(met.equal), columns(met.unequal), weighted[used],
        sample.labels[used].astype(float), sample.verdicts(met.peers)[used].astype(float), settings.resampling,
    )  # fmt: skip


def _by_cases(met: _Met, columns: Callable[[Values], Values], sample: Labelled, answers: Lists) -> dict[str, Corrected]:
    assert sample.cases is not None
    if len(sample.cases) < 2:
        raise InputError("fewer than two cases are labelled", source=sample.source, allowed="a random sample of cases")
    at, known = sample.among(met.peers.codes)
    kind = np.where(known, np.where(sample.labels[at], _MATCH, _NO_MATCH), _UNLABELLED)
    kind = np.where(_same(met.peers), _MATCH, kind).astype(np.int8)
    shared, joint = (np.full(met.matched.shape, np.nan) for _ in "12")
    drawn = replace(met.peers, entries=met.peers.entries[sample.cases])
    for block, compared in drawn.compared(kind):
        cases = sample.cases[block]
        if (compared == _UNLABELLED).any():
            raise _not_labelled(met.peers, sample, answers, cases, compared == _UNLABELLED)
        shared[cases] = (compared == _MATCH).sum((-2, -1)) / met.area
        joint[cases] = (compared == _MATCH).any((-2, -1))
    sides = {"P": (met.matched, shared), "R": (met.met, joint)}
    return {
        letter: CorrectedByCases(columns(by_m), columns(by_experts)) for letter, (by_m, by_experts) in sides.items()
    }


def _not_labelled(
    peers: PeerMatches, sample: Labelled, answers: Lists, cases: NDArray[np.intp], missing: NDArray[np.bool_]
) -> InputError:
    case, pair, p, q = (int(where[0]) for where in np.nonzero(missing))
    entries, raters = peers.entries[cases[case]], (peers.first[pair], peers.second[pair])
    one, other = (peers.pairs.strings[entries[rater, place]] for rater, place in zip(raters, (p, q), strict=True))
    return InputError(
        f"the case {quoted(answers.cases[cases[case]])} is not labelled in full: {quoted(one)} with {quoted(other)} is missing",
        source=sample.source, allowed="every pair of a case that it names, or no column case_id",
    )  # fmt: skip


def _corrected(letter: str, statistic: Corrected, panels: Panels, n: int, settings: Settings) -> list[Score]:
    """The mean rate with the algorithm, that among experts, and the one over the other."""
    hardness, (_, z), m = settings.panel.hardness, panels.ae.shape, int(panels.pair_of.max()) + 1
    ae = m + 2 * np.arange(len(panels.names))[:, None]
    rate, of_ratio = {"P": ("precision_at_k", "rpad"), "R": ("recall_at_k", "rrad")}[letter]
    unknown = bool(np.isnan(statistic(np.ones((1, n)))).any())
    shared: dict[str, Any] = {
        "raters": panels.names, "cases": np.arange(n), "compared": False, "statistic": statistic,
        "reason": "no labelled pair stands between them" if unknown else "the experts' part is not above 0",
    }  # fmt: skip

    def ratio(means: Values) -> Values:
        of_means = hardness * means[..., :2]
        if hardness < 1:
            of_means[..., 0] += (1 - hardness) * means[..., 2 : 2 + z].max(-1)
            of_means[..., 1] += (1 - hardness) * means[..., 2 + z :].min(-1)
        return relative(of_means[..., :1], of_means[..., 1:], 1.0)

    places = np.concatenate([ae, ae + 1, panels.ae, panels.ee], 1)
    k = settings.relative_k
    return [
        Score(Measure(rate, "corrected AE mean", k), places=ae, n_pairs=z, **shared),
        Score(Measure(rate, "corrected EE mean", k), places=ae + 1, n_pairs=panels.ee.shape[1], **shared),
        Score(Measure(of_ratio, "corrected", k, hardness), places=places, combine=ratio, n_pairs=places.shape[1] - 2, **shared),
    ]  # fmt: skip


def _errors(sample: Labelled, peers: PeerMatches, found: Mapping[str, Corrected]) -> Row:
    """M on the labelled pairs that the lists put face to face; the trust in M, lambda, for P and for R."""
    used = np.isin(sample.codes, peers.codes)
    labels, verdicts = sample.labels[used], sample.verdicts(peers)[used]
    return {
        "labelled": int(used.sum()),
        "elsewhere": sample.elsewhere + int((~used).sum()),
        "cases": None if sample.cases is None else len(sample.cases),
        "matches": int(labels.sum()),
        "missed": int((labels & ~verdicts).sum()),
        "false_matches": int((~labels & verdicts).sum()),
        **{f"lambda_{letter}": one.tuning for letter, one in found.items()},
    }


def _sentences(before: Mapping[tuple[str, str], float], settings: Settings, rows: Sequence[Row]) -> list[str]:
    """Says each corrected ratio beside the plain one."""
    out = []
    for row in rows:
        plain = before.get((row["algorithm"], row["metric"]), np.nan)
        if row["value"] is None or np.isnan(plain):
            continue
        interval = "" if row["low"] is None else f" [{row['low']:.3f}, {row['high']:.3f}]"
        name = Measure(row["metric"], k=settings.relative_k, hardness=settings.panel.hardness).name
        out.append(
            f"Corrected for the match function's errors, {row['algorithm']} reaches {name} {row['value']:.3f}{interval}; "
            f"uncorrected {plain:.3f}."
        )
    return out


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
