"""Ranked answers against the right ones: how early does a list name the reference, and what else does it rank before?

What is right is given: by M, by code, by category, or in degrees.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...errors import InputError, OptionError
from ...matcher.protocol import told
from ...stats.agreement import divided
from ...terms.icd.codes import Nodes, hierarchy
from ..match.judge import INCLUDES, NO_VERDICT, Judgements
from ..match.matches import Matches
from ..match.pairs import RANKED, ReferenceMatches, blocks
from ..read.findings import Finding
from ..read.lists import Lists, looked_up
from .declare import Measure, check_k, declare, truths
from .scores import FamilyScores, Lacking, Score, Settings, without_absent
from .weighted import RELATIONS, degree, degrees_of, relevance

NAME, TITLE = "ranking", "Ranked answers against the right ones"


_OF_HITS: dict[str, Any] = {"axes": {"hits": "case"}, "repeat_free": ("case",), "grows_with": ("hits",)}


@declare("Acc", **_OF_HITS)
def top_k_accuracy(hits: ArrayLike, k: int) -> float:
    """Gives the share of cases whose right diagnosis is among the first k of the list.

    Top-k accuracy.

    Parameters
    ----------
    hits : bool [n, K], whether the diagnosis at each rank is the reference: by M, by code or by category.
    k : how many ranks count.

    Returns
    -------
    float, in [0, 1].

    Raises
    ------
    OptionError
        For arguments of another shape, or with other values.

    Also called
    -----------
    top-5 accuracy, top-k, accuracy, Acc(M)@k, hit rate, Hits@k

    Formula
    -------
    Acc@k = sum_i [a diagnosis of rank <= k is the reference] / n

    Denominator
    -----------
    n, the number of cases

    Good values
    -----------
    1 is every case; top-1 asks for the leading diagnosis, top-5 whether a physician would find it on the list.

    When to use
    -----------
    each case has one right answer, and lists are ranked

    When not
    --------
    lists differ in length, at a k beyond the shorter ones

    Edge cases
    ----------
    no case : refused
    a list shorter than k : its ranks count, no others

    References
    ----------
    H-DDx
    Lim S, Kim G, Lee H, Han W, Seo J, Yoo J, Yang E. H-DDx: A Hierarchical Evaluation Framework for Differential
        Diagnosis. 2025. arXiv:2510.03700. <https://doi.org/10.48550/arXiv.2510.03700>

    Examples
    --------
    >>> top_k_accuracy([[False, True], [True, False], [False, False]], k=1)
    0.3333333333333333
    """
    return float(_first(hits, k).any(1).mean())


@declare("MRR", **_OF_HITS)
def mrr(hits: ArrayLike, k: int | None = None) -> float:
    """Tells how far down the list the right diagnosis first stands: 1 is always first, 1/2 second, 1/3 third on average.

    Mean reciprocal rank.

    Parameters
    ----------
    hits : bool [n, K], whether the diagnosis at each rank is the reference.
    k : how many ranks count, all by default.

    Returns
    -------
    float, in [0, 1].

    Raises
    ------
    OptionError
        For arguments of another shape, or with other values.

    Also called
    -----------
    mean reciprocal rank

    Formula
    -------
    MRR = sum_i 1 / rank_i / n, rank_i of the first diagnosis that is the reference;
    1 / rank_i = 0 beyond the first k, where one is given

    Denominator
    -----------
    n, the number of cases

    Good values
    -----------
    1 is the right diagnosis first in every patient; it lies between top-1 accuracy and that of the whole list, near top-1.

    When to use
    -----------
    each case has one right answer, and its place matters

    When not
    --------
    a case has several right answers: only the first that is named counts

    Edge cases
    ----------
    no case : refused
    no right diagnosis among the first k : 0
    an empty list : 0

    References
    ----------
    Voorhees 1999, The TREC-8 question answering track report
    Voorhees EM. The TREC-8 Question Answering Track Report. TREC-8, NIST, 1999.
        <https://trec.nist.gov/pubs/trec8/papers/qa_report.pdf>

    Examples
    --------
    >>> mrr([[False, True], [True, False], [False, False]])  # (1/2 + 1 + 0) / 3
    0.5
    """
    return float(reciprocal_ranks(_first(hits, k)).mean())


def _first(hits: ArrayLike, k: int | None) -> NDArray[np.bool_]:
    found = np.asarray(truths(hits))
    if found.ndim != 2 or len(found) == 0 or found.dtype != bool:
        allowed = "an array of True and False [cases, ranks], with at least one case"
        raise OptionError("hits", allowed, hits)
    return found[:, : k if k is None else check_k(k)]


def reciprocal_ranks(hits: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Computes 1 / rank of the first hit along the last axis, 0 where there is none: float64 [...] of bool [..., K]."""
    if not hits.shape[-1]:
        return np.zeros(hits.shape[:-1])
    return np.where(hits.any(-1), 1 / (hits.argmax(-1) + 1), 0.0)


@declare(
    "nDCG",
    axes={"gains": "case, rank, reference", "given": "case, reference"},
    repeat_free=("case",),
    grows_with=("gains",),
)
def ndcg(gains: ArrayLike, given: ArrayLike, k: int = RANKED) -> float:
    """Tells how early the right diagnoses come, with partial credit for answers that are near: a class, a kind, close kin.

    Normalised discounted cumulative gain, averaged over the cases.

    Parameters
    ----------
    gains : [n, K, D], from 0 to 1, how near the diagnosis at a rank comes to each reference, ((5 - D)/4)^2 with
        Kernel29's D, 1 for a match.
    given : bool [n, D], the case has the reference.
    k : how many ranks count, 10 by default.

    Returns
    -------
    float, in [0, 1].

    Raises
    ------
    OptionError
        For arguments of another shape, or with other values.

    Also called
    -----------
    normalised discounted cumulative gain, normalized discounted cumulative gain

    Formula
    -------
    nDCG@k = mean_i min(1, DCG_i / IDCG_i),
    DCG = sum_j (sum_d max_{l <= j} g_ld - sum_d max_{l < j} g_ld) / log2(j + 1),
    IDCG = sum_{j <= min(k, references)} 1 / log2(j + 1)

    Denominator
    -----------
    the gain of a list that names every reference first, in each case; then the number of cases

    Good values
    -----------
    1 is every right diagnosis named exactly, before all else; near kin alone, ranked first, reaches 0.06 to 0.56.

    When to use
    -----------
    a case has several right answers, or near answers shall count in part

    When not
    --------
    one number shall say how often a model is right: then top-k accuracy

    Edge cases
    ----------
    a reference that is named twice : counts once: a rank gains what it adds to the best so far
    one diagnosis that names several references : gains all of them; no case gains more than 1
    no case, or a case without a reference : refused
    an empty list : 0

    References
    ----------
    Järvelin and Kekäläinen 2002, Cumulated gain-based evaluation of IR techniques
    Järvelin K, Kekäläinen J. Cumulated gain-based evaluation of IR techniques. ACM Transactions on Information
        Systems 20(4), 2002. <https://doi.org/10.1145/582415.582418>

    Examples
    --------
    >>> ndcg([[[0.0], [1.0]]], [[True]])  # 1 / log2(3)
    0.6309297535714575
    """
    near, there = np.asarray(gains, float), checked_given(given)
    if near.ndim != 3 or (len(near), near.shape[-1]) != there.shape or not ((near >= 0) & (near <= 1)).all():
        allowed = f"numbers from 0 to 1 [{there.shape[0]} cases, ranks, {there.shape[1]} references]"
        raise OptionError("gains", allowed, gains)
    return float(normalised_gains(near, there, check_k(k)).mean())


def checked_given(given: Any) -> NDArray[np.bool_]:
    """Checks that each of at least one case has a reference: bool [n, D]. Errors: `OptionError`."""
    there = np.asarray(truths(given))
    if there.ndim != 2 or there.dtype != bool or not len(there) or not there.any(1).all():
        raise OptionError("given", "bool [cases, references], at least one case, in each at least one True", given)
    return there


def normalised_gains(gains: NDArray[np.floating[Any]], given: NDArray[np.bool_], k: int) -> NDArray[np.float64]:
    """Computes nDCG of each list: float64 [n, ...]; NaN in a case without a reference.

    gains : [n, ..., K, D], from 0 to 1. given : bool [n, D].
    """
    there = given.reshape(len(given), *[1] * (gains.ndim - 2), -1)
    best = np.maximum.accumulate(np.where(there, gains[..., :k, :], 0), -2).sum(-1, dtype=float)
    discount = 1 / np.log2(np.arange(2, k + 2))
    gained = np.diff(best, axis=-1, prepend=0) @ discount[: best.shape[-1]]
    ideal = np.append(0, np.cumsum(discount))[np.minimum(given.sum(1), k)].reshape(-1, *[1] * (gained.ndim - 1))
    return divided(np.minimum(gained, ideal), ideal)


# The family


TOP = (1, 3, 5, 10)
NO_RIGHT_ANSWERS = "right answers: the column reference, rows with the role reference, or the option 'references'"
BY_M, BY_CODE, BY_CATEGORY, BY_JUDGE = "M", "code", "category", "judge"
Hits = tuple[NDArray[np.bool_], NDArray[np.bool_]]
"""bool [n, r, depth], whether the diagnosis at a rank is one of the reference's; and bool [n], where there is a reference to be."""


def final_answers(matches: Matches) -> Matches:
    """Finds what the ranked metrics are of: the final diagnoses where these are told apart, else the right answers.

    As in H-DDx (4.3): top-5 accuracy asks for the final diagnosis, HDF1 for the differential set.
    """
    return matches if matches.of_final is None else matches.of_final


def undecided(matches: Matches, who: str) -> float:
    """Counts in how many cases M does not find a first diagnosis right, and cannot tell: it or all right answers are not understood, or no list was read.

    who : a rater, or a model under prompts, of whom it is the mean. With these counted as right, top-1 accuracy is as high as it can be.
    """
    ranked = final_answers(matches)
    answers, found = ranked.answers, ranked.references
    assert found is not None
    unknown = told(found.pairs.matcher, "not_understood", found.pairs.strings)
    # the last two for places without a diagnosis, -1 and -2
    of_text = np.array([*(text in unknown for text in found.pairs.strings), False, False])
    unread = np.array([[(case, rater) in answers.origin.unread for rater in answers.raters] for case in answers.cases])
    there = np.asarray(found.given.any(1))
    no_right = np.asarray((of_text[found.right] | ~found.given).all(1))[:, None]
    missed = ~np.asarray(found.hits[:, :, 0].any(-1)) & there[:, None] & ~answers.absent
    own = [rater == who or rater.partition("[")[0].rstrip() == who for rater in answers.raters]
    return float(((of_text[found.said[:, :, 0]] | no_right | unread) & missed)[:, own].mean(1).sum())


def scores(matches: Matches, settings: Settings) -> FamilyScores:
    """Scores every rater in the cases that have a reference.

    Top-k accuracy by M, and where codes are known by code and by category, at `TOP` as far as lists go and at k; the reciprocal rank
    of the first match in the whole list; and nDCG at ten. Where references are codes alone, ranks are by code and there is no nDCG.
    """
    if matches.references is None and matches.codes is None:
        raise Lacking(NO_RIGHT_ANSWERS)
    ranked = final_answers(matches)
    answers, n = ranked.answers, len(ranked.answers.cases)
    hits = reference_hits(ranked)
    first = BY_M if BY_M in hits else BY_CODE
    family = FamilyScores(NAME, TITLE)

    def add(metric: str, values: NDArray[Any], cases: NDArray[np.integer], of: str = "", k: int | None = None) -> None:
        score = Score(Measure(metric, of, k), answers.raters, cases, without_absent(values, answers.absent[cases]))
        family.scores.append(score)
        if of in (BY_M, "") or BY_M not in hits:
            name = Measure(metric, "" if metric == "mrr" else of, k).name
            family.per_case[name] = score.per_case(n)

    for judge, (named, known) in hits.items():
        cases = np.flatnonzero(known)
        reached = np.logical_or.accumulate(named[cases], -1)
        for k in top_ranks(ranked, settings):
            at = min(k, reached.shape[-1]) - 1
            add("top_k_accuracy", reached[..., at], cases, judge, k)
    named, known = hits[first]
    cases = np.flatnonzero(known)
    add("mrr", reciprocal_ranks(named[cases]), cases, of="" if first == BY_M else BY_CODE)
    if ranked.references is not None:
        gains, notes = reference_gains(ranked)
        add("ndcg", normalised_gains(gains[cases], ranked.references.given[cases], RANKED), cases, k=RANKED)
        family.findings += [Finding("origin", place=family.scores[-1].measure.symbol, example=note) for note in notes]
    if matches.of_final is not None:
        without = sum(not final for final in answers.reference)
        family.findings.append(Finding("final_diagnosis", without, n))
    elif len(cases) < n:
        family.findings.append(Finding("no_reference", n - len(cases), n, "ranks"))
    return family


def top_ranks(matches: Matches, settings: Settings) -> list[int]:
    """Lists the k of top-k accuracy: those of `TOP` that some list reaches, and the one asked for."""
    longest, k = max(1, int(matches.answers.lengths.max(initial=1))), settings.k[NAME]
    return sorted({*([] if k is None else [k]), *(rank for rank in TOP if rank <= longest)})


def reference_hits(matches: Matches) -> dict[str, Hits]:
    """Finds the hits by each judge that knows a reference of some case: M its words; code and category its codes."""
    found: dict[str, Hits] = {}
    if matches.references is not None:
        found[BY_M] = np.asarray(matches.references.hits.any(-1)), np.asarray(matches.references.given.any(1))
    if matches.codes is not None:
        predicted, reference = matches.codes.predicted, matches.codes.reference
        tree = hierarchy(matches.codes.tree)
        category = np.append(np.where(tree.categories >= 0, tree.categories, np.arange(len(tree))), -1)
        known = np.asarray((reference >= 0).any(1))
        found[BY_CODE] = _same(predicted, reference), known
        found[BY_CATEGORY] = _same(category[predicted], category[reference]), known
    return {judge: hits for judge, hits in found.items() if hits[1].any()}


def judged_hits(matches: Matches) -> Hits | None:
    """Finds the hits by the judge of whole answers, of the final diagnoses where these are told apart, in the cases that are `decided`.

    None without a judge, and where it tells no place of something that is included.
    """
    found = final_answers(matches).judged
    if found is None or (found.of("included") == INCLUDES)[(places := found.of("place")) <= 0].any():
        return None
    ranks = np.arange(1, max(1, int(places.max())) + 1)
    return (places[:, :, None] == ranks[:, None]).any(-1), decided(found)


def decided(found: Judgements) -> NDArray[np.bool_]:
    """Finds the cases with a verdict on every right answer, of which there is at least one, for every rater: bool [n]."""
    known = (found.of("included") != NO_VERDICT) | ~found.given[:, None, :]
    return np.asarray(known.all((1, 2)) & found.given.any(1))


def _same(predicted: Nodes, reference: Nodes) -> NDArray[np.bool_]:
    """Tells whether one of the nodes of a diagnosis is one of the reference's: bool [n, r, k]. In bounded blocks of cases."""
    out = np.empty(predicted.shape[:3], bool)
    for at in blocks(len(out), predicted[:1].size * reference.shape[1]):
        said, true = predicted[at, ..., None], reference[at, None, None, None]
        out[at] = ((said == true) & (said >= 0)).any((-2, -1))
    return out


def reference_gains(matches: Matches) -> tuple[NDArray[np.float32], list[str]]:
    """Grades how near each diagnosis comes to each reference: float32 [n, r, ranks, D], at most ten ranks. And where that is from.

    ((5 - D)/4)^2 of Kernel29's D, from 1 (right) to 5, as its score weighs it: of the column relation, where its cell is given (of
    several references it is that of the one M holds likeliest). Else 1 for what M matches, and for the rest that of M's relation
    model; 0 where M tells none.
    """
    found, answers = matches.references, matches.answers
    assert found is not None
    hits = found.hits[:, :, :RANKED]
    given, unknown = _given_degrees(answers, found, hits.shape)
    gains = hits.astype(np.float32)
    rest = (answers.top(hits.shape[2]) >= 0)[..., None] & found.given[:, None, None] & ~given.any(-1, keepdims=True)
    ways, notes = [], []
    if given.any():
        gains[~rest] = 0
        gains = np.where(given > 0, relevance(given), gains)
        ways.append("the column relation")
    if rest.any() and matches.m.tells_relations:
        ways.append("M (a match, else its relation model)")
        near = rest & ~hits & (found.distance[:, :, :RANKED] > 0)
        gains[near] = relevance(found.distance[:, :, :RANKED][near])
    elif rest.any():
        ways.append("M's verdict (match or no match), since M tells no relations")
    if ways:
        notes.append(f"The degrees of relevance in nDCG come from {', and where it is blank from '.join(ways)}.")
    if unknown:
        notes.append(f"{unknown:,} words of the column relation are outside its scale: nDCG takes them for blank.")
    return gains, notes


def _given_degrees(answers: Lists, found: ReferenceMatches, shape: tuple[int, ...]) -> tuple[NDArray[np.int8], int]:
    """Reads D of the column relation: int8 [n, r, ranks, D], 0 elsewhere; and how many different words mean nothing."""
    out, ranks, unknown = np.zeros(shape, np.int8), shape[2], set[str]()

    def read(word: str, **_: Any) -> int:
        try:
            return degree(word, RELATIONS)
        except InputError:
            unknown.add(word)
            return 0

    degrees = np.maximum(degrees_of(answers, "relation", read), 0)
    said = np.where(answers.top(ranks) >= 0, looked_up(degrees, answers.places(ranks)), 0)
    said[~found.given.any(1)] = 0
    nearest = np.nan_to_num(found.probabilities[:, :, :ranks], nan=-1).argmax(-1)
    np.put_along_axis(out, nearest[..., None], said[..., None].astype(np.int8), -1)
    return out, len(unknown)
