"""Words of several scripts, and words that only look so."""

from __future__ import annotations

import pytest

from dxmatch.terms.text.scripts import mixed_scripts


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
