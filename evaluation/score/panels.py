"""Each algorithm beside its panel of experts: the relative metrics of an evaluation."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import InputError
from ...pages.encodings import only
from ...stats.agreement import cohen_kappas
from ..match.matches import Matches
from ..match.pairs import MOST_IN_TURN, PeerMatches
from ..read.findings import Finding
from ..read.lists import ALGORITHM, EXPERT, Lists
from .agreement import Categories, categories_of, chains
from .declare import Measure
from .disagreements import disagreement_rows
from .relative import relative, sigma_algorithm, sigma_experts
from .scores import (
    FamilyScores,
    Lacking,
    Score,
    Settings,
    Values,
    counts_in_words,
    mean_of_defined,
    the_mean,
    without_absent,
)

NAME, TITLE = "relative", "Relative to the panel"
_MOVES = 0.05
"""A share that moves what is concluded."""
HARDNESSES = tuple(h / 10 for h in range(11))
_MEASURED = ("value", "low", "high", "undefined_repeats", "reason")
_CURVE = ("algorithm", "metric", "k", "hardness", *_MEASURED)
_PAIR = ("first", "second", "metric", "k", *_MEASURED)
_HOW = {"AE mean": np.mean, "AE max": np.max, "EE mean": np.mean, "EE min": np.min}
_METRIC = {"P": "precision_at_k", "R": "recall_at_k", "kappa": "cohen_kappa"}

Numbers = NDArray[np.integer[Any]]


def scores(matches: Matches, settings: Settings) -> FamilyScores:
    """Compares each algorithm with its panel: P, R, RPAD, RRAD and their spread at every k, kappa of the first diagnoses.

    Parts: curves, over k and hardness; pairs, each two raters that some panel compares, at k. The table disagreements holds the
    cases where an algorithm and its panel differ most, at k.
    """
    answers, k = matches.answers, settings.relative_k
    if (peers := matches.peers) is None:
        raise Lacking(matches.no_panel)
    mu, panels = multiplicities(peers), Panels(answers.raters, peers)
    absent = answers.absent
    gone = absent[:, peers.first] | absent[:, peers.second]
    if apart := np.flatnonzero(gone.all(0)).tolist():
        one, other = (answers.raters[side[apart[0]]] for side in (peers.first, peers.second))
        raise Lacking(f"a case that both {one} and {other} have a list for")
    rates = list(_rates(peers, mu, answers.lengths, settings.panel.denominator, gone))
    categories = categories_of(peers)
    kappa = _kappa(peers, categories, absent)
    at_k = without_absent(mu[k - 1], gone)
    found = FamilyScores(NAME, TITLE, parts={"curves": [], "pairs": []}, per_case=_per_case(panels, at_k))
    found.shown = {"curves": partial(only, keys=_CURVE), "pairs": partial(only, keys=_PAIR)}
    for rate in rates:
        low = rate.letter.lower()
        of_rate = _sides(rate, panels, compared=rate.k == k)
        for metric, hardness in ((f"{low}_opt", 0.0), (f"{low}_avg", 1.0), (f"r{low}ad", settings.panel.hardness)):
            of_rate.append(_ratio(rate, panels, metric, hardness, compared=metric[-2:] == "ad" and rate.k == k))
        if rate.k == k and settings.panel.hardness == 1 and not len(rate.below) and not gone.any():
            met = mu[k - 1] if rate.letter == "P" else mu[k - 1] > 0
            sums = np.concatenate([met[:, pairs].sum(-1, dtype=np.int64) for pairs in (panels.ae, panels.ee)], 1)
            of_rate = [_on_sums(one, panels, sums, rate.scale) if one.compared else one for one in of_rate]
        found.scores += [*of_rate, *_spreads(rate, panels)]
    found.scores += [*_sides(kappa, panels, reason=_why_no_kappa(kappa, panels)), *_spreads(kappa, panels)]
    hardnesses = sorted({*HARDNESSES, settings.panel.hardness})
    for rate in sorted(rates, key=lambda rate: rate.letter):
        found.parts["curves"] += [_ratio(rate, panels, f"r{rate.letter.lower()}ad", h) for h in hardnesses]
    named = [(answers.raters[i], answers.raters[j]) for i, j in zip(peers.first, peers.second, strict=True)]
    for rate in [*(rate for rate in rates if rate.k == k), kappa]:
        found.parts["pairs"] += [_of_pair(rate, pair, *both) for pair, both in enumerate(named)]
    found.tables["disagreements"] = disagreement_rows(matches, panels.ae, panels.ee, at_k, k)
    found.findings = [*_short_lists(answers, k, settings.panel.denominator), chains("Kappa", categories)]
    found.findings += [
        *_unlike_lengths(answers, peers, at_k, panels, k),
        *_named_twice(answers.raters, peers.top(k)),
    ]
    return found


def panels_of(lists: Lists, in_turn: bool = False) -> Sequence[Sequence[int]]:
    """One panel for each algorithm.

    With `in_turn`, each algorithm (each rater, where none is named) is judged by all the others.

    Raises
    ------
    InputError
        Where there is no algorithm, fewer than two experts, or too many raters in turn.
    """
    roles = lists.roles or ("",) * len(lists.raters)
    everyone = range(len(roles))
    algorithms = [i for i in everyone if roles[i] == ALGORITHM] or (everyone if in_turn else [])
    if in_turn and len(algorithms) > MOST_IN_TURN:
        allowed = f"at most {MOST_IN_TURN}, named in the option 'algorithms'"
        raise InputError(
            "too many raters to judge each in turn", source=lists.source, allowed=allowed, got=len(algorithms)
        )
    made = [[a, *(i for i in everyone if i != a and (in_turn or roles[i] == EXPERT))] for a in algorithms]
    if not made:
        allowed = "a column 'role' that says so, the algorithms named, or each rater in turn"
        raise InputError("no rater is an algorithm", source=lists.source, allowed=allowed, got=lists.raters)
    if len(made[0]) < 3:
        allowed = "at least two experts: the algorithm is measured by how well experts agree with each other"
        got = [lists.raters[i] for i in made[0][1:]]
        raise InputError("fewer than two experts", source=lists.source, allowed=allowed, got=got)
    return made


class Panels:
    """The algorithms and their experts, and the pairs of raters that each is made of; all panels are of one size.

    pair_of : int [raters, raters], numbers of the pairs of raters that are compared, -1 for the others.
    numbers : int [A, raters of the panel], places among all raters, the algorithm first. ae : int [A, z], pairs of the algorithm with
    each expert. ee : int [A, z(z-1)/2], each two experts, in the order (1,2), (1,3), …, (2,3), ….
    """

    def __init__(self, raters: list[str], peers: PeerMatches) -> None:
        self.raters, self.numbers = raters, np.array(peers.panels)
        self.names = [self.raters[algorithm] for algorithm, *_ in peers.panels]
        self.pair_of = np.full((len(self.raters), len(self.raters)), -1)
        self.pair_of[peers.first, peers.second] = self.pair_of[peers.second, peers.first] = np.arange(len(peers.first))
        algorithm, experts = self.numbers[:, :1], self.numbers[:, 1:]
        i, j = np.triu_indices(experts.shape[1], 1)
        self.ae, self.ee = self.pair_of[algorithm, experts], self.pair_of[experts[:, i], experts[:, j]]

    def experts(self, panel: int) -> list[str]:
        """Names the experts of one panel."""
        return [self.raters[i] for i in self.numbers[panel, 1:]]


def multiplicities(peers: PeerMatches) -> NDArray[np.unsignedinteger[Any]]:
    """Counts mu of each pair of raters in each case, for every k at once: the places of both lists that match.

    Returns uint8 (uint16 from K = 16 on) [K, n, m]; `[k - 1]` belongs to lists cut to k.
    """
    n, _, width = peers.entries.shape
    mu = np.empty((width, n, len(peers.first)), np.uint8 if width * width < 2**8 else np.uint16)
    diagonal = np.arange(width)
    for cases, matched in peers.compared():
        up_to = matched.cumsum(-1, dtype=mu.dtype).cumsum(-2, dtype=mu.dtype)
        mu[:, cases] = np.moveaxis(up_to[..., diagonal, diagonal], -1, 0)
    return mu


def areas(lengths: Numbers, peers: PeerMatches, k: int) -> NDArray[np.int64]:
    """Multiplies the two lists' own lengths, each cut to k: int64 [n, m]. lengths : [n, raters]."""
    cut = np.minimum(lengths, k).astype(np.int64)
    return cut[:, peers.first] * cut[:, peers.second]


@dataclass(frozen=True)
class _Rate:
    """P@k, R@k or kappa of m pairs of raters, as a function of columns of means over n cases.

    source : the values or the statistic of its scores. at : int [m], the column of each pair. below : int [m], the columns that these
    are divided by, () without; scale : the number that they are divided by then. never : bool [m], where the value is always 0.
    """

    letter: str
    k: int | None
    source: Mapping[str, Any] = field(repr=False)
    at: Numbers
    below: Numbers
    scale: int
    never: NDArray[np.bool_]

    def score(
        self, metric: str, raters: Sequence[str], pairs: Numbers, combine: Callable[[Values], Values], of: str = "",
        hardness: float | None = None, **more: Any,
    ) -> Score:  # fmt: skip
        """Makes a score of the rates of some pairs. pairs : int [r, c]. combine : rates [..., r, c] -> [..., r]."""

        def combined(means: Values) -> Values:
            if not len(self.below):
                return combine(means / self.scale)
            met, area = np.split(means, 2, -1)
            return combine(met / area)

        places = np.concatenate([self.at[pairs], self.below[pairs]], -1) if len(self.below) else self.at[pairs]
        measure = Measure(metric, of, self.k, hardness)
        return Score(measure, raters, places=places, combine=combined, **self.source, **more)


def _rates(
    peers: PeerMatches,
    mu: NDArray[np.unsignedinteger[Any]],
    lengths: Numbers,
    denominator: str,
    gone: NDArray[np.bool_],
) -> Iterator[_Rate]:
    """P and R at every k, in the cases in which neither rater's list is `gone`, bool [n, m]. All are columns of one array, whose means are computed once: mu, chi, and the lists' own areas."""
    widest, n, m = mu.shape
    parts = [*mu, *(mu > 0)]
    if denominator == "observed":
        parts += [areas(lengths, peers, k + 1).astype(mu.dtype) for k in range(widest)]
    values = without_absent(np.concatenate(parts, 1, dtype=mu.dtype), np.tile(gone, len(parts)))
    source = {"values": values, "cases": np.arange(n)}
    for k in range(widest):
        at, none, never = np.arange(m) + k * m, np.arange(0), ~mu[k].any(0)
        below = at + 2 * widest * m if denominator == "observed" else none
        yield _Rate("P", k + 1, source, at, below, (k + 1) ** 2, never)
        yield _Rate("R", k + 1, source, at + widest * m, none, 1, never)


def _kappa(peers: PeerMatches, categories: Categories, absent: NDArray[np.bool_]) -> _Rate:
    first, second = peers.first, peers.second
    source = {"statistic": cohen_kappas(categories.of, first, second, absent), "cases": np.arange(len(peers.entries))}
    return _Rate("kappa", None, source, np.arange(len(first)), np.arange(0), 1, np.zeros(len(first), bool))


def _sides(rate: _Rate, panels: Panels, *, compared: bool = False, reason: str | Sequence[str] = "") -> list[Score]:
    """The mean and the extreme of the rates with the algorithm (AE), and of those among experts (EE)."""
    return [
        rate.score(
            _METRIC[rate.letter], panels.names, pairs, partial(_HOW[of], axis=-1), of=of, n_pairs=pairs.shape[1], reason=reason,
            compared=compared and of == "AE mean",
        )
        for of, pairs in (("AE mean", panels.ae), ("AE max", panels.ae), ("EE mean", panels.ee), ("EE min", panels.ee))
    ]  # fmt: skip


def _ratio(rate: _Rate, panels: Panels, metric: str, hardness: float, *, compared: bool = False) -> Score:
    """The algorithm's part over the panel's."""
    pairs, z = np.concatenate([panels.ae, panels.ee], 1), panels.ae.shape[1]
    reason = [_why_no_ratio(panels.experts(at), rate.never[ee], hardness, rate.k) for at, ee in enumerate(panels.ee)]
    return rate.score(
        metric, panels.names, pairs, lambda rates: relative(rates[..., :z], rates[..., z:], hardness),
        hardness=hardness if metric.endswith("ad") else None, n_pairs=pairs.shape[1], reason=reason, compared=compared,
    )  # fmt: skip


def _on_sums(score: Score, panels: Panels, sums: NDArray[np.int64], scale: int) -> Score:
    """Rests a score on each case's sums over pairs of raters, which say as much at hardness 1.

    A test of two columns goes through all permutations more often, and is faster, than one of a column for each pair of raters.
    """
    (raters, z), e = panels.ae.shape, panels.ee.shape[1]
    at = np.arange(raters)[:, None]
    if score.measure.of:
        return replace(score, values=sums, places=at, combine=lambda means: means[..., 0] / (z * scale))
    return replace(
        score, values=sums, places=np.concatenate([at, at + raters], 1),
        combine=lambda means: relative(means[..., :1] / (z * scale), means[..., 1:] / (e * scale), 1.0),
    )  # fmt: skip


def _spreads(rate: _Rate, panels: Panels) -> list[Score]:
    of, undefined = rate.letter, f"a {rate.letter} is undefined"
    alone = "two experts: each has a single colleague, so z - 2 is 0" if panels.ae.shape[1] < 3 else undefined
    return [
        rate.score(metric, panels.names, pairs, sigma, of=of, n_pairs=pairs.shape[1], reason=reason, compared=False)
        for metric, pairs, sigma, reason in (
            ("sigma_algorithm", panels.ae, sigma_algorithm, undefined),
            ("sigma_experts", panels.ee, sigma_experts, alone),
        )
    ]


def _of_pair(rate: _Rate, pair: int, first: str, second: str) -> Score:
    same = "both give one and the same first diagnosis in every case"
    named = {"first": first, "second": second}
    return rate.score(
        _METRIC[rate.letter], [first], np.array([[pair]]), the_mean, reason=same, compared=False, labels=named
    )


def _why_no_ratio(experts: Sequence[str], never: NDArray[np.bool_], hardness: float, k: int | None) -> str:
    """Why the panel's part of RPAD or RRAD is 0. never : of each two experts, whether they match in no case."""
    if never.all():
        return f"no two experts match in any case at k = {k}"
    if hardness == 0 and never.any():
        a, b = list(combinations(experts, 2))[never.argmax()]
        more = f" ({never.sum()} of {len(never)} pairs of experts do not)" if never.sum() > 1 else ""
        return f"{a} and {b} match in no case at k = {k}{more}"
    return ""


def _why_no_kappa(kappa: _Rate, panels: Panels) -> list[str]:
    """Whose kappa is undefined, in each panel."""
    undefined = np.isnan(kappa.source["statistic"](np.ones((1, len(kappa.source["cases"]))))[0])
    why = "give one and the same first diagnosis in every case, so chance leaves nothing open"
    # the pairs of the algorithm come first
    alike = [[pair for pair in combinations(of, 2) if undefined[panels.pair_of[pair]]] for of in panels.numbers]
    return [f"{panels.raters[pairs[0][0]]} and {panels.raters[pairs[0][1]]} {why}" if pairs else "" for pairs in alike]


def _per_case(panels: Panels, mu: NDArray[Any]) -> dict[str, Values]:
    """Averages mu and chi of the algorithm with the experts, and among these: float64 [n, r], NaN for raters not judged."""
    columns = {}
    for side, pairs in (("AE", panels.ae), ("EE", panels.ee)):
        for name, values in (("mu", mu), ("chi", np.sign(mu))):
            means = columns[f"{name}_{side}_mean"] = np.full((len(mu), len(panels.raters)), np.nan)
            for panel, algorithm in zip(pairs, panels.numbers[:, 0], strict=True):
                means[:, algorithm] = mean_of_defined(values[:, panel].T)
    return columns


def _short_lists(answers: Lists, k: int, denominator: str) -> list[Finding]:
    how = {"nk2": "still n k²", "observed": "their own lengths"}[denominator]
    short = int(((answers.lengths < k) & ~answers.absent).sum())
    words = f"; the denominator is {how}"
    return [Finding("lengths", short, int((~answers.absent).sum()), f"shorter than k = {k}", words)] if short else []


def _unlike_lengths(answers: Lists, peers: PeerMatches, mu: NDArray[Any], panels: Panels, k: int) -> list[Finding]:
    """RPAD by both denominators, where they differ by more than `_MOVES`: then a list's length is a part of what is measured."""
    area = np.where(np.isnan(mu), np.nan, areas(answers.lengths, peers, k))
    met, area = mean_of_defined(mu), mean_of_defined(area)
    with np.errstate(divide="ignore", invalid="ignore"):
        fixed, own = (relative(p[panels.ae], p[panels.ee], 1.0) for p in (met / k**2, met / area))
        moved = np.abs(own / fixed - 1)
    if not (moved > _MOVES).any():
        return []
    at = int(np.nanargmax(moved))
    mean = mean_of_defined(without_absent(np.minimum(answers.lengths, k), answers.absent))
    sizes = ", ".join(
        f"{rater} {mean[place]:.2g}" for rater, place in zip(panels.names, panels.numbers[:, 0], strict=True)
    )
    experts = mean[np.unique(panels.numbers[:, 1:])].mean()
    words = f"of k = {k} diagnoses lists hold on average: {sizes}, experts {experts:.2g}. {panels.names[at]}: {fixed[at]:.3f} by n k², {own[at]:.3f} by the lists' own lengths (H = 1); the option 'panel.denominator' chooses."
    return [Finding("headline", place="RPAD rests on how long lists are", example=words)]


def _named_twice(raters: Sequence[str], peers: PeerMatches) -> list[Finding]:
    """Lists with several diagnoses that match one and the same of another rater's, where they are more than `_MOVES` of all."""
    twice = np.zeros(peers.entries.shape[:2], bool)
    for cases, matched in peers.compared():
        for side, axis in ((peers.first, -2), (peers.second, -1)):
            several = (matched.sum(axis) > 1).any(-1)
            for rater in np.unique(side):
                twice[cases, rater] |= several[:, side == rater].any(-1)
    if twice.mean() <= _MOVES:
        return []
    counts = counts_in_words(raters, twice.sum(0))
    words = f"{int(twice.sum()):,} of {twice.size:,} lists hold several diagnoses that match one of another rater's ({counts})"
    return [Finding("headline", place="P and RPAD count a disease as often as it is named", example=f"{words}.")]
