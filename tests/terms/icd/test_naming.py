from __future__ import annotations

import pytest

from dxmatch.errors import InputError
from dxmatch.terms.icd.naming import Naming
from dxmatch.terms.text.normalizer import Normalizer

from ...small_vocabulary import small_vocabulary


def test_a_code_stands_for_its_title() -> None:
    naming = Naming(Normalizer(), "icd10cm")
    assert naming(["I21", "i21.0", "acute MI", "B20", "H1N1", "B12", "type 2"]) == [
        "acute myocardial infarction",
        naming.normalizer("ST elevation (STEMI) myocardial infarction of anterior wall"),
        "acute myocardial infarction",
        naming.normalizer("Human immunodeficiency virus [HIV] disease"),
        "h1n1",
        "b12",
        "type 2",
    ]


def test_without_a_source_a_code_is_a_text() -> None:
    assert Naming(Normalizer())(["I21"]) == ["i21"]


def test_a_text_without_words_is_refused() -> None:
    with pytest.raises(InputError, match="without a letter or digit"):
        Naming(Normalizer(), "icd10cm")(["flu", "…"])


def test_with_a_vocabulary_slips_are_mended_and_a_code_is_no_slip() -> None:
    naming = Naming(Normalizer(), "icd10cm", small_vocabulary())
    read = naming.read(["Astma", "I21", "5", "gout"])
    assert [reading.name for reading in read] == naming(["Astma", "I21", "5", "gout"])
    assert [reading.name for reading in read] == ["asthma", "acute myocardial infarction", "5", "gout"]
    assert [reading.read_as for reading in read] == [(("astma", "asthma"),), (), (), ()]
    assert [reading.not_understood for reading in read] == [None, None, "no diagnosis", None]


def test_without_a_vocabulary_every_text_is_understood_as_it_is() -> None:
    (reading,) = Naming(Normalizer()).read(["Astma; 5"])
    assert (reading.name, reading.read_as, reading.not_understood) == ("astma 5", (), None)
