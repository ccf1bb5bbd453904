"""What a title says by ICD-10's conventions, what a code stands for, and everyday diagnoses under the shipped encoder."""

from __future__ import annotations

import csv
import doctest
from pathlib import Path

import pyarrow as pa
import pytest

import dxmatch
from dxmatch.errors import InputError
from dxmatch.terms.icd import readings
from dxmatch.terms.icd.naming import Naming
from dxmatch.terms.icd.readings import other_readings, plain_readings
from dxmatch.terms.text.normalizer import Normalizer

from ...case_table import cases
from ...small_vocabulary import small_vocabulary


@pytest.mark.parametrize(("kind", "title", "expected"), cases("icd_readings"))
def test_readings(kind: str, title: str, expected: str) -> None:
    read = plain_readings if kind == "plain" else other_readings
    assert " | ".join(read(title)) == expected


def test_examples_and_a_synonym_in_small_letters() -> None:
    assert not doctest.testmod(readings).failed
    assert "croup" in other_readings("Acute obstructive laryngitis [croup]")
    assert "part of" not in other_readings("Acquired absence of lung [part of]")


def test_a_title_that_says_unspecified_is_the_disease(index) -> None:
    codes = {
        "pneumonia": "J18", "urinary tract infection": "N39.0", "subarachnoid hemorrhage": "I60", "fatty liver": "K76.0",
        "aortic stenosis": "I35.0", "hyponatremia": "E87.1", "peptic ulcer": "K27", "croup": "J05.0",
    }  # fmt: skip
    found = [index.tree.codes[node] for node in index.direct([*codes]).nodes]
    assert dict(zip(codes, found, strict=True)) == codes


def test_a_code_stands_for_its_title_and_is_no_slip() -> None:
    naming = Naming(Normalizer(), "icd10cm", small_vocabulary())
    read = naming.read(["Astma", "I21", "i21.0", "B20", "5", "H1N1"])
    title = naming.normalizer("ST elevation (STEMI) myocardial infarction of anterior wall")
    hiv = naming.normalizer("Human immunodeficiency virus [HIV] disease")
    assert [one.name for one in read] == ["asthma", "acute myocardial infarction", title, hiv, "5", "h1n1"]
    assert [one.read_as for one in read] == [(("astma", "asthma"),), (), (), (), (), ()]
    assert read[1].not_understood is None and read[4].not_understood == "no diagnosis"
    with pytest.raises(InputError, match="without a letter or digit"):
        naming(["flu", "…"])


def test_without_a_source_and_a_vocabulary_a_text_is_what_it_is() -> None:
    plain = Naming(Normalizer())
    assert plain(["I21"]) == ["i21"]
    (reading,) = plain.read(["Astma; 5"])
    assert (reading.name, reading.read_as, reading.not_understood) == ("astma 5", (), None)


NONSENSE = [
    "asdf qwer", "qwertyuiop", "xkcd zzyzx", "blorp fnord", "jjjj kkkk", "lorem ipsum dolor sit amet", "привет как дела", "高脂血症",
    "сахарный диабет", "guten morgen", "bonjour tout le monde", "where is the nearest train station", "error 404 page not found",
    "my car needs new tires", "zzz",
]  # fmt: skip


def test_everyday_names_are_mapped_and_nonsense_is_not() -> None:
    with (Path(__file__).parents[2] / "data" / "everyday_icd.csv").open(encoding="utf-8") as file:
        right = {row["diagnosis"]: row["category"].split("|") for row in csv.DictReader(file)}
    found = dxmatch.icd(pa.table({"diagnosis": [*right, *NONSENSE]}), k=3)["icd10"].to_pylist()
    hits = [(code or "")[:3] in codes for code, codes in zip(found, right.values(), strict=False)]
    assert sum(hits) >= 0.95 * len(right) and found[len(right) :] == [None] * len(NONSENSE)
