"""An unknown word is read as the known one that is a slip or two away; what is no slip is left alone."""

from __future__ import annotations

import random
import string
import time

import pytest

from dxmatch.terms.text.correction import Correction
from dxmatch.terms.text.normalizer import Normalizer
from dxmatch.terms.text.vocabulary import Vocabulary

from ...small_vocabulary import small_vocabulary

N = Normalizer()


@pytest.fixture(scope="module")
def corrected() -> Correction:
    return Correction(small_vocabulary())


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("astma", "asthma"), ("pnuemonia", "pneumonia"), ("neumonia", "pneumonia"), ("npeumonia", "pneumonia"),
        ("hypertenison", "hypertension"), ("psoriassis", "psoriasis"), ("migrane", "migraine"), ("apendicitis", "appendicitis"),
        ("tuberclosis", "tuberculosis"), ("alzimers", "alzheimer"),
        ("diabetis", "diabetes"), ("arthritus", "arthritis"), ("leukemea", "leukemia"), ("hypothroidism", "hypothyroidism"),
        ("colelithiasis", "cholelithiasis"),
    ],
)  # fmt: skip
def test_slips_are_read_as_what_was_meant(corrected: Correction, written: str, read: str) -> None:
    name, changed = corrected(N(written))
    assert name == read
    assert len(changed) == 1


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("myocardial infraction", "myocardial infarction"), ("cerebral infraction", "cerebral infarction"),
        ("freiberg infraction", "freiberg infraction"), ("prostrate cancer", "prostate cancer"),
        ("planter fasciitis", "plantar fasciitis"),
    ],
)  # fmt: skip
def test_words_that_are_right_elsewhere_are_read_by_their_neighbours(
    corrected: Correction, written: str, read: str
) -> None:
    assert corrected(written)[0] == read


@pytest.mark.parametrize(
    "name",
    [
        "zollinger ellison", "ibrutinib", "cadasil", "erdheim chester", "herzinfarkt", "asthma", "severe pneumonia", "gut", "flue",
        "granulomatous", "psoriaotic", "hyprthyroidism", "il6 deficiency", "psoriatic", "braf", "diarrhea", "toxic goiter",
    ],
)  # fmt: skip
def test_what_is_no_slip_is_left(corrected: Correction, name: str) -> None:
    assert corrected(name) == (name, ())


def test_what_could_be_two_things_is_left() -> None:
    near = {"maxillary": 30, "mammillary": 25}
    assert Correction(Vocabulary(near)).reading("maxmillary") == "maxmillary"
    assert Correction(Vocabulary(near | {"maxillary": 800})).reading("maxmillary") == "maxillary"


def test_another_prefix_is_another_word() -> None:
    correction = Correction(Vocabulary({"hypertelorism": 90, "macrophthalmia": 90}))
    assert correction.reading("hypotelorism") == "hypotelorism"
    assert correction.reading("microphthalmos") == "microphthalmos"


def test_letters_of_another_script_are_read_as_what_they_look_like(corrected: Correction) -> None:
    assert corrected("\u0430sthma") == ("asthma", (("\u0430sthma", "asthma"),))
    assert corrected("\u0441\u0435\u0440\u0441\u0438\u0441")[1] == ()


def test_what_was_changed_is_named_once(corrected: Correction) -> None:
    assert corrected("astma or astma") == ("asthma or asthma", (("astma", "asthma"),))


def test_a_language_without_words_of_its_own_is_left_to_the_vocabulary() -> None:
    assert Correction(small_vocabulary(language="ru"))("myocardial infraction") == ("myocardial infraction", ())


def test_compounds_of_known_words_are_known() -> None:
    vocabulary = small_vocabulary()
    assert vocabulary.knows("neurosarcoma")
    assert vocabulary.knows("nonpneumonia")
    assert not vocabulary.knows("herzinfarkt")


def test_an_unknown_word_takes_a_fifth_of_a_millisecond() -> None:
    """Over 60,000 words; the best of three, since other tests may be running."""
    rng = random.Random(0)

    def word() -> str:
        return "".join(rng.choices(string.ascii_lowercase, k=rng.randint(5, 14)))

    vocabulary = Vocabulary({word(): rng.randint(2, 90) for _ in range(60_000)})
    vocabulary.knows("warm")
    correction = Correction(vocabulary)
    correction.reading("warmxyz")
    best = float("inf")
    for _ in range(3):
        unknown = [word() for _ in range(500)]
        start = time.perf_counter()
        for each in unknown:
            correction.reading(each)
        best = min(best, (time.perf_counter() - start) / len(unknown))
    assert best < 0.4e-3, f"{best * 1e3:.2f} ms"
