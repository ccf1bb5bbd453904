"""The graph of diseases of the model that ships."""

from __future__ import annotations

from functools import lru_cache

from ...models.folder import shipped_parts
from .graph import DiseaseGraph


@lru_cache
def shipped_graph() -> DiseaseGraph:
    """The shipped model's, verified."""
    arrays = shipped_parts().diseases
    assert arrays is not None
    return DiseaseGraph.from_arrays(arrays)
