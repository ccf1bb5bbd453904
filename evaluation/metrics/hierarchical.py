"""Hierarchical precision and recall of ICD-10 codes, each with all that stands above it in the tree.

Source of all: H-DDx.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...errors import InputError, OptionError
from ...terms.icd.ancestor_sets import Overlap, Paths, overlap
from ...terms.icd.codes import Place, nodes_of_cells, padded
from ...terms.icd.sources import open_tree, source_identity
from ...terms.icd.tree import IcdTree
from .declaration import declare

H_DDX = "H-DDx"
Codes = Sequence[Sequence[str]]


def harmonic_mean(precision: ArrayLike, recall: ArrayLike) -> NDArray[np.float64]:
    """`2 P R / (P + R)`, elementwise; 0, its limit, where both are 0. NaN where either is."""
    p, r = np.asarray(precision, float), np.asarray(recall, float)
    return np.divide(2 * p * r, p + r, out=np.where(np.isnan(p + r), np.nan, 0.0), where=p + r > 0)


def mean_of_defined(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Over the first axis, of what is not NaN; NaN where nothing is."""
    held = ~np.isnan(values)
    count = held.sum(0)
    total = np.where(held, values, 0).sum(0)
    return np.divide(total, count, out=np.full(total.shape, np.nan), where=count > 0)


@lru_cache(maxsize=4)
def _opened(source: str, identity: str) -> tuple[IcdTree, Paths]:
    tree = open_tree(source)
    if (tree.parents < 0).all():
        raise InputError("a list of terms, and no tree", source=source, allowed="codes with a column 'parent'")
    return tree, Paths.of(tree)


def opened(source: str) -> tuple[IcdTree, Paths]:
    """The tree of `source` and its paths, kept as long as it is the same."""
    return _opened(source, source_identity(source))


def _overlap_of_codes(reference_codes: Codes, predicted_codes: Codes, source: str) -> Overlap:
    tree, paths = opened(source)
    nodes = []
    for name, codes in (("reference_codes", reference_codes), ("predicted_codes", predicted_codes)):
        if isinstance(codes, str) or len(codes) == 0 or any(isinstance(case, str) for case in codes):
            raise OptionError(name, "a list of lists of codes, one list for each case, at least one", codes)
        first = {code: Place(row, name) for row in reversed(range(len(codes))) for code in codes[row]}
        node_of = nodes_of_cells(first, tree, source)
        nodes.append(padded(tuple(node for code in case for node in node_of[code]) for case in codes))
    reference, predicted = nodes
    if len(reference) != len(predicted):
        raise OptionError("predicted_codes", f"as long as reference_codes ({len(reference)})", len(predicted))
    return overlap(predicted[:, None], reference, paths)


_POOL = ("J40", "J44.9", "J47", "C34", "C34.90", "I26", "A15-A19", "B20", "S22.3")


def _sets_of_codes(generator: np.random.Generator) -> dict[str, Any]:
    n, most = generator.integers(1, 4), generator.integers(1, 5)

    def drawn() -> list[list[str]]:
        return [generator.choice(_POOL, generator.integers(0, most)).tolist() for _ in range(n)]

    return {"reference_codes": drawn(), "predicted_codes": drawn()}


_OF_CODES: dict[str, Any] = {
    "source": H_DDX,
    "inputs": "reference_codes, predicted_codes: a list of ICD-10 codes for each case; source: icd10cm, icd10 or a CSV",
    "range": "[0, 1]",
    "example": _sets_of_codes,
    "axes": {"reference_codes": "case, diagnosis", "predicted_codes": "case, diagnosis"},
    "order_free": ("case", "diagnosis"),
    "repeat_free": ("case", "diagnosis"),
}
_NOTHING_SAID = ("a case in which no code is predicted", "left out: 0 of 0; NaN where all are")
_NO_REFERENCE = ("a case in which the reference has no code", "left out: 0 of 0; NaN where all are")


@declare(
    symbol="HDP",
    description="How much of what is predicted is true, with partial credit for the right branch of ICD-10.",
    meaning="How much of what the list says lies in the right branches of ICD-10.",
    good="A list of five with one exact hit and four strangers has about 0.2: a differential costs precision. Compare lists of one length.",
    use="near misses deserve part of the credit",
    avoid="lists differ in length",
    formula="HDP = mean_i |C_i & C^_i| / |C^_i|, C = Augment(D): the codes and all their ancestors",
    denominator="the size of the predicted codes' augmented set, in each case; then the number of cases",
    degenerate=(_NOTHING_SAID, ("no case", "refused")),
    **_OF_CODES,
)
def hdp(reference_codes: Codes, predicted_codes: Codes, source: str = "icd10cm") -> float:
    """Hierarchical precision. Errors: `InputError` for a code that the tree lacks, with the number of its case.

    >>> hdp([["J40", "C34"]], [["J47", "C34.9"]])  # J47 and C34.9 of 7 nodes are not above or in the reference
    0.7142857142857143
    """
    return float(mean_of_defined(_overlap_of_codes(reference_codes, predicted_codes, source).precision[:, 0, 0]))


@declare(
    symbol="HDR",
    description="How much of what is true is predicted, with partial credit for the right branch of ICD-10.",
    meaning="How much of the right answer's branch of ICD-10 the list covers.",
    good="1: the right code is in the list, or all of its branch is. It rises with the length of the list.",
    use="near misses deserve part of the credit",
    avoid="lists differ in length",
    formula="HDR = mean_i |C_i & C^_i| / |C_i|, C = Augment(D): the codes and all their ancestors",
    denominator="the size of the reference codes' augmented set, in each case; then the number of cases",
    degenerate=(_NO_REFERENCE, ("no case", "refused")),
    **_OF_CODES,
)
def hdr(reference_codes: Codes, predicted_codes: Codes, source: str = "icd10cm") -> float:
    """Hierarchical recall. Errors: as `hdp`.

    >>> hdr([["J40", "C34"]], [["J47", "C34.9"]])  # all 6 but J40
    0.8333333333333334
    """
    return float(mean_of_defined(_overlap_of_codes(reference_codes, predicted_codes, source).recall[:, 0, 0]))


@declare(
    symbol="HDF1",
    description="HDP and HDR in one: the harmonic mean of the two averages.",
    meaning="Partial credit for the right chapter, section or category of ICD-10: HDP and HDR in one.",
    good="Its ceiling is far below 1: five diagnoses, one exact and four strangers, reach about 0.3; one exact diagnosis alone reaches 1. Compare at the same k only.",
    use="models are compared that often miss by a little",
    avoid="one number shall say how often a model is right: then top-k accuracy",
    formula="HDF1 = 2 HDP HDR / (HDP + HDR)",
    denominator="HDP + HDR, each an average over cases",
    degenerate=(
        ("HDP or HDR is undefined", "NaN"),
        ("HDP and HDR are 0", "0: a harmonic mean lies between the two"),
        ("no case", "refused"),
    ),
    notes=(
        "by level (Figure 3 of the source: chapter, section, category, subcategory) C and C^ keep the nodes of that level alone, an extension "
        "by a seventh character among the subcategories; HDP and HDR are averages over the cases that have such nodes; an evaluation gives "
        "`HDF1(section)@5` and the others",
        "by chapter (Table 7) C and C^ keep the nodes of that chapter alone, in the cases whose reference has a code in it: a list that "
        "enters it nowhere is not in HDP and 0 in HDR there, and HDF1 is 0 where HDR is; `HDF1(J00-J99)@5`",
        "of the 8 printed cases (Tables 3 and 8) 6 come out as their codes are printed, and all 8 where J01.9 of case 3 is read as its only "
        "leaf, J01.90: as printed they have .2000 and .8000 in the place of .1935 and .7692",
    ),
    symmetric=("reference_codes", "predicted_codes"),
    **_OF_CODES,
)
def hdf1(reference_codes: Codes, predicted_codes: Codes, source: str = "icd10cm") -> float:
    """The harmonic mean of the averages, not the average of harmonic means. Errors: as `hdp`.

    >>> round(hdf1([["J40", "C34"]], [["J47", "C34.9"]]), 4)  # of 5/7 and 5/6
    0.7692
    """
    found = _overlap_of_codes(reference_codes, predicted_codes, source)
    return float(harmonic_mean(mean_of_defined(found.precision[:, 0, 0]), mean_of_defined(found.recall[:, 0, 0])))
