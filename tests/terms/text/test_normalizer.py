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

from ...case_table import cases

OF = {"en": Normalizer("en"), "ru": Normalizer("ru"), "american": american, "short forms": without_short_forms}
EN, RU = OF["en"], OF["ru"]


@pytest.mark.parametrize(("kind", "written", "read"), [row for row in cases("normalised") if row[0] != "different"])
def test_golden(kind: str, written: str, read: str) -> None:
    assert OF[kind](written) == read


@pytest.mark.parametrize(("a", "b"), cases("normalised", "different"))
def test_what_differs_stays_different(a: str, b: str) -> None:
    assert EN(a) != EN(b)


def _table(language: str) -> list[dict[str, str]]:
    text = (resources.files("dxmatch.terms.text") / f"abbreviations_{language}.csv").read_text("utf-8")
    return list(csv.DictReader(text.splitlines()))


@pytest.mark.parametrize("language", ["en", "ru"])
def test_every_abbreviation(language: str) -> None:
    n, rows = OF[language], _table(language)
    keys = [row["abbreviation"].casefold() for row in rows]
    assert keys == sorted(set(keys))
    for row in rows:
        short, long = row["abbreviation"], row["expansion"]
        assert n(long) == n(short) == n(f"{long} ({short})") == long, row
        if row["case"] == "exact":
            assert short == short.upper() and short.isalnum() and n(short.lower()) != long, row
        else:
            assert row["case"] == "any" and n(short.upper()) == n(short.lower()) == long, row


JOINTS = "pre post non type stage I ii IV x a the of with acute nos not otherwise specified possible , ( ) - / ' +"
PIECES = sorted(
    {word for raw, _ in cases("normalised", "en") for word in raw.split()}
    | {row["abbreviation"] for row in _table("en")}
    | set(JOINTS.split())
)


@settings(deadline=None, max_examples=1000)
@given(st.lists(st.sampled_from(PIECES), max_size=7).map(" ".join) | st.text(max_size=60))
def test_form_of_what_comes_out(text: str) -> None:
    for n in (EN, RU):
        out = n(text)
        assert n(out) == out == " ".join(out.split()) == out.casefold() == n(f"  {text}\t")
        assert all(word.isalnum() for word in out.split())


def test_the_users_abbreviations_go_first_and_are_part_of_the_identity() -> None:
    own = {
        "MS": "mitral stenosis",
        "AMI-2": "acute MI",
        "covid": "COVID-19",
        "diabetes": "diabetes mellitus",
        "all": "allergy",
    }
    n = Normalizer(abbreviations=own)
    assert (n("ms"), EN("ms")) == ("mitral stenosis", "multiple sclerosis")
    assert n("AMI 2") == "acute myocardial infarction"
    assert n("covid") == n("COVID-19") == "covid 19"
    assert (n("type 2 diabetes"), n("diabetes mellitus")) == ("type 2 diabetes mellitus", "diabetes mellitus")
    assert n("ALL") == n("all") == "allergy", "an exact one of the table gives way"
    assert Normalizer.from_spec(n.spec()).identity == n.identity
    assert len({n.identity, EN.identity, RU.identity}) == 3


@pytest.mark.parametrize(
    ("language", "abbreviations"),
    [("de", None), ("en", {"": "x"}), ("en", {"x": " "}), ("en", {"!": "x"}), ("en", {"x": "…"})],
)
def test_wrong_options(language: str, abbreviations: dict[str, str] | None) -> None:
    with pytest.raises(OptionError):
        Normalizer(language, abbreviations)


def test_invisible_characters_vanish() -> None:
    for code in (0xAD, *range(0x200B, 0x2010), *range(0x202A, 0x202F), 0x2060, *range(0x2066, 0x206A), 0xFEFF):
        assert (EN(f"{chr(code)}as{chr(code)}thma"), RU(f"аст{chr(code)}ма"), EN(chr(code))) == ("asthma", "астма", "")
        assert Normalizer(abbreviations={f"q{chr(code)}z": f"go{chr(code)}ut"})("qz") == "gout"


def test_another_version_is_refused() -> None:
    for spec in ({**EN.spec(), "version": "1"}, {"language": "en", "abbreviations": {}}):
        with pytest.raises(ModelError, match="this release has version 2. Train it again"):
            Normalizer.from_spec(spec)


@pytest.mark.parametrize(
    ("text", "told"),
    [("", "without a letter or digit"), ("?!", "without a letter or digit"), ("a" * 1_000_000, "1,000,000 characters")],
)
def test_checked_refuses_what_is_no_name_and_a_document(text: str, told: str) -> None:
    with pytest.raises(InputError, match=told):
        normalize_checked(EN, ["asthma", text])
    assert len(normalize_checked(EN, ["a" * MAX_CHARACTERS])[0]) == MAX_CHARACTERS


@pytest.mark.parametrize("piece", ["a (bc) ", "mi ", "(ab ", "possible ", "nonnon", "type ii ", "é", "a' "])
def test_the_longest_text_takes_no_time(piece: str) -> None:
    began = time.perf_counter()
    EN(piece * (MAX_CHARACTERS // len(piece)))
    assert time.perf_counter() - began < 5
