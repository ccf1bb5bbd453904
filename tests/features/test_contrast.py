"""Words that exclude or deny each other, by cases; the compiled columns against the words; and tables that do not contradict themselves."""

from __future__ import annotations

import csv
from importlib import resources
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from dxmatch.features.contrast import MAX_CONFLICTS, Attributes, contrasts, denials
from dxmatch.features.kernels import conflicts
from dxmatch.features.names import Names
from dxmatch.features.providers import Providers
from dxmatch.features.registry import Pairs, contrast, exclusion
from dxmatch.terms.icd.naming import Naming
from dxmatch.terms.text.assertion import assertion_of, excludes
from dxmatch.terms.text.normalizer import Normalizer

from ..case_table import cases
from .test_compiled_loops import grid

N = Normalizer()
_WORDS = (
    "acute chronic hepatitis b c type 1 2a 2b non with without hodgkin hyperkalemia hypokalemia left right of neutropenia neutrophilia "
    "small cell large stage 3 4 vitamin b12 d or no femoral neck not stable unstable poorly st segment elevation history negative"
)
NAMES = st.one_of(st.lists(st.sampled_from(_WORDS.split()), max_size=7).map(" ".join), st.text(max_size=12))


@pytest.mark.parametrize(("kind", "a", "b", "opposed"), [row for row in cases("contrasts") if "excludes" not in row[0]])
def test_words_of_two_names(kind: str, a: str, b: str, opposed: str) -> None:
    a, b = N(a), N(b)
    found = denials(a, b) if kind.endswith("denied") else contrasts(a, b)
    assert sorted((y, x) for x, y in found) == sorted((denials if kind.endswith("denied") else contrasts)(b, a))
    assert bool(found) == (not kind.startswith("not"))
    assert set(denials(a, b)) <= set(contrasts(a, b))
    assert kind != "opposed" or "; ".join(f"{x}/{y}" for x, y in found) == opposed


@settings(deadline=None, max_examples=150)
@given(names=st.lists(NAMES, min_size=1, max_size=6))
@example(names=["acute left upper pain type 1", "chronic right lower pain type 2"])  # four, more than are counted
def test_the_count_is_that_of_the_words(names: list[str]) -> None:
    first, second = grid(len(names))
    found, of_names = np.empty((2, len(first)), np.float32), Attributes.of(names, "en")
    assert of_names is not None
    conflicts(*of_names, MAX_CONFLICTS, first, second, found)
    pairs = [(names[i], names[j]) for i, j in zip(first, second, strict=True)]
    assert found[0].tolist() == [min(len(contrasts(*pair)), MAX_CONFLICTS) for pair in pairs]
    assert found[1].tolist() == [bool(denials(*pair)) for pair in pairs]
    assert not found[0][first == second].any(), "no name contrasts with itself"


def exclusions(names: list[str], **normalizer: str) -> list[bool]:
    pairs = Pairs(Names(names, Providers(Naming(Normalizer(**normalizer)))), *grid(len(names)))
    assert np.isnan(contrast(pairs)).all() == ("language" in normalizer)
    return exclusion(pairs).tolist()


def test_the_column_is_that_of_the_assertions_and_denials() -> None:
    """What a whole name asserts is no denial of a word: only the cores are compared word by word."""
    names = [
        "no pneumonia", "pneumonia", "pneumonia ruled out", "pneumonia cannot be excluded", "history of stroke", "stroke",
        "family history of stroke", "no family history of stroke", "screening for stroke", "fear of stroke", "stroke risk",
        "small cell lung cancer", "non small cell lung cancer", "lung cancer", "stable angina", "unstable angina",
    ]  # fmt: skip
    said = [assertion_of(name) for name in names]
    expected = [excludes(a, b) or bool(denials(a.core, b.core)) for a in said for b in said]
    assert exclusions(names) == expected
    assert not expected[2], "no pneumonia, and pneumonia ruled out"


def test_a_language_without_a_table_asserts_nothing() -> None:
    assert not any(exclusions(["history of stroke", "stroke", "пневмония"], language="ru"))
    assert contrasts("острый", "хронический", "ru") == []


def test_tables() -> None:
    """Each form once on an axis, as the normaliser leaves it, and at least two values on each axis; no form stands for one that stands for a third."""
    denied, opposed = (
        list(csv.DictReader((resources.files("dxmatch.features") / f"{name}_en.csv").read_text("utf-8").splitlines()))
        for name in ("denials", "contrasts")
    )
    forms = {row["form"] for row in denied}
    assert len(forms) == len(denied) > 100
    for row in denied:
        assert row["denies"] in ("yes", "no") and row["word"] not in forms, row
        assert N(row["form"]) == row["form"] and N(row["word"]) == row["word"]
    assert len({(row["axis"], row["form"]) for row in opposed}) == len(opposed) > 400
    for axis in {row["axis"] for row in opposed}:
        assert len({row["value"] for row in opposed if row["axis"] == axis}) > 1, axis
    for form in (row["form"] for row in opposed):
        assert form.startswith("-") or form.endswith("-") or N(form) == form, form


def test_synonyms_do_not_contrast(shared_data: Path) -> None:
    """Of 14,459 pairs of Orphadata, three in a thousand: names of numbered types that other lists number anew."""
    with (shared_data / "orphadata_synonyms.csv").open(encoding="utf-8", newline="") as file:
        pairs = [(row["name"], row["synonym"]) for row in csv.DictReader(file)][::10]
    assert sum(bool(contrasts(N(a), N(b))) for a, b in pairs) < 0.006 * len(pairs)
