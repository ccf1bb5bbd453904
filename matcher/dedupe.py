"""Duplicates in one list of terms: clusters of names of one disease, and why each term is in its own.

M is not transitive, so that what merely hangs together by a chain is not one thing: in a cluster every two members match. This is
agglomerative clustering with complete linkage (Sørensen 1948), greedy by falling probability: two clusters become one where M says of every
pair across them that it matches. Pairs that were no candidates are asked of M before that is said.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from .. import progress
from ..errors import warn
from ..features.names import Names, unordered_pairs
from .batch import Batch, PairModel
from .candidates import CANDIDATES, CandidateSearch, names_at_once
from .doubtful import is_doubtful
from .terms import Terms, prepared

SAME_WORDS = "the same after normalisation"
_ROUNDS = 21
"""In which clusters are joined, and pairs asked for that decide a further join."""
_MOST_ASKED = 1 << 22
"""Pairs beyond the candidates in one round; those of the likeliest merges go first."""


def dedupe(model: PairModel, read: Terms, *, least: float, candidates: int = CANDIDATES) -> pa.Table:
    """See `MatchFunction.dedupe`. least : of a match.

    Each name is represented by the first row of the commonest way to write it, a cluster by its commonest name. Of equally common names
    the one goes first that matches another best, then the first in the list.
    """
    names, (of,) = prepared(model, terms=read.texts)
    among, at_once = np.unique(of.name[of.understood]), names_at_once(candidates)
    search = CandidateSearch(names, among, candidates)
    found = [search(among[start : start + at_once]) for start in range(0, max(len(among), 1), at_once)]
    a, b = (np.concatenate(side) for side in zip(*found, strict=True))
    a, b, _ = unordered_pairs(a, b, len(names))  # each of two names may have found the other
    model, keys = model.with_votes(names, [(a, b)]), a.astype(np.int64) << 32 | b
    with progress.shown("Finding duplicates") as report:
        probability = model.probabilities(names, a, b, progress=report)
    cluster, keys, probability = clustered(model, names, keys, probability, least)

    rows = np.flatnonzero(of.name >= 0)
    name, text = of.name[rows], of.text[rows]
    commonest = rows[_first_of(name, -np.bincount(text)[text], rows)[1]]
    partner, best = _partners(cluster, keys, probability)
    _, first, number = np.unique(cluster[name], return_index=True, return_inverse=True)
    number = 1 + np.argsort(np.argsort(first))[number]  # in order of first appearance
    named, first = np.unique(name, return_index=True)
    _, chosen = _first_of(number[first], -np.bincount(name), -best[named], first)
    same_words, other = rows != commonest[name], name != chosen[number - 1]
    joined = np.where(same_words, commonest[name], np.where(other, commonest[partner[name]], -1))
    other &= ~same_words
    why = np.full(len(rows), SAME_WORDS, object)
    why[other] = _why(model, names, name[other], partner[name[other]])
    texts = pa.array(of.texts, pa.large_string())
    alone = joined < 0
    columns = {
        "cluster": pa.array(number),
        "size": pa.array(np.bincount(number)[number]),
        "representative": texts.take(pa.array(commonest[chosen[number - 1]])),
        "joined_with": texts.take(pa.array(joined, mask=alone)),
        "probability": pa.array(joins := np.where(same_words, 1.0, best[name]), mask=alone),
        "doubtful": pa.array(is_doubtful(joins), mask=alone),
        "why": pa.array(why, pa.large_string(), mask=alone),
    }
    take = pa.array(np.cumsum(of.name >= 0) - 1, mask=of.name < 0)
    made: dict[str, pa.Array | pa.ChunkedArray] = {"term": texts, "index": pa.array(read.places)}
    made |= {title: values.take(take) for title, values in columns.items()}
    made["note"] = pa.array([of.problems.get(row) for row in range(len(of))], pa.large_string())
    return pa.table(made | {title: values for title, values in read.others("").items() if title not in made})


def names_of(keys: NDArray[np.int64]) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Of pairs that are one number each, the smaller name first."""
    return (keys >> 32).astype(np.int32), (keys & 0xFFFFFFFF).astype(np.int32)


def clustered(
    model: PairModel, names: Names, keys: NDArray[np.int64], probability: NDArray[np.float64], least: float
) -> tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.float64]]:
    """int32[names], the cluster of each name, numbered by its smallest member; and what is known now, every pair within a cluster included.

    Parameters
    ----------
    model : is asked for further pairs.
    keys, probability : the pairs that M was asked for, each once, sorted, and what it said.
    least : a pair matches from here on.
    """
    from .link_kernels import merge

    cluster = np.arange(len(names))
    for _ in range(_ROUNDS):
        first, second = names_of(keys)
        starts, matches = np.searchsorted(first, np.arange(len(names) + 1)), probability >= least
        likeliest = np.flatnonzero(matches)
        likeliest = likeliest[np.argsort(-probability[likeliest], kind="stable")]
        cluster, wanted = merge(first, second, starts, matches, likeliest, _MOST_ASKED)
        if not len(wanted):
            break
        wanted = np.unique(wanted)
        found = model.probabilities(names, *names_of(wanted))
        keys, probability = np.concatenate([keys, wanted]), np.concatenate([probability, found])
        order = np.argsort(keys)
        keys, probability = keys[order], probability[order]
    else:
        warn(
            f"After {_ROUNDS} rounds some clusters of the {len(names):,} names were not yet held against each other: two that stand apart may match. "
            "The option 'candidates' compares more of them at once."
        )
    _, smallest, of = np.unique(cluster, return_index=True, return_inverse=True)
    return smallest[of].astype(np.int32), keys, probability


def _first_of(group: NDArray[np.integer], *by: NDArray[np.generic]) -> tuple[NDArray[np.integer], NDArray[np.int64]]:
    """The different groups, and of each the place of its least member by these keys, the first key before the second."""
    order = np.lexsort((*by[::-1], group))
    found, at = np.unique(group[order], return_index=True)
    return found, order[at]


def _partners(
    cluster: NDArray[np.int32], keys: NDArray[np.int64], probability: NDArray[np.float64]
) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
    """Of each name the other of its cluster that it matches best (of equals, the first), -1 for none, and the probability, 0 for none."""
    first, second = names_of(keys)
    within = cluster[first] == cluster[second]
    each = np.concatenate([first[within], second[within]])
    others, matching = np.concatenate([second[within], first[within]]), np.tile(probability[within], 2)
    partner, best = np.full(len(cluster), -1, np.int32), np.zeros(len(cluster))
    found, at = _first_of(each, -matching, others)
    partner[found], best[found] = others[at], matching[at]
    return partner, best


def _why(model: PairModel, names: Names, a: NDArray[np.int32], b: NDArray[np.int32]) -> list[str]:
    """What the graph or the words say of each pair of names; else what M takes it for."""
    if not len(a) or model.trained.relation is None:
        return ["M takes them for a match"] * len(a)
    batch = Batch(model, names, a, b)
    found = zip(batch.reasons(), batch.relations().kinds, strict=True)
    return [why or f"M takes them for {kind}" for why, kind in found]
