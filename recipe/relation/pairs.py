"""Pairs whose relation is known: synonyms, kinds and classes, near and far kin, any two."""

from __future__ import annotations

import pyarrow as pa

from ..silver import diseases, specification, synonymy
from ..silver.pairs import Kind, drawn
from ..silver.pool import Pool

SAME, KIND, CLOSE, FAR, NONE = "same", "kind", "close kin", "far kin", "no kin"
"""Of a kind and its class, the kind comes first."""
PAIRS = 24_000

SOURCES = (
    Kind(SAME, 0.26, synonymy.synonyms),
    Kind(SAME, 0.06, synonymy.phrasings),
    Kind(SAME, 0.02, synonymy.typing_errors),
    Kind(KIND, 0.18, diseases.kinds),
    Kind(KIND, 0.05, specification.everyday),
    Kind(KIND, 0.07, specification.qualifiers),
    Kind(KIND, 0.02, specification.stages),
    Kind(CLOSE, 0.12, diseases.siblings, apart=True),
    Kind(FAR, 0.12, diseases.cousins, apart=True),
    Kind(NONE, 0.1, diseases.strangers, apart=True),
)


def relation_pairs(pool: Pool, n: int = PAIRS, seed: int = 0) -> pa.Table:
    """Columns a, b and relation."""
    rows = [{"a": pair.a, "b": pair.b, "relation": source.name} for source, pair in drawn(SOURCES, pool, n, seed)]
    return pa.Table.from_pylist(rows)
