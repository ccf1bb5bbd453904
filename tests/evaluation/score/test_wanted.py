"""Which families and metrics are asked for, how deep, and what is left out."""

from __future__ import annotations

import pytest

from dxmatch.errors import InputError
from dxmatch.evaluation.match.matches import match
from dxmatch.evaluation.score.scores import Settings
from dxmatch.evaluation.score.wanted import FAMILIES, family_scores, ks_of, wanted

from ..made import By, lists_of

SETTINGS = Settings(k=ks_of(None))


def matched(lists):
    return match(lists, By(), FAMILIES)


def test_families_that_lack_something_are_left_out_unless_they_are_named():
    answers = matched(lists_of({"one": {"A": ["asthma"], "truth": ["asthma"]}}))
    found, left_out = family_scores(answers, SETTINGS, wanted(["mrr", "recall"]))
    assert [family.name for family in found] == ["ranking", "recall"] and not left_out
    assert {score.metric for score in found[0].scores} == {"mrr"}
    with pytest.raises(InputError, match="weighted"):
        family_scores(answers, SETTINGS, wanted("weighted"))
    nothing = matched(lists_of({"one": {"A": ["asthma"], "B": ["gout"]}}))
    left_out = family_scores(nothing, SETTINGS, wanted(None))[1]
    for family, lacks in (
        ("ranking", "the column reference"),
        ("recall", "the column reference"),
        ("hierarchical", "a reference"),
        ("weighted", "the column relation, or severity with the reference's"),
    ):
        assert lacks in left_out[family], family


def test_a_part_is_tested_where_its_metric_is_wanted():
    lists = lists_of({"one": {"A": ["a"], "truth": ["b"]}}, icd10=["J40", "J47"])
    for metrics, tested in (("hdf1", ("chapters",)), ("hdp", ())):
        (family,), _ = family_scores(matched(lists), SETTINGS, wanted(metrics))
        assert family.tested == tested and family.parts["chapters"]
