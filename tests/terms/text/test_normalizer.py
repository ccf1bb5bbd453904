"""The normaliser: goldens, properties, and every row of the abbreviation tables."""

from __future__ import annotations

import csv
import time
from importlib import resources

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dxmatch.errors import InputError, ModelError, OptionError
from dxmatch.files.limits import MAX_CHARACTERS
from dxmatch.terms.text.normalizer import Normalizer, american, normalize_checked, without_short_forms

EN, RU = Normalizer("en"), Normalizer("ru")

GOLDEN = [
    # case, punctuation, Unicode
    ("  Crohn’s  Disease, unspecified", "crohn disease"),
    ("Graves' disease", "graves disease"),
    ("Guillain–Barré syndrome", "guillain barre syndrome"),
    ("Ménière's disease", "meniere disease"),
    ("ﬁbrosis", "fibrosis"),
    ("β-thalassaemia", "beta thalassemia"),
    ("ischæmic stroke", "ischemic stroke"),
    ("1. Pneumonia", "pneumonia"),
    ("trisomy 21", "trisomy 21"),
    ("HER2+ breast cancer", "her2 positive breast cancer"),
    ("HER2- breast cancer", "her2 negative breast cancer"),
    ("pre- and postnatal depression", "pre and postnatal depression"),
    ("pneumonia w/o effusion", "pneumonia without effusion"),
    ("↑ potassium", "high potassium"),
    # British spelling, eponyms
    ("oesophageal candidiasis", "esophageal candidiasis"),
    ("gastro-oesophageal reflux disease", "gastroesophageal reflux disease"),
    ("anaemia", "anemia"),
    ("phaeochromocytoma", "pheochromocytoma"),
    ("necrotising fasciitis", "necrotizing fasciitis"),
    ("gonorrhoea", "gonorrhea"),
    ("placenta praevia", "placenta previa"),
    ("Parkinsons disease", "parkinson disease"),
    # numerals
    ("DM type II", "diabetes mellitus type 2"),
    ("CKD stage IIIb", "chronic kidney disease stage 3b"),
    ("CKD stage three", "chronic kidney disease stage 3"),
    ("melanoma stage III-IV", "melanoma stage 3 4"),
    ("Bipolar I disorder", "bipolar 1 disorder"),
    ("Factor V Leiden", "factor 5 leiden"),
    ("IV drug use", "iv drug use"),
    ("type X-linked ichthyosis", "type x linked ichthyosis"),
    # one compound, one spelling
    ("pre-eclampsia", "preeclampsia"),
    ("Post-traumatic stress disorder", "posttraumatic stress disorder"),
    ("nonalcoholic steatohepatitis", "non alcoholic steatohepatitis"),
    ("Non-Hodgkin's lymphoma", "non hodgkin lymphoma"),
    ("micro syndrome", "micro syndrome"),
    ("nonsense syndrome", "nonsense syndrome"),
    # words that say nothing; the letter a says something
    ("Asthma NOS", "asthma"),
    ("Gout, not otherwise specified", "gout"),
    ("A case of measles", "measles"),
    ("Hepatitis A", "hepatitis a"),
    ("vitamin A deficiency", "vitamin a deficiency"),
    ("the", "the"),
    # hedges
    ("possible pneumonia", "pneumonia"),
    ("?PE", "pulmonary embolism"),
    ("PE (suspected)", "pulmonary embolism"),
    ("r/o MI", "myocardial infarction"),
    ("query fever", "query fever"),
    ("suspected", "suspected"),
    # abbreviations
    ("a fib with RVR", "atrial fibrillation with rapid ventricular response"),
    ("C. diff colitis", "clostridioides difficile colitis"),
    ("T2DM w/ neuropathy", "type 2 diabetes mellitus with neuropathy"),
    ("anti-GBM disease", "anti glomerular basement membrane disease"),
    ("GBM", "glioblastoma"),
    ("WPW syndrome", "wolff parkinson white syndrome"),
    ("UTIs", "urinary tract infection"),
    ("ALL", "acute lymphoblastic leukemia"),
    ("B-cell ALL", "b cell acute lymphoblastic leukemia"),
    ("pain in all limbs", "pain in all limbs"),
    ("PAIN IN ALL LIMBS", "pain in all limbs"),
    ("HL", "hodgkin lymphoma"),
    ("severe AS", "severe aortic stenosis"),
    ("nonST elevation MI", "non st elevation myocardial infarction"),
    ("non-STEMI", "non st elevation myocardial infarction"),
    # characters that nobody sees
    ("heart at\u00adtack", "myocardial infarction"),
    ("pneu\u200bmonia", "pneumonia"),
    ("\ufeffgout\u2060", "gout"),
    ("\u202eP\u200dE\u202c", "pulmonary embolism"),
    ("\u2067asthma\u2069\u200f", "asthma"),
    # a short form beside its long form
    ("myocardial infarction (MI)", "myocardial infarction"),
    ("polycystic ovarian syndrome (PCOS)", "polycystic ovarian syndrome"),
    ("mitral insufficiency (MI)", "mitral insufficiency"),
    ("COPD (chronic obstructive pulmonary disease)", "chronic obstructive pulmonary disease"),
    ("heart attack (MI)", "myocardial infarction"),
]


@pytest.mark.parametrize(("raw", "expected"), GOLDEN)
def test_golden_english(raw: str, expected: str) -> None:
    assert EN(raw) == expected


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ("ИБС. ОИМ", "ишемическая болезнь сердца острый инфаркт миокарда"),
        ("СД 2-го типа", "сахарный диабет 2 типа"),
        ("СД II типа", "сахарный диабет 2 типа"),
        ("Подозрение на ТЭЛА", "тромбоэмболия легочной артерии"),
        ("Пневмония неуточнённая", "пневмония"),
        ("ГБ III стадии", "гипертоническая болезнь 3 стадии"),
        ("Боковой амиотрофический склероз (БАС)", "боковой амиотрофический склероз"),
        ("йододефицит", "йододефицит"),
    ],
)
def test_golden_russian(raw: str, expected: str) -> None:
    assert RU(raw) == expected


DIFFERENT = [
    ("type 1 diabetes", "type 2 diabetes"),
    ("hepatitis A", "hepatitis B"),
    ("hepatitis A", "hepatitis"),
    ("hypertension", "hypotension"),
    ("left hip fracture", "right hip fracture"),
    ("HER2+ breast cancer", "HER2- breast cancer"),
    ("stage II", "stage III"),
    ("non-small cell lung cancer", "small cell lung cancer"),
    ("hyperkalaemia", "hypokalaemia"),
    ("EF < 40%", "EF > 40%"),
    ("Wilson disease", "Wilms tumour"),
]


@pytest.mark.parametrize(("a", "b"), DIFFERENT)
def test_what_differs_stays_different(a: str, b: str) -> None:
    assert EN(a) != EN(b)


# American words that a careless British rule would change
UNTOUCHED = """
    angioedema hypoestrogenism gastroesophageal phytoestrogen pneumonia neisseria gonorrhoeae entamoeba organism
    organisms colonoscopy localization raised bruising compromised supervised arising lysed leucovorin academia
    phoenix aerobic diuresis paralysis dialysis hemolysis apoplexy poisoning noise none nonagenarian
    immunodeficiency fetus esophagus
"""


@pytest.mark.parametrize("word", UNTOUCHED.split())
def test_american_words_stay(word: str) -> None:
    assert american(word) == word


BRITISH = """
    haemorrhage>hemorrhage leukaemia>leukemia oedema>edema lymphoedema>lymphedema diarrhoea>diarrhea
    tumours>tumors paediatric>pediatric gynaecomastia>gynecomastia caecum>cecum coeliac>celiac faecal>fecal
    oestrogen>estrogen foetal>fetal anaesthesia>anesthesia paraesthesia>paresthesia aetiology>etiology
    orthopnoea>orthopnea leucocytosis>leukocytosis varicocoele>varicocele amoebiasis>amebiasis sulphur>sulfur
    generalised>generalized organising>organizing sterilisation>sterilization paralysed>paralyzed
    goitre>goiter labour>labor fibre>fiber neurones>neurons artefact>artifact ischaemic>ischemic
"""


@pytest.mark.parametrize(("british", "expected"), [pair.split(">") for pair in BRITISH.split()])
def test_british_words_change(british: str, expected: str) -> None:
    assert american(british) == expected


def _table(language: str) -> list[dict[str, str]]:
    text = (resources.files("dxmatch.terms.text") / f"abbreviations_{language}.csv").read_text("utf-8")
    return list(csv.DictReader(text.splitlines()))


ROWS = [(language, row) for language in ("en", "ru") for row in _table(language)]


@pytest.mark.parametrize(("language", "row"), ROWS, ids=[f"{language}-{row['abbreviation']}" for language, row in ROWS])
def test_every_abbreviation(language: str, row: dict[str, str]) -> None:
    n = EN if language == "en" else RU
    short, long = row["abbreviation"], row["expansion"]
    assert row["case"] in ("any", "exact")
    assert n(long) == long, "an expansion is in the normalised form"
    assert n(short) == long
    assert n(f"{long} ({short})") == long
    if row["case"] == "exact":
        assert short == short.upper(), "an exact abbreviation is listed in upper case"
        assert short.isalnum(), "an exact abbreviation is one word"
        assert n(short.lower()) != long
    else:
        assert n(short.upper()) == n(short.lower()) == long


@pytest.mark.parametrize("language", ["en", "ru"])
def test_no_abbreviation_twice(language: str) -> None:
    keys = [row["abbreviation"].casefold() for row in _table(language)]
    assert len(set(keys)) == len(keys)
    assert keys == sorted(keys)


JOINTS = "pre post non type stage I ii IV x a the of with acute nos not otherwise specified possible , ( ) - / ' +"
PIECES = sorted(
    {word for raw, _ in GOLDEN for word in raw.split()}
    | {row["abbreviation"] for row in _table("en")}
    | set(JOINTS.split())
)


@settings(deadline=None, max_examples=1500)
@given(st.lists(st.sampled_from(PIECES), max_size=7).map(" ".join))
def test_idempotent_on_diagnoses(text: str) -> None:
    once = EN(text)
    assert EN(once) == once


@settings(deadline=None, max_examples=500)
@given(st.text(max_size=40))
def test_idempotent_on_any_text(text: str) -> None:
    for n in (EN, RU):
        once = n(text)
        assert n(once) == once


@settings(deadline=None, max_examples=300)
@given(st.text(max_size=60))
def test_form_of_what_comes_out(text: str) -> None:
    for n in (EN, RU):
        out = n(text)
        assert out == " ".join(out.split())
        assert out == out.casefold()
        assert all(word.isalnum() for word in out.split())
        assert n(f"  {text}\t") == out


@settings(deadline=None, max_examples=300)
@given(st.lists(st.sampled_from(["acute", "renal", "failure", "of", "hip", "cancer", "9"]), min_size=1).map(" ".join))
def test_plain_words_come_out_as_they_are(text: str) -> None:
    assert EN(text) == text
    assert EN(text.upper()) == text
    assert EN(text.replace(" ", " - ")) == text


def test_the_users_abbreviations_go_first() -> None:
    n = Normalizer(
        abbreviations={
            "MS": "mitral stenosis", "AMI-2": "acute MI", "covid": "COVID-19", "diabetes": "diabetes mellitus",
        }
    )  # fmt: skip
    assert n("ms") == "mitral stenosis"
    assert n("AMI 2") == "acute myocardial infarction"
    assert n("covid") == n("COVID-19") == "covid 19"
    assert n("type 2 diabetes") == "type 2 diabetes mellitus"
    assert n("diabetes mellitus") == "diabetes mellitus"
    assert Normalizer()("ms") == "multiple sclerosis"
    n = Normalizer(abbreviations={"all": "allergy"})  # an exact one of the table gives way
    assert n("ALL") == n("all") == "allergy"


def test_spec_and_identity() -> None:
    n = Normalizer("en", {"MS": "mitral stenosis"})
    again = Normalizer.from_spec(n.spec())
    assert again("MS") == "mitral stenosis"
    assert again.identity == n.identity
    assert len(n.identity) == 12
    assert len({n.identity, EN.identity, RU.identity}) == 3


@pytest.mark.parametrize(
    ("language", "abbreviations"),
    [("de", None), ("en", {"": "x"}), ("en", {"x": " "}), ("en", {"!": "x"}), ("en", {"x": "…"})],
)
def test_wrong_options(language: str, abbreviations: dict[str, str] | None) -> None:
    with pytest.raises(OptionError):
        Normalizer(language, abbreviations)


INVISIBLE = [0xAD, *range(0x200B, 0x2010), *range(0x202A, 0x202F), 0x2060, *range(0x2066, 0x206A), 0xFEFF]


@pytest.mark.parametrize("character", INVISIBLE, ids=hex)
def test_invisible_characters_vanish(character: int) -> None:
    assert EN(f"{chr(character)}as{chr(character)}thma") == "asthma"
    assert RU(f"аст{chr(character)}ма") == "астма"
    assert Normalizer(abbreviations={f"q{chr(character)}z": f"go{chr(character)}ut"})("qz") == "gout"
    assert EN(chr(character)) == ""


def test_another_version_is_refused() -> None:
    for spec in ({**EN.spec(), "version": "1"}, {"language": "en", "abbreviations": {}}):
        with pytest.raises(ModelError, match="this release has version 2. Train it again"):
            Normalizer.from_spec(spec)


@pytest.mark.parametrize("text", ["", "   ", "--", "?!", "…"])
def test_checked_refuses_what_is_no_name(text: str) -> None:
    with pytest.raises(InputError, match="without a letter or digit"):
        normalize_checked(EN, ["asthma", text])


def test_checked_refuses_a_document() -> None:
    assert len(normalize_checked(EN, ["a" * MAX_CHARACTERS])[0]) == MAX_CHARACTERS
    with pytest.raises(InputError, match="1,000,000 characters"):
        normalize_checked(EN, ["a" * 1_000_000])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("heart failure with reduced ejection fraction (HFrEF)", "heart failure with reduced ejection fraction"),
        ("gastroesophageal reflux disease (gerd)", "gastroesophageal reflux disease"),
        ("urinary tract infections (UTIs)", "urinary tract infections"),
        ("acute kidney injury [AKI] on CKD", "acute kidney injury on CKD"),
        ("viral URI (upper respiratory infection)", "viral upper respiratory infection"),
        ("pneumonia (PE)", "pneumonia (PE)"),
        ("cirrhosis (Child-Pugh B)", "cirrhosis (Child-Pugh B)"),
        ("prostate cancer (Gleason 7)", "prostate cancer (Gleason 7)"),
        ("heart attack (MI)", "heart attack (MI)"),
        ("fracture (left)", "fracture (left)"),
        ("(MI)", "(MI)"),
        ("of the (OT)", "of the (OT)"),
    ],
)
def test_short_forms(text: str, expected: str) -> None:
    assert without_short_forms(text) == expected


@pytest.mark.parametrize("piece", ["a (bc) ", "mi ", "(ab ", "possible ", "nonnon", "type ii ", "é", "a' "])
def test_the_longest_text_takes_no_time(piece: str) -> None:
    began = time.perf_counter()
    EN(piece * (MAX_CHARACTERS // len(piece)))
    assert time.perf_counter() - began < 5
