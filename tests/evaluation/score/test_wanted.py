"""Which families and metrics are asked for, how deep, and what is left out."""

from __future__ import annotations

import pytest

from dxmatch.errors import InputError, OptionError
from dxmatch.evaluation.score.scores import Settings
from dxmatch.evaluation.score.wanted import DEFAULT, FAMILIES, computed_metrics, family_scores, ks_of, wanted

from ..made import lists_of
from .made import matched

MATCHED = matched(lists_of({"one": {"A": ["asthma"], "truth": ["asthma"]}}))
SETTINGS = Settings(k=ks_of(None))


@pytest.mark.parametrize(
    ("metrics", "symbols", "explicit"),
    [
        (None, dict.fromkeys(FAMILIES), set()),
        ("recall", {"recall": None}, {"recall"}),
        ("MRR, hdp", {"ranking": {"MRR"}, "hierarchical": {"HDP"}}, {"ranking", "hierarchical"}),
        (["top-5", "nDCG"], {"ranking": {"Acc", "nDCG"}}, {"ranking"}),
        (["recall", "R_patient"], {"recall": None}, {"recall"}),
        # of two families, none of which is then insisted on
        (["cohen_kappa"], {"relative": {"kappa"}, "agreement": {"kappa"}}, set()),
    ],
)
def test_what_is_wanted(metrics, symbols, explicit):
    found = wanted(metrics)
    assert found.symbols == symbols and set(found.explicit) == explicit and list(found.symbols) == [
        family for family in FAMILIES if family in symbols
    ]  # fmt: skip


@pytest.mark.parametrize("metrics", ["rekall", "choice_accuracy", [], ["mrr", 1]])
def test_what_no_evaluation_computes(metrics):
    with pytest.raises(OptionError, match="'metrics'"):
        wanted(metrics)
    assert "choice_accuracy" not in computed_metrics() and "mrr" in computed_metrics()


def test_how_many_diagnoses_count():
    for k, changed in ((None, {}), ("all", {}), (5, dict.fromkeys(DEFAULT, 5)), ({"recall": 2}, {"recall": 2})):
        assert ks_of(k) == {**DEFAULT, **changed}


@pytest.mark.parametrize("k", [0, 101, 1.5, True, {"weighted": 3}, {"relative": None}, {"recall": 0}])
def test_numbers_that_are_refused(k):
    with pytest.raises(OptionError, match="'k'"):
        ks_of(k)


def test_families_that_lack_something_are_left_out_unless_they_are_named():
    found, left_out = family_scores(MATCHED, SETTINGS, wanted("ranking,recall"))
    assert [family.name for family in found] == ["ranking", "recall"] and not left_out
    found, left_out = family_scores(MATCHED, SETTINGS, wanted(["mrr"]))
    assert {score.metric for family in found for score in family.scores} == {"mrr"}
    assert "the column relation" in family_scores(MATCHED, SETTINGS, wanted(None))[1]["weighted"]
    with pytest.raises(InputError, match="weighted"):
        family_scores(MATCHED, SETTINGS, wanted("weighted"))


def test_what_each_family_lacks():
    nothing = matched(lists_of({"one": {"A": ["asthma"], "B": ["gout"]}}))
    left_out = family_scores(nothing, SETTINGS, wanted(None))[1]
    for family, lacks in (
        ("ranking", "right answers: the column reference"), ("recall", "right answers: the column reference"),
        ("hierarchical", "a reference"), ("weighted", "the column relation, or severity with the reference's"),
    ):  # fmt: skip
        assert lacks in left_out[family], family


def test_a_part_is_tested_where_its_metric_is_wanted():
    lists = lists_of({"one": {"A": ["a"], "truth": ["b"]}}, icd10=["J40", "J47"])
    for metrics, tested in (("hierarchical", ("chapters",)), ("hdf1", ("chapters",)), ("hdp", ())):
        (family,), _ = family_scores(matched(lists), SETTINGS, wanted(metrics))
        assert family.tested == tested and family.parts["chapters"]
