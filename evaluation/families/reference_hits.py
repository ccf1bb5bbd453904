"""Which ranks of a list name the reference: by M, by ICD-10 code, by ICD-10 category."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...terms.icd.ancestor_sets import Nodes
from ..lists.lists import Lists
from ..matches.reference_matches import shared_matches
from ..metrics.hierarchical import opened
from ..statistics.section import Context
from .icd_lists import shared_icd_lists, why_no_codes

BY_M, BY_CODE, BY_CATEGORY = "M", "code", "category"
_CELLS_PER_BLOCK = 20_000_000
Hits = tuple[NDArray[np.bool_], NDArray[np.bool_]]
"""bool [n, r, depth], whether the diagnosis at a rank is one of the reference's; and bool [n], where there is a reference to be."""


def reference_hits(lists: Lists, context: Context) -> dict[str, Hits]:
    """By each judge that knows a reference of some case: M its words; code and category its codes."""
    if "reference_hits" not in context.made:
        found: dict[str, Hits] = {}
        if any(lists.reference):
            matches = shared_matches(lists, context)
            found[BY_M] = np.asarray(matches.hits.any(-1)), np.asarray(matches.given.any(1))
        if why_no_codes(lists, context) is None:
            found |= _by_codes(lists, context)
        context.made["reference_hits"] = {judge: hits for judge, hits in found.items() if hits[1].any()}
    return context.made["reference_hits"]


def _by_codes(lists: Lists, context: Context) -> dict[str, Hits]:
    tree, _ = opened(context.icd_source)
    coded = shared_icd_lists(lists, context)
    known = np.asarray((coded.reference >= 0).any(1))
    category = np.append(np.where(tree.categories >= 0, tree.categories, np.arange(len(tree))), -1)
    return {
        BY_CODE: (_same(coded.predicted, coded.reference), known),
        BY_CATEGORY: (_same(category[coded.predicted], category[coded.reference]), known),
    }


def _same(predicted: Nodes, reference: Nodes) -> NDArray[np.bool_]:
    """bool [n, r, k]: one of the nodes of a diagnosis is one of the reference's. In bounded blocks of cases."""
    out = np.empty(predicted.shape[:3], bool)
    step = max(1, _CELLS_PER_BLOCK // max(1, predicted[0].size * reference.shape[1]))
    for start in range(0, len(out), step):
        said, true = predicted[start : start + step, ..., None], reference[start : start + step, None, None, None]
        out[start : start + step] = ((said == true) & (said >= 0)).any((-2, -1))
    return out
