"""Silver pairs: labelled pairs made from public vocabularies under the six expert criteria."""

from .generators import GENERATORS, Generator
from .pairs import silver_pairs

__all__ = ["GENERATORS", "Generator", "silver_pairs"]
