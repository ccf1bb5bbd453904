"""The graph of diseases of the model that ships."""

from __future__ import annotations

from functools import lru_cache

from ...models.shipped import shipped_parts
from .graph import DiseaseGraph


@lru_cache
def shipped_graph() -> DiseaseGraph:
    """The shipped model's, verified."""
    content = shipped_parts().diseases
    assert content is not None
    return DiseaseGraph.from_bytes(content)
