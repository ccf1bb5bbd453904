"""The ranked diagnoses in what a language model wrote."""

from .answer import MAX_WORDS, ranked_diagnoses, says_more

__all__ = ["MAX_WORDS", "ranked_diagnoses", "says_more"]
