"""How good an encoder is by itself, on names that its training has not seen: ICD categories, and judged pairs."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...features.kernels import cosine
from ...files.tables import required_columns
from ...terms.encoders import Encoder
from ...terms.icd import IcdIndex
from ...terms.text.normalizer import Normalizer
from ...training.statistics.measure import average_precision
from ..diseases.tables import without_mark
from .data import ORPHANET, Synonyms


@dataclass(frozen=True)
class Queries:
    """Normalised names, the ICD categories that are right for each, and whether it is the disease's main name."""

    texts: list[str]
    categories: list[frozenset[str]]
    main: NDArray[np.bool_]

    def take(self, kept: NDArray[np.bool_]) -> Queries:
        at = np.flatnonzero(kept)
        return Queries([self.texts[i] for i in at], [self.categories[i] for i in at], self.main[at])


def read_queries(path: str | os.PathLike[str], synonyms: Sequence[Synonyms], normalizer: Normalizer) -> Queries:
    """From Orphadata's table (`orpha`, `name`, `icd10`, `relation`): the names of relation E, and their synonyms.

    Synonyms are found by the id. A name that several diseases share may have several right categories.
    Errors: `InputError` for a missing column.
    """
    others: dict[str, list[str]] = defaultdict(list)
    for source in synonyms:
        for identity, second in zip(source.ids, source.second, strict=True):
            if identity:
                others[identity].append(second)
    found: dict[str, tuple[set[str], bool]] = {}
    for orpha, name, code, kind in required_columns(path, "orpha", "name", "icd10", "relation"):
        if kind != "E":
            continue
        names = [without_mark(name), *others.get(f"{ORPHANET}{orpha}", [])]
        for position, text in enumerate(map(normalizer, names)):
            categories, main = found.get(text, (set(), False))
            found[text] = (categories | {code[:3]}, main or position == 0)
    texts = sorted(found)
    return Queries(
        texts, [frozenset(found[text][0]) for text in texts], np.array([found[text][1] for text in texts], np.bool_)
    )


def icd_category_right(encoder: Encoder, queries: Queries, normalizer: Normalizer) -> NDArray[np.bool_]:
    """[n, 2]: whether the nearest code of ICD-10-CM, and any of the 15 nearest, lies in a right category."""
    index = IcdIndex.open("icd10cm", encoder, normalizer)
    right = np.zeros((len(queries.texts), 2), np.bool_)
    for i, nodes in enumerate(index.candidates(queries.texts).nodes):
        categories = [index.tree.codes[category] for category in index.category_of(nodes[nodes >= 0]).tolist()]
        hits = [category in queries.categories[i] for category in categories]
        right[i] = hits[0], any(hits)
    return right


def judged_pairs(encoder: Encoder, path: str | os.PathLike[str], normalizer: Normalizer) -> dict[str, Any]:
    """The number of judged pairs, and the average precision of the cosine alone.

    Pairs with a side that holds no letter and no digit are left out of both.
    """
    read = required_columns(path, "expert", "algorithm", "label")
    rows = [(normalizer(a or ""), normalizer(b or ""), label) for a, b, label in read]
    rows = [row for row in rows if row[0] and row[1]]
    names, places = np.unique([row[:2] for row in rows], return_inverse=True)
    first, second = places.reshape(-1, 2).T.astype(np.int32)
    scores = np.empty(len(rows), np.float32)
    cosine(np.ascontiguousarray(encoder.encode(names.tolist()), np.float32), first, second, scores)
    precision = average_precision(scores, np.array([row[2] == "1" for row in rows], np.int8))[0]
    return {"pairs": len(rows), "pairs_average_precision": round(float(precision), 4)}
