"""Side, severity, response, course, stage, age and signs neither change nor lose the category, but where ICD-10 has a title for them."""

from __future__ import annotations

import pytest

import dxmatch

from ..case_table import cases

TEMPLATES = (
    "bilateral {}", "{}, left", "L-sided {}", "moderate {}", "refractory {}", "{} in an adult", "exacerbation of {}", "{} with cough",
    "grade 3 {}", "elderly patient with {}", "advanced {}", "uncontrolled {}", "worsening {}",
)  # fmt: skip
MOST_CHANGED = 0.02
"""Refractory anemia, moderate anxiety: ICD-10-CM has titles of such a name in another category."""


def test_the_code_is_of_the_disease_or_of_a_title_with_the_modifier() -> None:
    wanted = dict(cases("icd_modifiers"))
    found = {row["diagnosis"]: row["icd10"] for row in dxmatch.icd([*wanted], k=3).to_pylist()}
    assert {text: found[text][: len(code)] for text, code in wanted.items() if found[text]} == wanted


@pytest.mark.parametrize("template", TEMPLATES)
def test_a_modifier_keeps_the_category(template: str) -> None:
    plain = [name for name, _ in cases("../data/everyday_icd")]
    of_plain, modified = (
        dxmatch.icd(some, k=1).to_pylist() for some in (plain, [template.format(one) for one in plain])
    )
    category = [[(row["icd10"] or "none")[:3] for row in made] for made in (of_plain, modified)]
    changed = [(row["diagnosis"], was, now) for row, was, now in zip(modified, *category, strict=True) if was != now]
    assert len(changed) <= MOST_CHANGED * len(plain), changed


def test_what_contrasts_with_the_diagnosis_is_no_candidate() -> None:
    (row,) = dxmatch.icd("alcoholic steatohepatitis", k=15).to_pylist()
    assert row["candidates"] and not any("nonalcoholic" in one["found"].casefold() for one in row["candidates"])
