"""The shipped encoder on everyday diagnoses, and on what is none."""

from __future__ import annotations

import csv
from pathlib import Path

import pyarrow as pa
import pytest

import dxmatch

ROWS = list(csv.DictReader((Path(__file__).parents[2] / "data" / "everyday_icd.csv").read_text("utf-8").splitlines()))
NONSENSE = [
    "asdf qwer", "qwertyuiop", "xkcd zzyzx", "blorp fnord", "jjjj kkkk", "lorem ipsum dolor sit amet", "привет как дела", "高脂血症",
    "сахарный диабет", "guten morgen", "bonjour tout le monde", "where is the nearest train station", "error 404 page not found",
    "my car needs new tires", "zzz",
]  # fmt: skip


@pytest.fixture(scope="module")
def mapped():
    names = [row["diagnosis"] for row in ROWS] + NONSENSE
    return dxmatch.icd(pa.table({"diagnosis": names}), k=3).to_pylist()


def test_everyday_names(mapped):
    right = [(got["icd10"] or "")[:3] in row["category"].split("|") for row, got in zip(ROWS, mapped, strict=False)]
    assert sum(right) / len(ROWS) >= 0.95


def test_nonsense_is_unmapped(mapped):
    got = {row["diagnosis"]: row["icd10"] for row in mapped[len(ROWS) :]}
    assert [text for text, code in got.items() if code is not None] == []
