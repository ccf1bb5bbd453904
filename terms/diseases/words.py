"""The words and names that a graph of diseases knows, as a vocabulary."""

from __future__ import annotations

from ..text.vocabulary import Vocabulary
from .graph import DiseaseGraph


def vocabulary_of(graph: DiseaseGraph, language: str) -> Vocabulary:
    """What tells a slip or another language from a rare disease."""
    words = dict(zip(graph.words, graph.word_counts.tolist(), strict=True))

    def diseases_of(name: str) -> tuple[int, ...]:
        disease = graph.disease_of.get(name)
        return () if disease is None else (disease,)

    return Vocabulary(words, diseases_of, language)
