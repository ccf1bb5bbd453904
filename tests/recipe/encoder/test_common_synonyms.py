"""The project's own names of diseases: the common synonyms, and the pairs of different and of narrower diseases."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from importlib.resources import files
from itertools import combinations, product
from pathlib import Path

import numpy as np
import pytest

from dxmatch.files.tables import read_table
from dxmatch.recipe.encoder.data import common_synonyms, join
from dxmatch.terms.text.normalizer import Normalizer

FOLDER = files("dxmatch.recipe.word_lists")
SYNONYMS = sorted(file.name for file in FOLDER.iterdir() if re.fullmatch(r"common_synonyms_en.*\.csv", file.name))
DIFFERENT = Path(__file__).parent / "distinct_diseases_en.csv"
"""Pairs that are taken for each other, and are two diseases."""
NARROWER = sorted(file.name for file in FOLDER.iterdir() if re.fullmatch(r"specifications_en.*\.csv", file.name))
NAME = re.compile("[a-z0-9]+( [a-z0-9]+)*")
OPPOSED = [
    ("acute", "chronic"), ("left", "right"), ("benign", "malignant"), ("primary", "secondary"), ("upper", "lower"),
    ("anterior", "posterior"), ("internal", "external"), ("systolic", "diastolic"), ("congenital", "acquired"),
    ("lateral", "medial"), ("proximal", "distal"), ("open", "closed"), ("dominant", "recessive"), ("major", "minor"),
    ("arterial", "venous"), ("bacterial", "viral"), ("viral", "fungal"), ("bacterial", "fungal"), ("high", "low"),
    ("central", "peripheral"), ("conductive", "sensorineural"), ("superficial", "deep"), ("aortic", "mitral"),
    ("stable", "unstable"), ("overactive", "underactive"), ("ischemic", "hemorrhagic"), ("early", "late"),
]  # fmt: skip
COUNTED = re.compile(r"\b(type|stage|grade|class|factor|degree|trisomy|vitamin) (\d+\w?|[a-e]\d{0,2})\b")
ORDINAL = re.compile(r"\b(first|second|third|fourth|fifth|sixth|seventh) (?:degree|nerve)\b")


def rows_of(file: str | Path, first: str, second: str) -> list[tuple[str, str]]:
    table = read_table(str(FOLDER / file))
    return list(zip(table.text(first).to_pylist(), table.text(second).to_pylist(), strict=True))


def narrower_rows() -> list[tuple[str, str]]:
    return [row for file in NARROWER for row in rows_of(file, "a", "b")]


@pytest.fixture(scope="module")
def normalizer() -> Normalizer:
    return Normalizer()


@pytest.fixture(scope="module")
def synonyms() -> list[tuple[str, str, str]]:
    return [(file, a, b) for file in SYNONYMS for a, b in rows_of(file, "name", "synonym")]


@pytest.fixture(scope="module")
def diseases(normalizer: Normalizer) -> list[set[str]]:
    """The normalised names, those that a chain of rows joins together."""
    names = join([common_synonyms()], normalizer)
    return [{names.texts[i] for i in np.flatnonzero(names.disease == number)} for number in np.unique(names.disease)]


def contradictions(names: set[str]) -> Iterator[tuple[str, str]]:
    """Two names that differ in a word and its opposite, in a number that counts, in hyper and hypo, or in non."""
    for a, b in combinations(sorted(names), 2):
        words = set(a.split()), set(b.split())
        only = words[0] - words[1], words[1] - words[0]
        if any((x in only[0] and y in only[1]) or (y in only[0] and x in only[1]) for x, y in OPPOSED):
            yield a, b
        stems = [{w[len(p) :] for w in ws if w.startswith(p)} for ws, p in product(only, ("hyper", "hypo"))]
        if stems[0] & stems[3] or stems[1] & stems[2]:
            yield a, b
        for pattern in (COUNTED, ORDINAL):
            counts = [Counter(pattern.findall(name)) for name in (a, b)]
            if all(counts) and counts[0] != counts[1]:
                yield a, b
        if any("non" in one and one - {"non"} == other for one, other in (words, words[::-1])):
            yield a, b


def test_every_name_is_in_the_plain_form(synonyms: list[tuple[str, str, str]]) -> None:
    assert len(synonyms) > 5000 and len(SYNONYMS) > 15
    pairs = [*synonyms, *(("different", a, b) for a, b in rows_of(DIFFERENT, "a", "b"))]
    pairs += [("specifications", a, b) for a, b in narrower_rows()]
    assert not [row for row in pairs if not (NAME.fullmatch(row[1]) and NAME.fullmatch(row[2]))]


def test_no_row_is_there_twice_or_equal(synonyms: list[tuple[str, str, str]], normalizer: Normalizer) -> None:
    """Names that the normaliser makes equal teach nothing."""
    rows = [(file, frozenset((normalizer(a), normalizer(b)))) for file, a, b in synonyms]
    assert not [(file, row) for file, row in rows if len(row) == 1]
    times = Counter(row for _, row in rows)
    assert not [(file, sorted(row)) for file, row in rows if times[row] > 1]


def test_no_disease_contradicts_itself(diseases: list[set[str]]) -> None:
    assert not [pair for names in diseases for pair in contradictions(names)]


def test_different_and_narrower_diseases_are_no_synonyms(diseases: list[set[str]], normalizer: Normalizer) -> None:
    disease = {name: number for number, names in enumerate(diseases) for name in names}
    seen: Counter[frozenset[str]] = Counter()
    for file, rows in (("different", rows_of(DIFFERENT, "a", "b")), ("specifications", narrower_rows())):
        assert len(rows) >= 400
        for a, b in rows:
            first, second = normalizer(a), normalizer(b)
            assert disease.get(first, first) != disease.get(second, second), (file, a, b)
            seen[frozenset((first, second))] += 1
    assert not [sorted(pair) for pair, times in seen.items() if times > 1]


def test_a_narrower_name_does_more_than_add_words(normalizer: Normalizer) -> None:
    """`b` is the narrower one; that "lobar pneumonia" narrows "pneumonia" the words tell by themselves."""
    rows = [(set(normalizer(a).split()), set(normalizer(b).split())) for a, b in narrower_rows()]
    assert not [(a, b) for a, b in rows if a <= b]
    assert ("arrhythmia", "atrial fibrillation") in narrower_rows()
