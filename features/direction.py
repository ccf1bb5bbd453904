"""Which of two names is the narrower: what speaks for the first being a kind of the second, with the sign turned for the reverse.

Every column is antisymmetric: turned round, a pair has the same numbers below zero.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..models.relation import DIRECTIONS
from .names import Names

COLUMNS = DIRECTIONS
"""line : the certainty of the surest links, by which the second disease lies above the first in the graph; with a minus where it lies below, 0 where both
are one disease, neither is above the other, the upper one is too broad, or links that are equally sure disagree. information : by how much the
first disease says more (`DiseaseGraph.information`). covered : how well the words of the second are found in the first, less the reverse.
length : logarithm of the number of words of the first over that of the second. icd : 1 where the ICD-10 code of the second lies above that of the
first, -1 where it lies below."""


def directions(
    names: Names, first: NDArray[np.int32], second: NDArray[np.int32], *, source: str, encoder: str
) -> NDArray[np.float32]:
    """float32[m, 5], the `COLUMNS` of m pairs of names; 0 where something is unknown.

    Parameters
    ----------
    first, second : int32[m], indices of names.
    source, encoder : the ICD-10 and the encoder of the names' codes and diseases.
    """
    from . import kernels

    out = np.empty((len(first), len(COLUMNS)), np.float32)
    links, words, paths = names.diseases(encoder), names.words(encoder), names.icd_paths(source, encoder)
    kernels.disease_direction(
        links.nodes, links.certainty, links.starts, links.above, links.steps, links.too_broad, first, second, out[:, 0]
    )
    known = (links.nodes[first, 0] >= 0) & (links.nodes[second, 0] >= 0)
    nodes = np.where(known, links.nodes[[first, second], 0], 0)
    out[:, 1] = np.where(known, links.information[nodes[0]] - links.information[nodes[1]], 0)
    kernels.covered(words.offsets, words.ids, words.stems, words.codes, words.lengths, first, second, out[:, 2])
    counts = np.log(np.diff(words.offsets))
    out[:, 3] = counts[first] - counts[second]
    out[:, 4] = _icd_direction(paths[first], paths[second])
    return out


def _icd_direction(a: NDArray[np.int32], b: NDArray[np.int32]) -> NDArray[np.float32]:
    """Rows of codes from the chapter down: 1 where those of `b` are the beginning of those of `a`, -1 for the reverse, else 0."""
    apart = ((a != b) & (a >= 0) & (b >= 0)).any(axis=1) | (a[:, 0] < 0) | (b[:, 0] < 0)
    return np.where(apart, 0, np.sign((a >= 0).sum(axis=1) - (b >= 0).sum(axis=1))).astype(np.float32)
