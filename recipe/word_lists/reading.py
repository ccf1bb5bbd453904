"""The tables beside this file: what names are made of, by hand."""

from __future__ import annotations

import csv
from functools import lru_cache
from importlib import resources
from importlib.resources.abc import Traversable

SIGNS, KINDS = "laboratory_signs_en.csv", "specifications_en"
"""`KINDS` is the beginning of several names: one table for each field of medicine."""
WRONG_KINDS = "wrong_kinds_en.csv"
"""What sources call a kind of a class and is none."""


def word_set(words: str) -> frozenset[str]:
    return frozenset(words.split())


@lru_cache
def rows(file: str) -> tuple[dict[str, str], ...]:
    """The rows of a CSV of this package."""
    return tuple(csv.DictReader((resources.files(__package__ or "") / file).read_text("utf-8").splitlines()))


@lru_cache
def rows_like(start: str) -> tuple[dict[str, str], ...]:
    """The rows of all tables whose names begin with `start`."""
    return tuple(row for file in files_like(start) for row in rows(file.name))


def files_like(start: str) -> list[Traversable]:
    """The tables whose names begin with `start`, by name."""
    found = (file for file in resources.files(__package__ or "").iterdir() if file.name.startswith(start))
    return sorted(found, key=lambda file: file.name)
