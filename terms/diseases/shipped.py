"""The graph of diseases of the model that ships."""

from __future__ import annotations

from functools import lru_cache

from ...models.folder import load
from ...models.shipped import SHIPPED_MODEL
from .graph import DiseaseGraph


@lru_cache
def shipped_graph() -> DiseaseGraph:
    """The shipped model's, verified."""
    content = load(SHIPPED_MODEL).diseases
    assert content is not None
    return DiseaseGraph.from_bytes(content)
