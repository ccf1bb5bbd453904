"""What two names have in common in the graph of diseases: the same disease, one above the other, how far they are from each other."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..terms.diseases.graph import DiseaseGraph
from ..terms.icd.search import Candidates

COLUMNS = ("same", "line", "closeness", "lin", "certainty")
"""A link of one name and a link of the other are as sure as the less sure of the two. same : of links to one disease the surest; the certainty that
both are one. line : also of links to a disease and a kind of it; a class that is too broad counts for nothing. closeness : 1 / (1 + steps from the one
to the other) by the surest of these links, by the closest of equally sure ones; 0 where there is none. lin : Lin's similarity (Lin
1998, §3) of the two nearest diseases. certainty : of the less certain link."""


@dataclass(frozen=True)
class Links:
    """u names in the graph.

    Attributes
    ----------
    nodes, certainty : int32[u, k] and float32[u, k], as `DiseaseIndex.find` gives them: the diseases that a name is nearest to, and the
        cosine of each, 0 for one below it.
    graph : the arrays that the loop reads.
    """

    nodes: NDArray[np.int32]
    certainty: NDArray[np.float32]
    starts: NDArray[np.int64]
    above: NDArray[np.int32]
    steps: NDArray[np.uint8]
    information: NDArray[np.float32]
    too_broad: NDArray[np.bool_]

    @classmethod
    def of(cls, found: Candidates, graph: DiseaseGraph) -> Links:
        above = graph.above
        return cls(
            found.nodes,
            np.clip(found.scores, 0, 1),
            above.starts,
            above.diseases,
            above.steps,
            graph.information,
            graph.too_broad,
        )


def compare_diseases(
    links: Links, first: NDArray[np.int32], second: NDArray[np.int32], out: Mapping[str, NDArray[np.float32]]
) -> None:
    """Fills the columns that are asked for, for m pairs.

    Parameters
    ----------
    first, second : int32[m], indices of names.
    out : float32[m] by column, one of `COLUMNS` or more; in [0, 1], 1 for a name and itself, NaN where a name has no link.
    """
    from . import kernels

    columns = [out[name] if name in out else np.empty(len(first), np.float32) for name in COLUMNS]
    kernels.diseases(
        links.nodes, links.certainty, links.starts, links.above, links.steps, links.information, links.too_broad,
        first, second, *columns,
    )  # fmt: skip
