"""What is no diagnosis that M can know of, and that nothing else is called so."""

from __future__ import annotations

import csv
import time
from collections import Counter, defaultdict
from pathlib import Path

import pytest

from dxmatch.terms.text.normalizer import Normalizer
from dxmatch.terms.text.scripts import mixed_scripts, share_in
from dxmatch.terms.text.sentences import is_nothing
from dxmatch.terms.text.understood import LANGUAGE, NOTHING, SCRIPT, SENTENCE, SEVERAL, Reader, ways_apart
from dxmatch.terms.text.vocabulary import Vocabulary

from ...small_vocabulary import small_vocabulary

N = Normalizer()


@pytest.fixture(scope="module")
def reader() -> Reader:
    return Reader(small_vocabulary(), N)


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        ("инфаркт миокарда", SCRIPT), ("高脂血症", SCRIPT), ("ذات الرئة", SCRIPT), ("پنومونی acute", SCRIPT),
        ("asdf qwer", LANGUAGE), ("Unsinn xyz", LANGUAGE), ("infarto agudo de miocardio", LANGUAGE), ("Herzinfarkt", LANGUAGE),
        ("Lungenentzündung", LANGUAGE), ("Schlaganfall", LANGUAGE), ("crise cardiaque", LANGUAGE), ("dolor de cabeza", LANGUAGE), ("Hypertonie", LANGUAGE), ("arterielle Hypotonie", LANGUAGE),
        ("I think it is ulcerative colitis, less likely Crohn's disease", SENTENCE), ("Request an expedited liver biopsy", SENTENCE),
        ("The patient should be given antibiotics", SENTENCE), ("What is the diagnosis?", SENTENCE), ("is this gout?", SENTENCE),
        ("I have a headache", SENTENCE), ("call an ambulance", SENTENCE), ("patient needs surgery", SENTENCE),
        ("start antibiotics and admit", SENTENCE), ("refer to cardiology", SENTENCE),
        ("severe pneumonia of old age with fever " * 4, SENTENCE), ("xxxx", NOTHING), ("blah blah blah", NOTHING), ("πνευμονία", SCRIPT),
        ("pneumonia, sepsis, AKI", SEVERAL), ("SLE, RA, gout", SEVERAL), ("cholelithiasis; hypertension", SEVERAL),
        ("gout\nasthma", SEVERAL), ("gout | asthma", SEVERAL), ("gout or asthma", SEVERAL), ("pneumonia vs sepsis", SEVERAL),
        ("1. Gout 2. Asthma", SEVERAL), ("1) Gout; 2) Astma", SEVERAL), ("diabetes and hypertension", SEVERAL),
        ("pneumonia / sepsis", SEVERAL),
        ("gout; DM2 badly controlled; asthma", SEVERAL), ("gout & asthma", SEVERAL),
        ("none", NOTHING), ("N/A", NOTHING), ("No diagnosis.", NOTHING), ("unknown", NOTHING), ("5", NOTHING), ("12.5", NOTHING),
        ("d.txt", NOTHING), ("C99.9", NOTHING), ("www.example.org", NOTHING), ("as above", NOTHING), ("normal", NOTHING),
    ],
)  # fmt: skip
def test_not_understood(reader: Reader, raw: str, reason: str) -> None:
    assert reader(raw, N(raw)).not_understood == reason


@pytest.mark.parametrize(
    "raw",
    [
        "asthma", "astma", "hypertension, essential", "diabetes with neuropathy", "hemorrhage, subarachnoid", "nausea and vomiting",
        "head and neck cancer", "HIV/AIDS", "tuberculosis, pulmonary", "heart attack / myocardial infarction", "ibrutinib", "CADASIL",
        "Erdheim-Chester disease", "Zollinger-Ellison syndrome", "β-thalassemia", "no pneumonia", "pneumonia is ruled out",
        "family history of asthma", "rule out gout", "possible lupus", "pneumonia, bacterial pneumonia", "stage IV sarcoma", "MPSIIID",
        "gastric neuroendocrinopathy", "I21", "sarcoma / tumor", "type I diabetes", "HE", "psJIA", "pneumonia", "Sjögren syndrome", "nausea, vomiting and fever", "anxiety and depression", "use of opioids",
        "pneumonia?", "asthma/gout", "Cornelia de Lange syndrome", "torn ACL", "water on the lung", "COPD with asthma",
    ],
)  # fmt: skip
def test_understood(reader: Reader, raw: str) -> None:
    assert reader(raw, N(raw)).not_understood is None


def test_a_whole_name_is_never_taken_apart() -> None:
    both = {1: ("gout",), 2: ("asthma",), 3: ("gout, asthma",)}
    assert Reader(small_vocabulary(names=both), N)("gout, asthma", N("gout, asthma")).not_understood is None


def test_cyrillic_is_a_script_of_russian() -> None:
    reader = Reader(small_vocabulary(language="ru"), Normalizer("ru"))
    assert reader("инфаркт миокарда", "инфаркт миокарда").not_understood is None
    assert reader("高脂血症", "高脂血症").not_understood == SCRIPT
    assert reader("нет; n/a", "нет n a").not_understood is None


def test_share_of_scripts() -> None:
    assert share_in("abc", "LATIN") == share_in("123", "LATIN") == share_in("µé", "LATIN", "GREEK") == 1
    assert share_in("ab高血", "LATIN") == 0.5


@pytest.fixture(scope="module")
def of_real_names(shared_data: Path) -> Reader:
    """Every disease but each fifth, whose names are then not known."""
    diseases: dict[str, set[str]] = defaultdict(set)
    with (shared_data / "disease_names.csv").open(encoding="utf-8") as handle:
        for row in csv.DictReader(handle):
            if int(row["disease"].encode().hex(), 16) % 5:
                diseases[N(row["name"])].add(row["disease"])
    words = Counter(word for name in diseases for word in set(name.split()))
    return Reader(Vocabulary(words, lambda name: diseases.get(name, ())), N)


@pytest.mark.slow
def test_next_to_no_real_diagnosis_is_refused(of_real_names: Reader, shared_data: Path) -> None:
    with (shared_data / "craft_md_pairs.csv").open(encoding="utf-8") as handle:
        said = sorted({row[side] for row in csv.DictReader(handle) for side in ("expert", "algorithm")})
    with (shared_data / "disease_names.csv").open(encoding="utf-8") as handle:
        names = [row["name"] for row in csv.DictReader(handle)]
    for texts, most in ((said, 0.005), (names, 0.005)):
        normalized = [N(text) for text in texts]
        start = time.perf_counter()
        refused = [r for r in map(of_real_names, texts, normalized) if r.not_understood]
        took = time.perf_counter() - start
        assert len(refused) <= most * len(texts)
        assert took / len(texts) * 50_000 < 3


@pytest.mark.parametrize("raw", ["a" * 10_000 + "!", "a" * 9_000 + " bb", "1" * 9_999 + "x", "aaa " * 2_400 + "b"])
def test_one_letter_again_and_again_takes_no_more_time_than_its_length(reader: Reader, raw: str) -> None:
    """Each way to cut such a run into threes was tried, and there are exponentially many."""
    began = time.thread_time()
    reader(raw, N(raw))
    assert time.thread_time() - began < 1
    assert [is_nothing(text) for text in ("xxxx", "aaaaaa bbb", "xx", "xxxxy")] == [True, True, False, False]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("аsthma", ["аsthma"]),  # Cyrillic а
        ("αsthma", ["αsthma"]),  # Greek alpha
        ("pneumοnia and gοut", ["pneumοnia", "gοut"]),  # Greek omicron
        ("астмa", ["астмa"]),  # Latin a
        ("ΗΙV", ["ΗΙV"]),  # Greek eta and iota
        ("asthma", []),
        ("астма asthma", []),
        ("β-thalassemia", []),
        ("TNFα deficiency, IFNγ, μg, µg, αHCG", []),
        ("Ménière’s disease", []),
        ("ﬁbrosis ｇｏｕｔ", []),
        ("高脂血症 type 2", []),
        ("СД2 типа", []),
        ("", []),
    ],
)
def test_mixed_scripts(text: str, expected: list[str]) -> None:
    assert mixed_scripts(text) == expected


@pytest.mark.parametrize(
    ("raw", "parts"),
    [
        ("gout ; asthma", ["gout", "asthma"]),
        ("gout\n \r\nasthma", ["gout", "asthma"]),
        ("gout vs. asthma", ["gout", "asthma"]),
        ("gout / / asthma", ["gout", "asthma"]),
        ("1. gout 2) asthma", ["gout", "asthma"]),
    ],
)
def test_parts_come_without_the_blanks_around_them(raw: str, parts: list[str]) -> None:
    assert parts in [way for way, _ in ways_apart(raw)]


@pytest.mark.parametrize(
    "raw", ["gout" + " " * 50_000 + "b; c", "gout" + "\n" * 50_000 + "b", "a," + " " * 50_000 + "b", " or" * 20_000]
)
def test_a_long_run_of_separators_takes_no_more_time_than_its_length(raw: str) -> None:
    began = time.thread_time()
    ways_apart(raw)
    assert time.thread_time() - began < 1
