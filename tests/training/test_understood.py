"""Labelled pairs with a diagnosis that is not understood are set aside, and named."""

from __future__ import annotations

import pandas as pd
import pytest

from dxmatch.errors import InputError
from dxmatch.files.pairs import Pairs, read_pairs
from dxmatch.terms.icd.naming import Naming
from dxmatch.terms.text.normalizer import Normalizer
from dxmatch.training.labelled import understood_pairs

from ..small_vocabulary import small_vocabulary
from .seen import seen

NAMING = Naming(Normalizer(), None, small_vocabulary())


def read(*rows: tuple[str, str]) -> Pairs:
    return read_pairs(pd.DataFrame([(a, b, 1) for a, b in rows], columns=["a", "b", "label"]), label="label")


def test_they_are_set_aside_and_named() -> None:
    came = read(("gout", "asthma"), ("gout", "Herzinfarkt"), ("5", "5"), ("gout, asthma", "none"), ("astma", "gout"))
    kept, _, warnings = understood_pairs(came, seen(came, NAMING))
    assert kept.a.to_pylist() == kept.table.column("a") == ["gout", "5", "astma"]
    assert warnings == [
        "Pairs set aside, since a diagnosis is not understood: 2 of 5 ('Herzinfarkt': another language, or no words;"
        " 'gout, asthma': several diagnoses; 'none': no diagnosis)."
    ]


def test_no_pair_left_is_an_error() -> None:
    with pytest.raises(
        InputError, match=r"no pair is left: in each of 1 a diagnosis is not understood \(another language"
    ):
        understood_pairs(none := read(("gout", "Herzinfarkt")), seen(none, NAMING))
