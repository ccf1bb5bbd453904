"""From a pool of unlabelled pairs to those that experts shall label."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from ..errors import InputError, OptionError
from ..features.compute import feature_table
from ..features.interning import InternedPairs, intern_pairs
from ..features.representations import Representations
from ..files.invisible import read_visible
from ..files.pairs import Pairs, read_pairs
from ..matcher.match_function import MatchFunction
from ..training.statistics.split import Groups, beyond_chance, held_out
from .pick import capped, diverse, pair_vectors, uncertainty
from .suggestion import RANDOM, UNCERTAIN, Suggestion

PER_DIAGNOSIS = 5
RANDOM_SHARE = 0.1
CANDIDATES_PER_PICK = 5
DEFAULT_SPLIT = {"seed": 0, "test_share": 0.2}
"""That of `train`, for a model that does not say its own."""


def suggest(
    m: MatchFunction,
    pool: Any,
    n: int = 200,
    *,
    a: str = "a",
    b: str = "b",
    labelled: Sequence[Any] = (),
    random_share: float = RANDOM_SHARE,
    per_diagnosis: int = PER_DIAGNOSIS,
    seed: int = 0,
    rejects: str | os.PathLike[str] | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Suggestion:
    """The n pairs of a pool whose labels would teach M most: uncertain, unlike one another, and some drawn at random.

    Of the pool's pairs, each once in either order after normalisation, none counts that is equal then, labelled, or with a diagnosis that is not understood. A share
    is drawn at random from them. From the others come the least certain (see `uncertainty`), five times as many as are
    wanted; k-means parts these into as many clusters as are wanted, and each gives one (see `diverse`). The same seed, pool and M
    give the same pairs. Fewer than n are a warning of the `Suggestion`, none an `InputError`.

    Parameters
    ----------
    m : the match function to be taught. pool : a path or data frame with columns `a` and `b`.
    labelled : paths or data frames of pairs that have labels, or are out for labelling, in columns `a` and `b` of the
        pool's names or of these.
    random_share : of the n, in [0, 1]. On these alone can the share of matches, and how well M's probabilities fit, be
        estimated without bias.
    per_diagnosis : in how many of the pairs not drawn at random one diagnosis may stand, after normalisation.
    rejects : a file for the pool's rows that cannot be right; without it the first of them is an `InputError`.
    """
    _check(n, random_share, per_diagnosis, seed)
    read = read_pairs(pool, a=a, b=b, rejects=rejects, visible=True)
    others = [_labelled(source, a, b) for source in labelled]
    unique = intern_pairs(
        pa.chunked_array([chunk for pairs in (read, *others) for chunk in pairs.a.chunks]),
        pa.chunked_array([chunk for pairs in (read, *others) for chunk in pairs.b.chunks]),
        m.providers.naming,
    )
    present, first_row = np.unique(unique.pair_of_row[: len(read)], return_index=True)
    taken = np.zeros(len(unique.first), bool)
    taken[unique.pair_of_row[len(read) :]] = True
    unscored = m.unscored(unique)[first_row]
    free = ~unique.equal[present] & ~taken[present] & ~unscored
    counts = {
        "rows": len(read),
        "set_aside": read.n_rejected,
        "repeated": len(read) - len(present),
        "equal": int(unique.equal[present].sum()),
        "labelled": int((taken & ~unique.equal)[present].sum()),
        "not_understood": int(unscored.sum()),
        "free": int(free.sum()),
    }
    if not counts["free"]:
        raise InputError(
            "no pair is left to suggest", source=read.table.source,
            allowed="pairs that differ after normalisation and have no label yet", got=counts,
        )  # fmt: skip
    pairs, rows = present[free], first_row[free]
    references = Groups.of(m.providers.naming(read.a.take(pa.array(rows)).to_pylist()))
    split = m.data.get("split", DEFAULT_SPLIT)
    measures = held_out(references, split["test_share"], split["seed"])
    first, second = unique.first[pairs], unique.second[pairs]
    probability = m.probabilities(read.a.take(pa.array(rows)), read.b.take(pa.array(rows)), progress=progress)

    wanted = min(n, len(pairs))
    by_chance = np.random.default_rng(seed).permutation(len(pairs))[: round(random_share * wanted)]
    weight, left = uncertainty(probability, m.threshold), wanted - len(by_chance)
    order = np.argsort(-weight, kind="stable")
    order = order[~np.isin(order, by_chance)]
    uncertain = capped(order, first, second, CANDIDATES_PER_PICK * left, per_diagnosis)
    if len(uncertain) > left:
        vectors = _vectors(m, unique.names, first[uncertain], second[uncertain])
        uncertain = uncertain[diverse(vectors, weight[uncertain], left, seed)]
    chosen = np.concatenate([by_chance, uncertain])
    why = np.repeat([RANDOM, UNCERTAIN], [len(by_chance), len(uncertain)])
    order = np.argsort(rows[chosen], kind="stable")
    chosen, why = chosen[order], why[order]
    counts["held_out"] = int(measures[chosen].sum())
    key = pa.table(
        {
            "id": [_identity(unique.names[first[i]], unique.names[second[i]]) for i in chosen.tolist()],
            "row": read.row[rows[chosen]],
            "a": read.a.take(pa.array(rows[chosen])).cast(pa.string()).combine_chunks(),
            "b": read.b.take(pa.array(rows[chosen])).cast(pa.string()).combine_chunks(),
            "chosen": why.tolist(),
            "probability": probability[chosen],
        }
    )
    made_with = {
        "model": m.identity, "threshold": m.threshold, "pool": read.table.source, "counts": counts, "asked": n,
        "random_share": random_share, "per_diagnosis": per_diagnosis, "seed": seed, "split": dict(split),
    }  # fmt: skip
    told = _warnings(n, len(chosen), counts["free"], per_diagnosis, counts["not_understood"])
    told += _held_out_warning(references, measures, split)
    return Suggestion(key, made_with, tuple(told))


def _check(n: int, random_share: float, per_diagnosis: int, seed: int) -> None:
    if n < 1:
        raise OptionError("n", "1 or more", n)
    if not 0 <= random_share <= 1:
        raise OptionError("random_share", "between 0 and 1", random_share)
    if per_diagnosis < 1:
        raise OptionError("per_diagnosis", "1 or more", per_diagnosis)
    if seed < 0:
        raise OptionError("seed", "0 or more", seed)


def _labelled(source: Any, a: str, b: str) -> Pairs:
    table = read_visible(source)
    columns = (a, b) if {a, b} <= set(table.names) else ("a", "b")
    return read_pairs(table, a=columns[0], b=columns[1])


def _vectors(
    m: MatchFunction, names: list[str], first: NDArray[np.int32], second: NDArray[np.int32]
) -> NDArray[np.float32]:
    """float32[c, d]: where c pairs of `names` lie among each other; computed for these alone."""
    codes, places = np.unique(np.stack([first, second]), return_inverse=True)
    left, right = places.reshape(2, -1).astype(np.int32)
    here = InternedPairs([names[code] for code in codes], left, right, np.arange(len(left)), np.zeros(len(left), bool))
    texts = Representations(here.names, m.providers)
    table = feature_table(here, m.features, m.providers, texts=texts)
    encoders = m.features.encoders
    return pair_vectors(table, texts.vectors(encoders[0]) if encoders else None, left, right)


def _identity(first: str, second: str) -> str:
    """The same for a pair in every suggestion, and no number that a spreadsheet would rewrite."""
    return "p" + hashlib.sha256("\0".join(sorted((first, second))).encode()).hexdigest()[:10]


def _held_out_warning(references: Groups, measures: NDArray[np.bool_], split: Mapping[str, Any]) -> list[str]:
    held, every = len(set(references.code[measures].tolist())), len(references.names)
    if not beyond_chance(held, every, split["test_share"]):
        return []
    return [
        f"{held:,} of {every:,} reference diagnoses in the pool are ones that the model's split holds out (test share {split['test_share']:g}, seed "
        f"{split['seed']}): a training with that seed measures on their labels and learns nothing from them. Another pool, or then another seed or a test share of 0, mends it."
    ]


def _warnings(asked: int, given: int, free: int, per_diagnosis: int, not_understood: int) -> list[str]:
    said = []
    if not_understood:
        said.append(f"{not_understood:,} pairs of the pool are set aside, since a diagnosis in them is not understood.")
    if free < asked:
        said.append(f"{asked:,} pairs were asked for; the pool has {free:,} that differ and have no label yet.")
    if given < min(asked, free):
        said.append(
            f"{given:,} pairs are suggested: more would put one diagnosis into over {per_diagnosis} of them; the limit"
            " per diagnosis can be raised."
        )
    return said
