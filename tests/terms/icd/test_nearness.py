"""At which levels a code that was found is right."""

from __future__ import annotations

import pytest

from dxmatch.terms.icd import IcdTree
from dxmatch.terms.icd.nearness import Nearness, best_levels, levels_shared, nearest_level


# The first seven are the errors that H-DDx prints (Table 5).
@pytest.mark.parametrize(
    ("right", "found", "at", "levels"),
    [
        ("K70.0", "K70.1", "parent", "parent category section chapter"),
        ("M50.0", "M50.2", "parent", "parent category section chapter"),
        ("N17.0", "N14", "chapter", "chapter"),
        ("S32.0", "S32.000", "parent", "parent category section chapter"),
        ("G47.9", "G47", "parent", "parent category section chapter"),
        ("R53.83", "T67.6", "no level", ""),
        ("R53.83", "R53.1", "category", "category section chapter"),
        ("A15", "A15-A19", "parent", "parent section chapter"),
        ("A15", "A18", "parent", "parent section chapter"),
        ("A15-A19", "A15", "parent", "parent section chapter"),
        ("J18", "J18", "code", "code parent category section chapter"),
        ("J01.9", "J01.90", "parent", "parent category section chapter"),
        ("1", "A15", "no level", "chapter"),
    ],
)  # fmt: skip
def test_levels(cm: IcdTree, right: str, found: str, at: str, levels: str) -> None:
    got = levels_shared(cm, cm.node(found), cm.node(right))
    assert " ".join(level.word for level in sorted(got)) == levels
    assert nearest_level(got).word == ("chapter" if levels == "chapter" else at)


def test_no_code_is_right_nowhere_and_the_nearest_of_several_counts(cm: IcdTree) -> None:
    assert levels_shared(cm, -1, cm.node("A15")) == frozenset()
    assert nearest_level(frozenset()) is Nearness.NONE
    assert nearest_level(best_levels(cm, cm.node("K70.1"), [cm.node("A15"), cm.node("K70.1")])) is Nearness.SAME
