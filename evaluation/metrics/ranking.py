"""Ranked answers against the right ones: how early does a list name the reference, and what else does it rank before?

What is right is given: by M, by code, by category, or in degrees.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...errors import OptionError
from .declaration import declare
from .hierarchical import H_DDX
from .relative import check_k

DEPTH = 10
"""Ranks that MRR and nDCG look at."""
_HITS = "an array of True and False [cases, ranks], with at least one case"


def _hits_example(generator: np.random.Generator) -> dict[str, Any]:
    n, width = (int(generator.integers(1, 6)) for _ in range(2))
    return {"hits": generator.random((n, width)) < 0.3, "k": int(generator.integers(1, 6))}


@declare(
    symbol="Acc",
    description="The share of cases in which the reference is among the first k diagnoses.",
    meaning="The share of patients whose right diagnosis is among the first k of the list.",
    good="1 is every patient; top-1 asks for the leading diagnosis, top-5 whether a physician would find it on the list.",
    use="each case has one right answer, and lists are ranked",
    avoid="lists differ in length, at a k beyond the shorter ones",
    formula="Acc@k = sum_i [a diagnosis of rank <= k is the reference] / n",
    source=H_DDX,
    inputs="hits [n, K]: whether the diagnosis at each rank is the reference: by M, by code or by category; k",
    range="[0, 1]",
    denominator="n, the number of cases",
    degenerate=(("no case", "refused"), ("a list shorter than k", "its ranks count, no others")),
    example=_hits_example,
    axes={"hits": "case"},
    order_free=("case",),
    repeat_free=("case",),
    grows_with=("hits",),
)
def top_k_accuracy(hits: ArrayLike, k: int) -> float:
    """Top-k accuracy.

    >>> top_k_accuracy([[False, True], [True, False], [False, False]], k=1)
    0.3333333333333333
    """
    found = np.asarray(hits)
    if found.ndim != 2 or len(found) == 0 or found.dtype != bool:
        raise OptionError("hits", _HITS, hits)
    return float(found[:, : check_k(k)].any(1).mean())


@declare(
    symbol="MRR",
    description="The mean of 1 / rank of the first right diagnosis: 1 if it always comes first, 1/2 if it always comes second.",
    meaning="How far down the list the right diagnosis first stands: 1 is always first, 1/2 second, 1/3 third on average.",
    good="1 is the right diagnosis first in every patient; it lies between top-1 and top-10 accuracy, near top-1.",
    use="each case has one right answer, and its place matters",
    avoid="a case has several right answers: only the first that is named counts",
    formula="MRR = sum_i 1 / rank_i / n, rank_i of the first diagnosis that is the reference; 1 / rank_i = 0 beyond the first k",
    source="Voorhees 1999, The TREC-8 question answering track report",
    inputs="hits [n, K]: whether the diagnosis at each rank is the reference; k, 10 by default",
    range="[0, 1]",
    denominator="n, the number of cases",
    degenerate=(("no case", "refused"), ("no right diagnosis among the first k", "0"), ("an empty list", "0")),
    example=_hits_example,
    axes={"hits": "case"},
    order_free=("case",),
    repeat_free=("case",),
    grows_with=("hits",),
)
def mrr(hits: ArrayLike, k: int = DEPTH) -> float:
    """Mean reciprocal rank.

    >>> mrr([[False, True], [True, False], [False, False]])  # (1/2 + 1 + 0) / 3
    0.5
    """
    found = np.asarray(hits)
    if found.ndim != 2 or len(found) == 0 or found.dtype != bool:
        raise OptionError("hits", _HITS, hits)
    return float(reciprocal_ranks(found[:, : check_k(k)]).mean())


def reciprocal_ranks(hits: NDArray[np.bool_]) -> NDArray[np.float64]:
    """1 / rank of the first hit along the last axis, 0 where there is none: float64 [...] of bool [..., K]."""
    if not hits.shape[-1]:
        return np.zeros(hits.shape[:-1])
    return np.where(hits.any(-1), 1 / (hits.argmax(-1) + 1), 0.0)


def _gains_example(generator: np.random.Generator) -> dict[str, Any]:
    n, ranks, references = (int(generator.integers(1, high)) for high in (6, 6, 4))
    given = generator.random((n, references)) < 0.6
    given[:, 0] |= ~given.any(1)
    gains = generator.integers(0, 5, (n, ranks, references)) / 4
    return {"gains": gains, "given": given, "k": int(generator.integers(1, ranks + 2))}


@declare(
    symbol="nDCG",
    description="How early a list comes near the reference diagnoses, with partial credit, against a list that names them all first.",
    meaning="How early the right diagnoses come, with partial credit for answers that are near: a class, a kind, close kin.",
    good="1 is every right diagnosis named exactly, before all else; near kin alone, ranked first, reaches 0.06 to 0.56.",
    use="a case has several right answers, or near answers shall count in part",
    avoid="one number shall say how often a model is right: then top-k accuracy",
    formula="nDCG@k = mean_i min(1, DCG_i / IDCG_i), DCG = sum_j (sum_d max_{l <= j} g_ld - sum_d max_{l < j} g_ld) / log2(j + 1), "
    "IDCG = sum_{j <= min(k, references)} 1 / log2(j + 1)",
    source="Järvelin and Kekäläinen 2002, Cumulated gain-based evaluation of IR techniques",
    inputs="gains [n, K, D], from 0 to 1: how near the diagnosis at a rank comes to each reference, ((5 - D)/4)^2 with Kernel29's "
    "D, 1 for a match; given [n, D]: the case has the reference; k, 10 by default",
    range="[0, 1]",
    denominator="the gain of a list that names every reference first, in each case; then the number of cases",
    degenerate=(
        ("a reference that is named twice", "counts once: a rank gains what it adds to the best so far"),
        ("one diagnosis that names several references", "gains all of them; no case gains more than 1"),
        ("no case, or a case without a reference", "refused"),
        ("an empty list", "0"),
    ),
    example=_gains_example,
    axes={"gains": "case, rank, reference", "given": "case, reference"},
    order_free=("case", "reference"),
    repeat_free=("case",),
    grows_with=("gains",),
)
def ndcg(gains: ArrayLike, given: ArrayLike, k: int = DEPTH) -> float:
    """Normalised discounted cumulative gain, averaged over the cases.

    >>> ndcg([[[0.0], [1.0]]], [[True]])  # 1 / log2(3)
    0.6309297535714575
    """
    near, there = np.asarray(gains, float), np.asarray(given)
    if there.ndim != 2 or there.dtype != bool or not len(there) or not there.any(1).all():
        raise OptionError("given", "bool [cases, references], at least one case, in each at least one True", given)
    if near.ndim != 3 or (len(near), near.shape[-1]) != there.shape or not ((near >= 0) & (near <= 1)).all():
        allowed = f"numbers from 0 to 1 [{there.shape[0]} cases, ranks, {there.shape[1]} references]"
        raise OptionError("gains", allowed, gains)
    return float(normalised_gains(near, there, check_k(k)).mean())


def normalised_gains(gains: NDArray[np.floating[Any]], given: NDArray[np.bool_], k: int) -> NDArray[np.float64]:
    """nDCG of each list: float64 [n, ...]; NaN in a case without a reference.

    gains : [n, ..., K, D], from 0 to 1. given : bool [n, D].
    """
    there = given.reshape(len(given), *[1] * (gains.ndim - 2), -1)
    best = np.maximum.accumulate(np.where(there, gains[..., :k, :], 0), -2).sum(-1, dtype=float)
    discount = 1 / np.log2(np.arange(2, k + 2))
    gained = np.diff(best, axis=-1, prepend=0) @ discount[: best.shape[-1]]
    ideal = np.append(0, np.cumsum(discount))[np.minimum(given.sum(1), k)].reshape(-1, *[1] * (gained.ndim - 1))
    return np.divide(np.minimum(gained, ideal), ideal, out=np.full(gained.shape, np.nan), where=ideal > 0)
