"""The normaliser: goldens, and every row of the abbreviation tables. Of any Unicode: tests/fuzz."""

from __future__ import annotations

from importlib import resources

import pytest

from dxmatch.errors import ModelError, OptionError
from dxmatch.terms.text.normalizer import VERSION, Normalizer, american, without_short_forms

from ...case_table import cases, rows_of

OF = {"en": Normalizer("en"), "ru": Normalizer("ru"), "american": american, "short forms": without_short_forms}
EN, RU = OF["en"], OF["ru"]


@pytest.mark.parametrize(("kind", "written", "read"), [row for row in cases("normalised") if row[0] != "different"])
def test_golden(kind: str, written: str, read: str) -> None:
    assert OF[kind](written) == read


@pytest.mark.parametrize(("a", "b"), cases("normalised", "different"))
def test_what_differs_stays_different(a: str, b: str) -> None:
    assert EN(a) != EN(b)


@pytest.mark.parametrize("language", ["en", "ru"])
def test_every_abbreviation(language: str) -> None:
    n, rows = OF[language], rows_of(resources.files("dxmatch.terms.text") / f"abbreviations_{language}.csv")
    keys = [row["abbreviation"].casefold() for row in rows]
    assert keys == sorted(set(keys))
    for row in rows:
        short, long = row["abbreviation"], row["expansion"]
        assert n(long) == n(short) == n(f"{long} ({short})") == long, row
        if row["case"] == "exact":
            assert short == short.upper() and short.isalnum() and n(short.lower()) != long, row
        else:
            assert row["case"] == "any" and n(short.upper()) == n(short.lower()) == long, row


def test_the_users_abbreviations_go_first_and_are_part_of_the_identity() -> None:
    """Also before an exact one of the table."""
    own = {"MS": "mitral stenosis", "AMI-2": "acute MI", "covid": "COVID-19", "diabetes": "diabetes mellitus"}
    n = Normalizer(abbreviations=own | {"all": "allergy", "Hrt attk": "heart attack", "scarlet": "scarlatina"})
    assert (n("ms"), EN("ms")) == ("mitral stenosis", "multiple sclerosis")
    assert (n("acute HRT attk"), n("scarlet fever")) == ("acute myocardial infarction", "scarlatina fever")
    assert n("AMI 2") == "acute myocardial infarction"
    assert n("covid") == n("COVID-19") == "covid 19"
    assert (n("type 2 diabetes"), n("diabetes mellitus")) == ("type 2 diabetes mellitus", "diabetes mellitus")
    assert n("ALL") == n("all") == "allergy"
    assert Normalizer.from_spec(n.spec()).identity == n.identity not in {EN.identity, RU.identity}


@pytest.mark.parametrize("abbreviations", [{"": "x"}, {"x": " "}, {"!": "x"}, {"x": "…"}])
def test_wrong_options(abbreviations: dict[str, str]) -> None:
    with pytest.raises(OptionError):
        Normalizer("en", abbreviations)
    with pytest.raises(OptionError):
        Normalizer("de")
    for spec in ({**EN.spec(), "version": "1"}, {"language": "en", "abbreviations": {}}):
        with pytest.raises(ModelError, match=f"this release has version {VERSION}. Train it again"):
            Normalizer.from_spec(spec)
