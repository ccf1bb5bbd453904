"""The costs of `terms.icd.ranking`: fitted and measured on names whose disease the index does not know.

`python -m dxmatch.recipe.icd_weights FOLDER` reads the graph of diseases and Orphadata's codes in FOLDER, splits the diseases into
five folds, and prints, for the names of each fold looked up among ICD-10's own names and those of the other folds' diseases: the share
whose category is right by the cosine alone and by the score as it ships; then the costs that a logistic regression gives on four
folds, and how these do on the fifth. What ships is rounded by hand, with floors for what no diagnosis means by itself.
"""

from __future__ import annotations

import sys
import zlib
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..terms.encoders import Encoder
from ..terms.icd import IcdIndex, open_tree
from ..terms.icd.index import NEAREST
from ..terms.icd.ranking import MISSING, SAYINGS, WIDTH
from ..terms.text.normalizer import Normalizer
from .disease_codes import GRAPH_COST, CodedName, coded_names, more_names

FOLDS = 5
_SHORTLIST = 100
_RIDGE = 0.4


@dataclass(frozen=True)
class Looked:
    """What n names were looked up as, one row for each of the nearest names in the index.

    Attributes
    ----------
    values : float32[n, s, 3 + kinds], cosine, weight of the words that are missing, whether the name is from outside ICD-10, and the
        kinds in `SAYINGS` that only the name says.
    right : bool[n, s], whether it is a name of the right category.
    share : float64[n], how much each counts: the names of one disease together as the root of their number.
    """

    values: NDArray[np.float32]
    right: NDArray[np.bool_]
    share: NDArray[np.float64]


def fold_of(disease: str) -> int:
    """The same on every machine."""
    return zlib.crc32(disease.encode()) % FOLDS


def by_fold(coded: Sequence[CodedName], fold: int) -> tuple[list[CodedName], list[CodedName]]:
    """The names of the other folds' diseases, and those of this one's."""
    return [one for one in coded if fold_of(one.disease) != fold], [
        one for one in coded if fold_of(one.disease) == fold
    ]


def looked_up(index: IcdIndex, asked: Sequence[CodedName]) -> Looked:
    """The nearest names of `asked`, exactly."""
    names = [one.name for one in asked]
    said, entries, weights = index.wording.said(names), index.wording.entries, index.wording.weights
    vectors = index.encoder.encode(names)
    values = np.zeros((len(names), _SHORTLIST, 3 + len(SAYINGS)), np.float32)
    right = np.zeros(values.shape[:2], np.bool_)
    category = index.category_of(index.nodes)
    wanted = index.category_of(np.array([index.tree.find(one.code) for one in asked], np.int32))
    outside = index.costs > 0
    for i, vector in enumerate(vectors):
        cosines = index.vectors @ vector
        nearest = np.argpartition(-cosines, _SHORTLIST)[:_SHORTLIST]
        words = said.ids[said.offsets[i] : said.offsets[i + 1]]
        for j, entry in enumerate(nearest.tolist()):
            its = entries.ids[entries.offsets[entry] : entries.offsets[entry + 1]]
            values[i, j, 1] = weights[np.setdiff1d(words, its)].sum()
        values[i, :, 0], values[i, :, 2] = cosines[nearest], outside[nearest]
        unsaid = entries.bits[nearest] & ~said.bits[i]
        values[i, :, 3:] = unsaid[:, None] >> np.arange(len(SAYINGS)) & 1
        right[i] = category[nearest] == wanted[i]
    counts: dict[str, int] = defaultdict(int)
    for one in asked:
        counts[one.disease] += 1
    return Looked(values, right, np.array([counts[one.disease] ** -0.5 for one in asked]))


def fitted(looked: Looked) -> NDArray[np.float64]:
    """float64[2 + kinds], the costs: of a missing word's weight, of a name from outside ICD-10, of each kind; none below 0.

    A logistic regression on which name is right (the probability of the right ones together), with a ridge.
    """
    from scipy.optimize import minimize

    known = looked.right.any(1)
    values, right, share = looked.values[known].astype(float), looked.right[known], looked.share[known]
    start = np.zeros(values.shape[2])
    start[0] = 1 / WIDTH

    def loss(weights: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        scores = values @ weights
        powers = np.exp(scores - scores.max(1, keepdims=True))
        of_all, of_right = powers.sum(1), (powers * right).sum(1)
        value = (share * np.log(of_all / of_right)).sum() + _RIDGE * ((weights - start) ** 2).sum()
        pull = (powers / of_all[:, None] - powers * right / of_right[:, None]) * share[:, None]
        return float(value), np.einsum("ns,nsf->f", pull, values) + 2 * _RIDGE * (weights - start)

    bounds = [(1.0, None), *[(None, 0.0)] * (len(start) - 1)]
    weights = minimize(loss, start, jac=True, method="L-BFGS-B", bounds=bounds, options={"maxiter": 60}).x
    return -weights[1:] / weights[0]


def share_right(looked: Looked, costs: NDArray[np.float64]) -> float:
    """Of all names, by the cosine less the costs."""
    best = (looked.values[..., 0] - looked.values[..., 1:] @ costs).argmax(1)
    return float(looked.right[np.arange(len(best)), best].mean())


def measured(index: IcdIndex, asked: Sequence[CodedName]) -> dict[str, float]:
    """Shares of `asked`: right at category by the cosine, right by the score, unmapped."""
    names = [one.name for one in asked]
    wanted = index.category_of(np.array([index.tree.find(one.code) for one in asked], np.int32))
    nearest, found = index.candidates(names, 1).nodes[:, 0], index.assign(names)
    return {
        "cosine": float((index.category_of(nearest) == wanted).mean()),
        "score": float((index.category_of(index.ranked(names, 1).nodes[:, 0]) == wanted).mean()),
        "unmapped": float((found.how > NEAREST).mean()),
    }


def main(folder: str, encoder: Encoder, normalizer: Normalizer) -> None:
    """Prints what the module says."""
    tree = open_tree("icd10cm")
    coded = coded_names(folder, tree, normalizer, encoder)
    for what, those in (("graph", [one for one in coded if one.cost == GRAPH_COST]), ("graph and rare", coded)):
        for fold in range(FOLDS):
            known, asked = by_fold(those, fold)
            index = IcdIndex.open("icd10cm", encoder, normalizer, False, more_names(known))
            of = [one for one in asked if one.cost == GRAPH_COST]
            told = " ".join(f"{name} {value:.4f}" for name, value in measured(index, of).items())
            print(f"names of {what}, fold {fold}: {len(of):,} names, {told}")
    graph = [one for one in coded if one.cost == GRAPH_COST]
    looked = []
    for fold in range(FOLDS):
        others, its = by_fold(graph, fold)
        index = IcdIndex.open("icd10cm", encoder, normalizer, False, more_names(others))
        looked.append(looked_up(index, its))
    train = Looked(
        *(np.concatenate([getattr(one, name) for one in looked[1:]]) for name in ("values", "right", "share"))
    )
    costs = fitted(train)
    shipped = np.array([MISSING, GRAPH_COST, *(saying.cost for saying in SAYINGS.values())])
    for name, mine, ships in zip(("missing word", "outside", *SAYINGS), costs, shipped, strict=True):
        print(f"{name:<14} fitted {mine:.3f} ships {ships:.3f}")
    print(f"fold 0, without agreement: cosine {share_right(looked[0], costs * 0):.4f}, fitted {share_right(looked[0], costs):.4f},"
          f" ships {share_right(looked[0], shipped):.4f}")  # fmt: skip


if __name__ == "__main__":
    from ..matcher.match_function import load

    providers = load(None).providers
    main(sys.argv[1], providers.encoder("shipped"), providers.normalizer)
