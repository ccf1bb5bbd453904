"""Words that exclude or deny each other, by cases; the compiled columns against the words; and tables that do not contradict themselves."""

from __future__ import annotations

from collections import Counter
from importlib import resources

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from dxmatch.features.contrast import MAX_CONFLICTS, contrasts
from dxmatch.terms.text.assertion import assertion_of, excludes
from dxmatch.terms.text.normalizer import Normalizer

from ..case_table import cases, rows_of
from .made import table

N = Normalizer()
_WORDS = (
    "acute chronic hepatitis b c type 1 2a 2b non with without hodgkin hyperkalemia hypokalemia left right of neutropenia neutrophilia "
    "small cell large stage 3 4 vitamin b12 d or no femoral neck not stable unstable poorly st segment elevation history negative"
)
NAMES = st.one_of(st.lists(st.sampled_from(_WORDS.split()), max_size=7).map(" ".join), st.text(max_size=12))


@pytest.mark.parametrize(("kind", "a", "b", "opposed"), [row for row in cases("contrasts") if "excludes" not in row[0]])
def test_words_of_two_names(kind: str, a: str, b: str, opposed: str) -> None:
    a, b = N(a), N(b)
    found, turned = (contrasts(*two, of="denials" if kind.endswith("denied") else "all") for two in ((a, b), (b, a)))
    assert sorted((y, x) for x, y in found) == sorted(turned)
    assert bool(found) == (not kind.startswith("not"))
    assert set(contrasts(a, b, of="denials")) <= set(contrasts(a, b))
    assert kind != "opposed" or "; ".join(f"{x}/{y}" for x, y in found) == opposed


SAID = [
    "no pneumonia", "pneumonia", "pneumonia ruled out", "pneumonia cannot be excluded", "history of stroke", "stroke", "stroke risk",
    "family history of stroke", "no family history of stroke", "screening for stroke", "fear of stroke", "small cell lung cancer",
    "non small cell lung cancer", "stable angina", "unstable angina", "acute left upper pain type 1", "chronic right lower pain type 2",
]  # fmt: skip


@settings(deadline=None, max_examples=100)
@given(names=st.lists(NAMES, min_size=1, max_size=6, unique=True))
@example(names=SAID)
def test_the_columns_are_those_of_the_words_and_of_what_is_said(names: list[str]) -> None:
    """What a whole name asserts is no denial of a word: only the cores are compared word by word."""
    said = [assertion_of(name) for name in names]
    opposed = [[min(len(contrasts(a.core, b.core)), MAX_CONFLICTS) for b in said] for a in said]
    excluded = [[excludes(a, b) or bool(contrasts(a.core, b.core, of="denials")) for b in said] for a in said]
    contrast, exclusion = table(names, {"kind": "contrast"}, {"kind": "exclusion"})
    assert contrast.tolist() == opposed and exclusion.tolist() == excluded
    assert not np.diag(opposed).any() and not np.diag(excluded).any(), "no name contrasts with itself"


def test_a_language_without_a_table_asserts_nothing() -> None:
    names = ["history of stroke", "stroke", "острый", "хронический"]
    contrast, exclusion = table(names, {"kind": "contrast"}, {"kind": "exclusion"}, language="ru")
    assert np.isnan(contrast).all() and not exclusion.any()


def test_forms_are_written_as_names_are_normalised_and_stand_once() -> None:
    """Each once on an axis, and at least two values on each axis; no form stands for one that stands for a third."""
    denied, opposed = (
        rows_of(resources.files("dxmatch.terms.text") / f"{name}_en.csv") for name in ("denials", "contrasts")
    )
    forms = {row["form"]: row["word"] for row in denied}
    assert len(forms) == len(denied) and not forms.keys() & {*forms.values()}
    on_axes = {(row["axis"], row["form"]) for row in opposed}
    assert len(on_axes) == len(opposed)
    values = Counter(axis for axis, _ in {(row["axis"], row["value"]) for row in opposed})
    assert min(values.values()) > 1
    for form in {*forms, *forms.values(), *(form for _, form in on_axes)}:
        assert form.startswith("-") or form.endswith("-") or N(form) == form
