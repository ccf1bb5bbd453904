"""Agreement beyond chance in the first diagnosis: among the experts, and with an algorithm as one rater more."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...errors import OptionError
from ...pages.rows import Row
from ...stats.agreement import NONE, GroupAgreement, cohen_kappas
from ...stats.resampling import Statistic
from ..match.matches import Matches
from ..match.pairs import MOST_IN_TURN, PeerMatches
from ..read.findings import Finding
from ..read.lists import ALGORITHM, NO_DIAGNOSIS
from .declare import REGISTRY, Measure, declare
from .relative import experts_behind
from .scores import FamilyScores, Lacking, Score, Settings, Values, the_mean

NAME, TITLE = "agreement", "Agreement beyond chance in the first diagnosis"
METRICS = ("cohen_kappa", "fleiss_kappa", "krippendorff_alpha")
EXPERTS, TOGETHER, CHANGE = "experts", "with the algorithm", "change"
OTHER_MODELS = "other models"
"""What the first group is called where no role says that anybody is an expert."""


@declare("kappa", axes={"a": "case", "b": "case"}, repeat_free=("case",), symmetric=("a", "b"))
def cohen_kappa(a: ArrayLike, b: ArrayLike) -> float:
    """Tells how much two raters' first diagnoses agree beyond what chance would give.

    Cohen's kappa, unweighted; equal to `sklearn.metrics.cohen_kappa_score`.

    Parameters
    ----------
    a, b : [n], the category of each rater's first diagnosis in each case, whole numbers; -1 is no diagnosis.

    Returns
    -------
    float, in [-1, 1].

    Raises
    ------
    OptionError
        For arguments of another shape, or with other values.

    Also called
    -----------
    Cohen's kappa

    Formula
    -------
    kappa = (p_o - p_e) / (1 - p_e), p_e = sum_c p_a(c) p_b(c)

    Denominator
    -----------
    1 - p_e, the agreement that chance leaves open

    Good values
    -----------
    1 is perfect, 0 chance; 0.61 to 0.80 is often called substantial (Landis and Koch 1977). Experts beside experts
    are the better measure.

    When to use
    -----------
    two raters, one diagnosis each

    When not
    --------
    one diagnosis is far commoner than the others: chance then explains nearly all

    Edge cases
    ----------
    both raters give one and the same category in every case : NaN: p_e is 1, chance leaves nothing open
    no diagnosis (-1) : agrees with nothing, as if it were a category of its own each time
    no case : refused

    References
    ----------
    Cohen 1960; used at top 1 in How to Evaluate Medical AI
    Cohen J. A Coefficient of Agreement for Nominal Scales. Educational and Psychological Measurement 20(1), 1960.
        <https://doi.org/10.1177/001316446002000104>
    Kopanichuk I, Anokhin P, Shaposhnikov V, Makharev V, Tsapieva E, Bespalov I, Dylov DV, Oseledets I. How to
        Evaluate Medical AI. 2025. arXiv:2509.11941. <https://doi.org/10.48550/arXiv.2509.11941>
    Landis JR, Koch GG. The Measurement of Observer Agreement for Categorical Data. Biometrics 33(1), 1977.
        <https://doi.org/10.2307/2529310>

    Examples
    --------
    >>> cohen_kappa([0, 0, 1, 1], [0, 0, 1, 0])  # p_o 3/4, p_e 3/8 + 1/8
    0.5
    """
    left, right = np.asarray(a), np.asarray(b)
    for name, array in (("a", left), ("b", right)):
        if array.ndim != 1 or len(array) == 0 or array.dtype.kind not in "iu" or array.min() < NONE:
            raise OptionError(name, "a list of at least one whole number, -1 or more", array)
    if len(left) != len(right):
        raise OptionError("b", f"as long as a ({len(left)})", right)
    kappas = cohen_kappas(np.stack([left, right], 1), np.array([0]), np.array([1]))
    return float(kappas(np.ones((1, len(left)))).item())


@declare("kappa_F", axes={"categories": "case, rater"}, repeat_free=("case",))
def fleiss_kappa(categories: ArrayLike) -> float:
    """Tells how much the first diagnoses of a group agree beyond what chance would give.

    Fleiss' kappa; equal to `statsmodels.stats.inter_rater.fleiss_kappa` where everybody says something.

    Parameters
    ----------
    categories : [n, r], the category of the first diagnosis of each of r raters, whole numbers; -1 is none.

    Returns
    -------
    float, in [-1, 1].

    Raises
    ------
    OptionError
        For arguments of another shape, or with other values.

    Also called
    -----------
    Fleiss' kappa

    Formula
    -------
    kappa_F = (P - P_e) / (1 - P_e), P = mean_i sum_c n_ic (n_ic - 1) / (r (r - 1)), P_e = sum_c p_c^2

    Denominator
    -----------
    1 - P_e, the agreement that chance leaves open

    Good values
    -----------
    As kappa: 1 is perfect, 0 chance; 0.61 to 0.80 is often called substantial.

    When to use
    -----------
    more than two raters, all of whom answered every case

    When not
    --------
    answers are missing: then alpha

    Edge cases
    ----------
    all raters give one and the same category in every case : NaN: P_e is 1, chance leaves nothing open
    no diagnosis (-1) : agrees with nothing, and adds nothing to chance
    no case, or one rater : refused

    References
    ----------
    Fleiss 1971, eqs. 1 to 7
    Fleiss JL. Measuring nominal scale agreement among many raters. Psychological Bulletin 76(5), 1971.
        <https://doi.org/10.1037/h0031619>

    Examples
    --------
    >>> round(fleiss_kappa([[0, 0, 0], [0, 1, 1]]), 4)  # P = (1 + 1/3) / 2, P_e = (4/6)^2 + (2/6)^2; (2/3 - 5/9) / (4/9)
    0.25
    """
    array = _checked(categories, "categories")
    return GroupAgreement(array).fleiss(np.ones((1, len(array)))).item()


def _checked(categories: ArrayLike, name: str) -> NDArray[np.integer]:
    """Checks that it is [cases, raters] of whole numbers from -1, at least one case and two raters. Errors: `OptionError`."""
    array = np.asarray(categories)
    if array.ndim != 2 or len(array) == 0 or array.shape[1] < 2 or array.dtype.kind not in "iu":
        raise OptionError(name, "whole numbers, [cases, raters], at least one case and two raters", categories)
    if array.min() < NONE:
        raise OptionError(name, "whole numbers of -1 or more", categories)
    return array


@declare("alpha", axes={"categories": "case, rater"})
def krippendorff_alpha(categories: ArrayLike) -> float:
    """Tells how much the first diagnoses of a group agree; with the algorithm as one more expert, whether it fits in.

    Krippendorff's alpha for categories.

    Parameters
    ----------
    categories : [n, r], the category of the first diagnosis of each of r raters, whole numbers; -1 is none.

    Returns
    -------
    float, in [-1, 1].

    Raises
    ------
    OptionError
        For arguments of another shape, or with other values.

    Also called
    -----------
    Krippendorff's alpha

    Formula
    -------
    alpha = 1 - D_o / D_e, D_o = 1/N sum_u sum_{i != j} [c_ui != c_uj] / (m_u - 1),
    D_e = sum_{c != k} n_c n_k / (N (N - 1))

    Denominator
    -----------
    D_e, the disagreement of any two of the N diagnoses that stand beside another in their case

    Good values
    -----------
    From 0.80 up an agreement is called reliable, from 0.667 fit for tentative conclusions (Krippendorff). Here,
    compare with the experts alone.

    When to use
    -----------
    a group of raters, some answers missing

    When not
    --------
    the order within lists matters

    Edge cases
    ----------
    one category in all cases : NaN: D_e is 0, nothing varies
    no case has two diagnoses : NaN: nothing can be compared
    no diagnosis (-1) : missing: the case is judged by the others, and left out where one or none is left
    no case, or one rater : refused

    References
    ----------
    Krippendorff 2011, Computing Krippendorff's Alpha-Reliability (nominal)
    Krippendorff K. Computing Krippendorff's Alpha-Reliability. University of Pennsylvania, 2011.
        <https://repository.upenn.edu/asc_papers/43>

    Examples
    --------
    >>> round(krippendorff_alpha([[0, 1], [1, 1], [0, 1], *[[0, 0]] * 2, [0, 1], *[[0, 0]] * 2, [1, 0], [0, 0]]), 4)
    0.0952
    """
    array = _checked(categories, "categories")
    return GroupAgreement(array).alpha(np.ones((1, len(array)))).item()


@declare("alpha_M", axes={"values": "case, rater"})
def krippendorff_alpha_by_distance(values: ArrayLike, distance: ArrayLike) -> float:
    """Measures what alpha does, but a near miss counts for less than a miss, by the match function's probability.

    Krippendorff's alpha for any distance; with 1 for all that differ it is `krippendorff_alpha`.

    Parameters
    ----------
    values : [n, r], the number of each rater's first diagnosis, -1 is missing.
    distance : [s, s], between diagnoses, symmetric, from 0 to 1, 0 to itself.

    Returns
    -------
    float, in (-inf, 1].

    Raises
    ------
    OptionError
        For arguments of another shape, or with other values.

    Formula
    -------
    alpha_M = 1 - D_o / D_e, with 1 - M(d, d') in place of [c != k]

    Denominator
    -----------
    D_e, the mean distance of any two of the diagnoses that stand beside another in their case

    Good values
    -----------
    1 is perfect, 0 what chance gives; compare with the experts alone.

    When to use
    -----------
    diagnoses fall into no clean categories

    When not
    --------
    the match function rests on votes: it is to be asked about pairs of different cases

    Edge cases
    ----------
    every two diagnoses match : NaN: D_e is 0, nothing varies
    no case has two diagnoses : NaN: nothing can be compared
    no diagnosis (-1) : missing: the case is judged by the others, and left out where one or none is left
    no case, or one rater : refused

    References
    ----------
    Krippendorff 2011, with a distance of one's own; 1 - M: dxmatch
    Krippendorff K. Computing Krippendorff's Alpha-Reliability. University of Pennsylvania, 2011.
        <https://repository.upenn.edu/asc_papers/43>
    """
    array, apart = _checked(values, "values"), np.asarray(distance, float)
    if apart.ndim != 2 or apart.shape[0] != apart.shape[1] or len(apart) <= array.max():
        raise OptionError("distance", f"[s, s], s above {array.max()}", apart.shape)
    if not ((apart >= 0) & (apart <= 1) & (apart == apart.T)).all() or apart.diagonal().any():
        raise OptionError("distance", "symmetric, from 0 to 1, with 0 on the diagonal", distance)
    group, once = GroupAgreement(array), np.ones((1, len(array)))
    held = np.bincount(array[group.paired], minlength=len(apart))
    among = apart[array[:, :, None], array[:, None, :]]
    return group.alpha_by_distance(among, np.array([held @ apart @ held], float), once).item()


@dataclass(frozen=True)
class Categories:
    """Classes of first diagnoses, as kappa needs them.

    M is a relation between two strings. Two first diagnoses are in one category when a chain of matches leads from one to the
    other, each link being two first diagnoses of one case that M matches; strings that differ only in case or white space are one.
    A word for no diagnosis is in no category.

    of : int64 [n, raters], the category of each first diagnosis; -1 is none. count : how many there are.
    agreements : of two raters in a case. chained : those of them that hold only through a chain.
    """

    of: NDArray[np.int64]
    count: int
    agreements: int
    chained: int


def categories_of(peers: PeerMatches) -> Categories:
    """Sorts the first diagnoses into categories, by the pairs that are compared."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    entries = peers.entries[:, :, 0]
    folded: dict[str, int] = {}
    spelling = np.array(
        [folded.setdefault(" ".join(s.casefold().split()), len(folded)) for s in peers.pairs.strings] or [0]
    )
    left, right = entries[:, peers.first], entries[:, peers.second]
    direct = np.concatenate([matched[:, :, 0, 0] for _, matched in peers.top(1).compared()])
    edges = (spelling[left[direct]], spelling[right[direct]])
    graph = coo_array((np.ones(len(edges[0]), bool), edges), shape=(len(spelling), len(spelling)))
    _, component = connected_components(graph, directed=False)
    of = np.where(entries >= 0, component[spelling[entries]], NO_DIAGNOSIS)
    used, number = np.unique(of, return_inverse=True)
    number = number.reshape(of.shape) - int(len(used) > 0 and used[0] == NO_DIAGNOSIS)
    together = (number[:, peers.first] == number[:, peers.second]) & (number[:, peers.first] != NO_DIAGNOSIS)
    count = int(number.max(initial=NO_DIAGNOSIS)) + 1
    return Categories(number.astype(np.int64), count, int(together.sum()), int((together & ~direct).sum()))


def scores(matches: Matches, settings: Settings) -> FamilyScores:
    """Computes mean kappa over pairs of raters, Fleiss' kappa and alpha.

    For each algorithm (each rater in turn, where none is named): among the experts, with the algorithm as one rater more, and the
    change.
    """
    answers = matches.answers
    if (first := matches.first) is None:
        few = "a third model" if answers.roles is None else "a second expert"
        many = (
            f"named algorithms: of {len(answers.raters):,} raters, more than {MOST_IN_TURN}, not each is judged in turn"
        )
        raise Lacking(many if len(answers.raters) > MOST_IN_TURN and ALGORITHM not in (answers.roles or ()) else few)
    categories = categories_of(first)
    algorithms = [i for i, role in enumerate(answers.roles or ()) if role == ALGORITHM]
    experts = [i for i in range(len(answers.raters)) if i not in algorithms]
    # where nobody is named an algorithm, all are judged in turn
    judged = algorithms or experts
    groups = [
        np.array(group) for rater in judged for group in ([e for e in experts if e != rater], sorted({*experts, rater}))
    ]
    among = OTHER_MODELS if answers.roles is None else EXPERTS
    shared: dict[str, Any] = {
        "raters": [answers.raters[rater] for rater in judged],
        "cases": np.arange(len(answers.cases)),
        "statistic": group_agreement(first, categories, groups, answers.absent),
        "reason": "all give one and the same first diagnosis in every case, or hardly any gives one",
        "compared": False,
    }
    found = FamilyScores(NAME, TITLE, sentences=_sentences)
    for at, metric in enumerate(METRICS):
        alone = (np.arange(len(judged)) * 2 * len(METRICS) + at)[:, None]
        both = alone + len(METRICS)
        for of, places, group, combine in (
            (among, alone, groups[0], the_mean),
            (TOGETHER, both, groups[1], the_mean),
            (CHANGE, np.concatenate([both, alone], 1), groups[1], lambda means: means[..., 0] - means[..., 1]),
        ):
            pairs = len(group) * (len(group) - 1) // 2
            found.scores.append(Score(Measure(metric, of), places=places, combine=combine, n_pairs=pairs, **shared))
    if matches.peers is None and categories.chained:  # else kappa against the panel tells it
        found.findings = [chains("Alpha", categories)]
    return found


def chains(what: str, found: Categories) -> Finding:
    """What kappa or alpha rests on, and how many agreements on a chain of matches alone."""
    chained = f"{found.chained:,} of {found.agreements:,} agreements in one hold only through a chain of matches"
    words = f"{what} rests on {found.count:,} categories of first diagnoses; {chained}."
    return Finding("origin", example=words)


def group_agreement(
    first: PeerMatches, categories: Categories, groups: Sequence[NDArray[np.integer[Any]]], absent: NDArray[np.bool_]
) -> Statistic:
    """Makes the `METRICS` of groups of raters: weights [b, n] -> float64 [b, groups * 3].

    groups : of each the places of its raters among all. absent : bool [n, r], lists that count as nothing: kappa is of the cases that both
        have, Fleiss' kappa of those that all of the group have.
    """
    one, other = first.first, first.second
    kappas = cohen_kappas(categories.of, one, other, absent)
    inside = [np.isin(one, raters) & np.isin(other, raters) for raters in groups]
    parts = [GroupAgreement(categories.of[:, raters]) for raters in groups]
    whole = [(~absent[:, raters].any(1)).astype(float) for raters in groups]

    def values(weights: Values) -> Values:
        kappa = kappas(weights)
        columns = [
            (kappa[:, i].mean(1), part.fleiss(weights * there), part.alpha(weights))
            for part, i, there in zip(parts, inside, whole, strict=True)
        ]
        return np.stack([column for group in columns for column in group], 1)

    return values


def _sentences(rows: Sequence[Row]) -> list[str]:
    """Says what each algorithm does to alpha."""
    of_alpha = [row for row in rows if row["metric"] == REGISTRY["krippendorff_alpha"].symbol]
    out = []
    for among, together, change in zip(of_alpha[::3], of_alpha[1::3], of_alpha[2::3], strict=True):
        if None in (among["value"], together["value"], change["low"]):
            continue
        how = "leaves alpha where it is, within what chance allows"
        if change["low"] > 0 or change["high"] < 0:
            how = f"{'raises' if change['value'] > 0 else 'lowers'} alpha"
        one_more, group = ("model", "other models") if among["of"] == OTHER_MODELS else ("expert", "experts")
        out.append(
            f"Counted as one more {one_more}, {among['algorithm']} {how}: {together['value']:.3f} with it, "
            f"{among['value']:.3f} among the {experts_behind(among['n_pairs'])} {group} "
            f"(change {change['value']:+.3f} [{change['low']:+.3f}, {change['high']:+.3f}])."
        )
    return out
