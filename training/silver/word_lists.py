"""The tables beside this file: what names are made of, by hand."""

from __future__ import annotations

import csv
from functools import lru_cache
from importlib import resources

SIGNS, KINDS, LOOK_ALIKES = "laboratory_signs_en.csv", "specifications_en.csv", "distinct_diseases_en.csv"


def word_set(words: str) -> frozenset[str]:
    return frozenset(words.split())


@lru_cache
def rows(file: str) -> tuple[dict[str, str], ...]:
    """The rows of a CSV of this package, or of `training` where it is one of its own."""
    here = resources.files(__package__ or "")
    found = here / file
    if not found.is_file():
        found = resources.files((__package__ or "").rpartition(".")[0]) / file
    return tuple(csv.DictReader(found.read_text("utf-8").splitlines()))
