"""A string -> the diseases that it is nearest to: by name, else by the nearest names under an encoder."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ...progress import Progress
from ..encoders import Encoder
from ..icd.cache import made_once
from ..icd.index import encoded
from ..icd.search import Candidates, Search, trained_index
from .graph import DiseaseGraph

LINKS = 3
"""Diseases that a string is linked to, at most."""


class DiseaseIndex:
    """The names of a graph, searchable.

    Parameters
    ----------
    graph : whose diseases are found.
    encoder : of the names, and of the strings that are looked up.
    cache : folder for the embedded names; None for DXMATCH_CACHE or the platform's cache folder; False for none.
    """

    def __init__(self, graph: DiseaseGraph, encoder: Encoder, cache: Path | str | Literal[False] | None = None) -> None:
        self.graph, self.encoder = graph, encoder
        key = {"graph": graph.identity, "encoder": encoder.identity}

        def made(report: Progress) -> dict[str, NDArray[Any]]:
            vectors = encoded(encoder, graph.names, report)
            return {"vectors": vectors, "trained": trained_index(vectors)}

        kept = made_once("diseases", key, made, "the index of the diseases", cache)
        self._search = Search(kept["vectors"], graph.name_disease, kept["trained"])

    def find(self, names: Sequence[str], vectors: NDArray[np.float32]) -> Candidates:
        """The `LINKS` nearest diseases of each normalised name, each by the nearest of its names; one that has the name stands alone.

        Parameters
        ----------
        vectors : float32[u, d], the encoder's of `names`.

        Returns
        -------
        nodes int32[u, LINKS] (-1 for none) and scores float32[u, LINKS], cosines (NaN for none), best first.
        """
        exact = np.fromiter((self.graph.disease_of.get(name, -1) for name in names), np.int32, len(names))
        rows = np.flatnonzero(exact < 0)
        out = Candidates.alone(exact, LINKS)
        out.put(rows, self._search(vectors[rows], LINKS))
        return out
