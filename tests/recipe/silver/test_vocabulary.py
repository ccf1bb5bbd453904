"""What is known about which two names may be one disease."""

from __future__ import annotations

import pytest

from dxmatch.recipe.silver.titles import title
from dxmatch.recipe.silver.vocabulary import Vocabulary


@pytest.mark.parametrize(
    ("official", "written", "residual"),
    [
        ("Typhoid fever, unspecified", "Typhoid fever", True),
        ("Unspecified asthma", "asthma", True),
        ("Dyshidrosis [pompholyx]", "Dyshidrosis", False),
        ("Other gastritis", "gastritis", True),
        ("Vulvar pain, not elsewhere classified", "Vulvar pain", True),
        ("Pressure ulcer of unspecified site, stage 2", "Pressure ulcer, stage 2", True),
        ("Fracture of unspecified part of neck", "Fracture of neck", True),
        ("Harada's disease, unspecified eye", "Harada's disease", True),
    ],
)
def test_titles_as_they_are_written(official: str, written: str, residual: bool) -> None:
    found = title(official)
    assert found is not None
    assert (found.words, found.residual) == (written, residual)


@pytest.mark.parametrize(
    ("a", "b", "may"),
    [
        ("Adenoviral pneumonia", "Staphylococcal pneumonia", True),
        ("Staphylococcal pneumonia", "Streptococcal pneumonia", True),
        ("Adenoviral pneumonia", "Viral pneumonia", False),  # its parent, though the words differ
        ("Respiratory syncytial virus pneumonia", "Viral pneumonia", False),
        ("viral pneumonia, unspecified", "Respiratory syncytial virus pneumonia", False),  # "unspecified" is the parent
        ("Smith syndrome", "Smith-Foo syndrome", False),  # one says so of "Foo disease type 1", another of its id
        ("Smith syndrome", "Jones syndrome", True),
        ("Wheezing disorder", "Allergic asthma", False),  # a synonym of the parent
        ("Wheezing disorder", "Chronic bronchitis", True),
        ("Rare adenoviral lung inflammation", "Respiratory syncytial virus pneumonia", True),
        ("Rare adenoviral lung inflammation", "Adenoviral pneumonia", False),  # contained in its code, Orphanet says
        ("carcinoma of kidney", "renal carcinoma in situ", False),  # the words of one are in the other
        ("mediastinal sarcoma", "mediastinal liposarcoma", False),
        ("Hodgkin lymphoma", "non-Hodgkin lymphoma", True),
        ("cardiomyopathy", "nonischemic cardiomyopathy", False),
        ("goiter with thyrotoxicosis", "goiter without thyrotoxicosis", True),
        ("raised serum potassium", "hyperkalemia", False),  # a sign of it
    ],
)
def test_what_may_be_called_different(toy_vocabulary: Vocabulary, a: str, b: str, may: bool) -> None:
    assert toy_vocabulary.may_differ((a,), (b,)) is may
    assert toy_vocabulary.may_differ((b,), (a,)) is may
    assert toy_vocabulary.may_differ(("nothing else", a), ("other thing", b)) is may
