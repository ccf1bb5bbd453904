"""Contrasts by hand, the compiled count against the words that it names, and a table that does not contradict itself."""

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
from dxmatch.terms.icd.naming import Naming
from dxmatch.terms.text.normalizer import Normalizer

_WORDS = (
    "acute chronic hepatitis b c type 1 2a 2b non with without hodgkin hyperkalemia hypokalemia left right of "
    "neutropenia neutrophilia small cell large stage 3 4 vitamin b12 d or no femoral neck not stable unstable poorly st segment elevation history negative"
)
WORDS = st.sampled_from(_WORDS.split())
NAMES = st.one_of(st.lists(WORDS, max_size=7).map(" ".join), st.text(max_size=12))


@pytest.mark.parametrize(
    ("a", "b", "opposed"),
    [
        ("Hodgkin lymphoma", "non-Hodgkin lymphoma", [("hodgkin", "non hodgkin")]),
        ("type I diabetes", "T2DM", [("type 1", "type 2")]),
        ("factor VIII deficiency", "factor IX deficiency", [("factor 8", "factor 9")]),
        ("hemophilia A", "haemophilia B", [("hemophilia a", "hemophilia b")]),
        ("vitamin B12 deficiency", "vitamin D deficiency", [("vitamin b12", "vitamin d")]),
        ("vitamin B12 deficiency", "vitamin B6 deficiency", [("vitamin b12", "vitamin b6")]),
        ("MEN 2A", "MEN 2B", [("type 2a", "type 2b")]),
        ("acute hepatitis B", "chronic hepatitis C", [("acute", "chronic"), ("hepatitis b", "hepatitis c")]),
        ("hyperkalaemia", "hypokalemia", [("hyperkalemia", "hypokalemia")]),
        ("tachycardia", "bradycardia", [("tachycardia", "bradycardia")]),
        ("neutrophilia", "neutropenia", [("neutrophilia", "neutropenia")]),
        ("B-cell lymphoma", "T-cell lymphoma", [("b cell", "t cell")]),
        ("NSTEMI", "STEMI", [("non st elevation", "st elevation")]),
        ("gallstones with cholecystitis", "gallstones without cholecystitis", [("cholecystitis", "without cholecystitis")]),
        ("kidney cancer", "hepatic cancer", [("kidney", "hepatic")]),
        ("diabetes insipidus", "diabetes mellitus", [("insipidus", "mellitus")]),
    ],
)  # fmt: skip
def test_opposed(a: str, b: str, opposed: list[tuple[str, str]]) -> None:
    normalizer = Normalizer()
    assert contrasts(normalizer(a), normalizer(b)) == opposed
    assert sorted(contrasts(normalizer(b), normalizer(a))) == sorted((y, x) for x, y in opposed)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("acute on chronic kidney disease", "chronic kidney disease"),
        ("acute pancreatitis", "pancreatitis"),
        ("chronic kidney disease stage 3", "chronic kidney disease stage 4"),  # one disease that has gone on
        ("type 3", "type 3a"),  # one specifies the other
        ("type 2", "type a"),  # a number and a letter count by themselves
        ("hyperthyroidism", "hypokalemia"),  # both hyper- and hypo-, but of another thing
        ("gallstones with or without cholecystitis", "cholecystitis with gallstones"),
        ("right heart failure", "bilateral leg edema"),
        ("epidural hematoma", "extradural hematoma"),
        ("B-cell lymphoma", "lymphoma type B"),
        ("X-linked hypophosphatemia", "hypophosphatemia"),
        ("hypertension", "hypertension"),
        ("", "acute"),
    ],
)
def test_not_opposed(a: str, b: str) -> None:
    normalizer = Normalizer()
    assert contrasts(normalizer(a), normalizer(b)) == []


@settings(deadline=None, max_examples=150)
@given(names=st.lists(NAMES, min_size=1, max_size=6))
@example(names=["acute left upper pain type 1", "chronic right lower pain type 2"])  # four, more than are counted
def test_the_count_is_that_of_the_words(names: list[str]) -> None:
    count = len(names)
    first, second = (grid.ravel().astype(np.int32) for grid in np.divmod(np.arange(count * count), count))
    found, of_names = np.empty((2, count * count), np.float32), Attributes.of(names, "en")
    assert of_names is not None
    conflicts(*of_names, MAX_CONFLICTS, first, second, found)
    out, denied = found
    assert denied.tolist() == [bool(denials(names[i], names[j])) for i, j in zip(first, second, strict=True)]
    named = [min(len(contrasts(names[i], names[j])), MAX_CONFLICTS) for i, j in zip(first, second, strict=True)]
    assert out.tolist() == named
    assert (out.reshape(count, count) == out.reshape(count, count).T).all()
    assert not out[first == second].any(), "no name contrasts with itself"


DENIED = [
    ("small cell lung cancer", "non-small cell lung cancer"),
    ("SCLC", "NSCLC"),
    ("small-cell lung carcinoma", "nonsmall cell carcinoma of the lung"),
    ("insulin-dependent diabetes", "non-insulin-dependent diabetes"),
    ("IDDM", "NIDDM"),
    ("Hodgkin lymphoma", "non-Hodgkin lymphoma"),
    ("Hodgkin's disease", "NHL"),
    ("HL", "NHL"),
    ("STEMI", "NSTEMI"),
    ("ST-segment elevation MI", "NSTEMI"),
    ("ST elevation myocardial infarction", "non-STEMI"),
    ("acute coronary syndrome with ST elevation", "acute coronary syndrome without ST elevation"),
    ("alcoholic fatty liver disease", "non-alcoholic fatty liver disease"),
    ("alcohol related fatty liver disease", "NAFLD"),
    ("toxic goitre", "nontoxic goiter"),
    ("displaced fracture", "nondisplaced fracture"),
    ("displaced fracture", "undisplaced fracture"),
    ("union of fracture", "nonunion of fracture"),
    ("ischaemic cardiomyopathy", "nonischemic cardiomyopathy"),
    ("secretory myeloma", "nonsecretory myeloma"),
    ("functioning pituitary adenoma", "nonfunctioning pituitary adenoma"),
    ("functional adenoma", "non-functioning adenoma"),
    ("obstructive CAD", "nonobstructive CAD"),
    ("traumatic subdural hematoma", "atraumatic subdural hematoma"),
    ("posttraumatic subdural hematoma", "nontraumatic subdural hematoma"),
    ("symptomatic hyponatremia", "asymptomatic hyponatremia"),
    ("typical pneumonia", "atypical pneumonia"),
    ("stable angina", "unstable angina"),
    ("septic meningitis", "aseptic meningitis"),
    ("cyanotic heart disease", "acyanotic heart disease"),
    ("complete abortion", "incomplete abortion"),
    ("competent cervix", "incompetent cervix"),
    ("complicated UTI", "uncomplicated UTI"),
    ("UTI with complications", "uncomplicated UTI"),
    ("well differentiated carcinoma", "undifferentiated carcinoma"),
    ("continent", "incontinent"),
    ("controlled asthma", "uncontrolled asthma"),
    ("ruptured aneurysm", "unruptured aneurysm"),
    ("ruptured aneurysm", "nonruptured aneurysm"),
    ("paralytic polio", "nonparalytic polio"),
    ("seminoma", "nonseminoma"),
    ("seminoma", "nonseminomatous germ cell tumor"),
    ("allergic rhinitis", "nonallergic rhinitis"),
    ("convulsive status epilepticus", "nonconvulsive status epilepticus"),
    ("melanoma", "nonmelanoma skin cancer"),
    ("Q wave infarction", "non-Q wave infarction"),
    ("gonococcal urethritis", "nongonococcal urethritis"),
    ("tuberculosis", "nontuberculous mycobacterial infection"),
    ("infective endocarditis", "noninfective endocarditis"),
    ("infectious colitis", "noninfective colitis"),
    ("bullous impetigo", "nonbullous impetigo"),
    ("muscle-invasive bladder cancer", "non-muscle-invasive bladder cancer"),
    ("clear cell carcinoma", "non-clear cell carcinoma"),
    ("provoked DVT", "unprovoked DVT"),
    ("febrile seizure", "afebrile seizure"),
    ("calculous cholecystitis", "acalculous cholecystitis"),
    ("compensated cirrhosis", "decompensated cirrhosis"),
    ("direct inguinal hernia", "indirect inguinal hernia"),
    ("mature teratoma", "immature teratoma"),
    ("intractable epilepsy", "epilepsy, not intractable"),
    ("controlled hypertension", "hypertension, not controlled"),
    ("seropositive rheumatoid arthritis", "seronegative rheumatoid arthritis"),
    ("angina", "nonanginal chest pain"),
    ("epilepsy", "psychogenic nonepileptic seizures"),
    ("bleeding ulcer", "ulcer without hemorrhage"),
    ("migraine with aura", "migraine without aura"),
    ("gallstones with cholecystitis", "gallstones without cholecystitis"),
]


@pytest.mark.parametrize(("a", "b"), DENIED)
def test_denied(a: str, b: str) -> None:
    a, b = map(Normalizer(), (a, b))
    found = denials(a, b)
    assert found and set(found) <= set(contrasts(a, b))
    assert sorted(denials(b, a)) == sorted((y, x) for x, y in found)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("non-small cell lung cancer", "large cell lung cancer"),
        ("non-small cell lung cancer", "lung cancer"),
        ("NSCLC", "lung adenocarcinoma"),
        ("NSCLC", "lung cancer with small pleural effusion"),
        ("NSTEMI", "myocardial infarction with ST depression"),
        ("NIDDM", "type 2 diabetes treated with insulin"),
        ("nonalcoholic fatty liver disease", "fatty liver disease"),
        ("nonalcoholic fatty liver disease", "NAFLD"),
        ("nonalcoholic fatty liver disease", "NASH"),
        ("nonspecific colitis", "specific colitis"),
        ("unruptured aneurysm", "nonruptured aneurysm"),
        ("NHL", "diffuse large B-cell lymphoma"),
        ("asthma", "sthma"),
        ("anemia", "emia"),
        ("inflammation", "flammation"),
        ("infection", "fection"),
        ("uniform", "iform"),
        ("aplasia", "plasia"),
        ("atrophy", "trophy"),
        ("insufficiency", "sufficiency"),
        ("unilateral", "lateral"),
        ("nonsense mutation", "sense mutation"),
        ("poorly controlled diabetes", "uncontrolled diabetes"),
        ("poorly differentiated carcinoma", "undifferentiated carcinoma"),
        ("gallstones with/without cholecystitis", "gallstones with cholecystitis"),
        ("malformation with no fistula", "malformation without fistula"),
        ("muscular dystrophy without intellectual disability, type B4", "muscular dystrophy type B4"),
        ("rheumatoid factor negative arthritis", "arthritis without rheumatoid factor"),
        ("epilepsy, not elsewhere classified", "epilepsy in diseases classified elsewhere"),
        ("acute hepatitis", "chronic hepatitis"),
        ("type 1 diabetes", "type 2 diabetes"),
        ("left fracture", "right fracture"),
    ],
)
def test_not_denied(a: str, b: str) -> None:
    normalizer = Normalizer()
    assert denials(normalizer(a), normalizer(b)) == []


@pytest.mark.parametrize(
    ("a", "b"), [("no pneumonia", "pneumonia ruled out"), ("negative for HIV", "no HIV"), ("no pneumonia", "pneumonia")]
)
def test_what_a_whole_name_asserts_is_no_denial_of_a_word(a: str, b: str) -> None:
    """`assertion.excludes` judges it; only the cores are compared word by word."""
    normalizer = Normalizer()
    texts = Names([normalizer(a), normalizer(b)], Providers(Naming(normalizer)))
    assert texts.cores[0] == texts.cores[1] and denials(*texts.cores) == []
    assert denials(*texts.names), "without the cut the words themselves would deny"
    assert texts.attributes is not None and len(texts.attributes.ids) == 0


def test_denials_table() -> None:
    """Each form once, as the normaliser leaves it; no form stands for one that stands for a third."""
    file = resources.files("dxmatch.features") / "denials_en.csv"
    rows = list(csv.DictReader(file.read_text("utf-8").splitlines()))
    normalizer = Normalizer()
    forms = {row["form"] for row in rows}
    assert len(forms) == len(rows) > 100
    for row in rows:
        assert row["denies"] in ("yes", "no")
        assert normalizer(row["form"]) == row["form"] and normalizer(row["word"]) == row["word"]
        assert row["word"] not in forms, row


def test_a_language_without_a_table() -> None:
    """The columns are told by `test_exclusion`."""
    assert Attributes.of(["стабильная"], "ru") is None
    assert denials("стабильная", "нестабильная", "ru") == contrasts("острый", "хронический", "ru") == []


def test_table() -> None:
    """Each form once on an axis, as the normaliser leaves it, and at least two values on each axis."""
    file = resources.files("dxmatch.features") / "contrasts_en.csv"
    rows = [(row["axis"], row["value"], row["form"]) for row in csv.DictReader(file.read_text("utf-8").splitlines())]
    normalizer = Normalizer()
    assert len({(axis, form) for axis, _, form in rows}) == len(rows) > 400
    for axis in {axis for axis, _, _ in rows}:
        assert len({value for a, value, _ in rows if a == axis}) > 1, axis
    for _, _, form in rows:
        assert form.startswith("-") or form.endswith("-") or normalizer(form) == form, form


def test_synonyms_do_not_contrast(shared_data: Path) -> None:
    """Of 14,459 pairs of Orphadata, three in a thousand: names of numbered types that other lists number anew."""
    normalizer = Normalizer()
    with (shared_data / "orphadata_synonyms.csv").open(encoding="utf-8", newline="") as file:
        pairs = [(row["name"], row["synonym"]) for row in csv.DictReader(file)][::10]
    opposed = sum(bool(contrasts(normalizer(a), normalizer(b))) for a, b in pairs)
    assert opposed < 0.006 * len(pairs)
