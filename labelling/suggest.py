"""From a pool of unlabelled pairs to those that experts shall label."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import numpy as np
import pyarrow as pa

from ..errors import InputError
from ..files.invisible import read_visible
from ..files.pairs import Pairs, read_pairs
from ..files.reading import OF_TABLES, Reading
from ..matcher.batch import Batch
from ..matcher.match_function import MatchFunction, load
from ..options import Between, Table, checked
from .pick import capped, diverse, pair_vectors, uncertainty
from .suggestion import RANDOM, UNCERTAIN, Suggestion, check_experts

EXPERTS = ("expert_1", "expert_2", "expert_3")
CANDIDATES_PER_PICK = 5


@checked
def suggest(
    pool: Table,
    n: Annotated[int, Between(1)] = 200,
    *,
    experts: Sequence[str] = EXPERTS,
    matcher: Any = None,
    labelled: Sequence[Table] = (),
    a: str = "a",
    b: str = "b",
    random_share: Annotated[float, Between(0, 1)] = 0.1,
    per_diagnosis: Annotated[int, Between(1)] = 5,
    seed: Annotated[int, Between(0)] = 0,
    reading: Annotated[Reading, *OF_TABLES] = Reading(),
) -> Suggestion:
    """Suggests the n pairs of a pool whose labels would teach M most: uncertain, unlike one another, and some drawn at random.

    Of the pool's pairs, each once in either order after normalisation, none counts that is equal then, labelled, or with a diagnosis that is not understood. A share
    is drawn at random from them. From the others come the least certain (see `uncertainty`), five times as many as are
    wanted; k-means parts these into as many clusters as are wanted, and each gives one (see `diverse`). The same seed, pool and M
    give the same pairs.

    Parameters
    ----------
    pool : table
        Unlabelled pairs.
    n : int
        How many pairs.
    experts : sequence of str
        Who will label, by names that become columns; an odd number has fewer ties.
    matcher : MatchFunction or path, optional
        The match function to be taught; the shipped one if not given.
    labelled : sequence of tables
        Pairs that have labels, or are out for labelling (the key.csv of an earlier suggestion), in columns `a` and `b` of the pool's
        names or of these; none of them is suggested.
    a, b : str
        The columns of the two diagnoses.
    random_share : float
        Of the n, drawn at random. On these alone can the share of matches, and how well M's probabilities fit, be estimated without bias.
    per_diagnosis : int
        In how many of the pairs not drawn at random one diagnosis may stand, after normalisation.
    seed : int
        Of the draw, of the clusters and of the order in the sheets.
    reading : Reading
        How the pool is read.

    Returns
    -------
    Suggestion
        Whose `save(folder)` writes a sheet for each expert to label blind, and whose `words()` say what was picked from what.

    Raises
    ------
    InputError
        Where no pair is left to suggest.
    """
    who, m = check_experts(experts), matcher if isinstance(matcher, MatchFunction) else load(matcher)
    read = read_pairs(pool, a=a, b=b, rejects=reading.rejects, encoding=reading.encoding, visible=True)
    others = [_labelled(source, a, b) for source in labelled]
    unique = m.model.batch(
        pa.chunked_array([chunk for pairs in (read, *others) for chunk in pairs.a.chunks]),
        pa.chunked_array([chunk for pairs in (read, *others) for chunk in pairs.b.chunks]),
    )
    present, first_row = np.unique(unique.pair_of_row[: len(read)], return_index=True)
    taken = np.zeros(len(unique.first), bool)
    taken[unique.pair_of_row[len(read) :]] = True
    unscored = unique.unscored[first_row]
    free = ~unique.equal[present] & ~taken[present] & ~unscored
    counts = {
        "rows": len(read),
        "set aside": read.n_rejected,
        "the same pair again": len(read) - len(present),
        "equal after normalisation": int(unique.equal[present].sum()),
        "labelled already": int((taken & ~unique.equal)[present].sum()),
        "not understood": int(unscored.sum()),
        "free": int(free.sum()),
    }
    if not counts["free"]:
        raise InputError(
            "no pair is left to suggest", source=read.source,
            allowed="pairs that differ after normalisation and have no label yet", got=counts,
        )  # fmt: skip
    pairs, rows = present[free], first_row[free]
    a_side, b_side = (side.take(pa.array(rows)) for side in (read.a, read.b))
    first, second = unique.first[pairs], unique.second[pairs]
    names = unique.names
    probability = m.model.probabilities(names, unique.a[rows], unique.b[rows])

    wanted = min(n, len(pairs))
    by_chance = np.random.default_rng(seed).permutation(len(pairs))[: round(random_share * wanted)]
    weight, left = uncertainty(probability, m.threshold), wanted - len(by_chance)
    order = np.argsort(-weight, kind="stable")
    order = order[~np.isin(order, by_chance)]
    uncertain = capped(order, first, second, CANDIDATES_PER_PICK * left, per_diagnosis)
    if len(uncertain) > left:
        near, encoders = Batch(m.model, names, first[uncertain], second[uncertain]), m.features.encoders
        of_names = names.vectors(encoders[0]) if encoders else None
        vectors = pair_vectors(near.features[near.pair_of_row], of_names, near.a, near.b)
        uncertain = uncertain[diverse(vectors, weight[uncertain], left, seed)]
    chosen = np.concatenate([by_chance, uncertain])
    why = np.repeat([RANDOM, UNCERTAIN], [len(by_chance), len(uncertain)])
    order = np.argsort(rows[chosen], kind="stable")
    chosen, why = chosen[order], why[order]

    key = pa.table({
        "row": read.row[rows[chosen]],
        "a": a_side.take(pa.array(chosen)).cast(pa.string()).combine_chunks(),
        "b": b_side.take(pa.array(chosen)).cast(pa.string()).combine_chunks(),
        "chosen": why.tolist(),
        "probability": probability[chosen],
    })  # fmt: skip
    made_with = {
        "match_function": m.identity, "threshold": m.threshold, "pool": read.source, "counts": counts, "asked": n,
        "random_share": random_share, "per_diagnosis": per_diagnosis, "seed": seed,
    }  # fmt: skip
    return Suggestion(key, who, made_with)


def _labelled(source: Any, a: str, b: str) -> Pairs:
    table = read_visible(source)
    columns = (a, b) if {a, b} <= set(table.names) else ("a", "b")
    return read_pairs(table, a=columns[0], b=columns[1])
