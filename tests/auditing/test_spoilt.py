"""What spoilt features cost: against scikit-learn, and by hand where one feature is all there is."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from sklearn.metrics import average_precision_score, f1_score

from dxmatch.auditing.examined import examine
from dxmatch.auditing.opened import Opened
from dxmatch.auditing.spoilt import Resamples, decided, lost, masked, quality, shuffled

NO_TICK = lambda: None  # noqa: E731


@pytest.fixture(scope="module")
def examined(matcher, rows):
    return examine(Opened(matcher), rows, a="a", b="b", label=None, group=None, rejects=None)


@pytest.fixture(scope="module")
def resamples(examined):
    return Resamples.of(len(examined.groups.names), 40, 0)


@pytest.fixture(scope="module")
def before(matcher, examined, resamples):
    return quality(examined.raw, decided(Opened(matcher), examined.raw), examined, resamples)


def test_quality_is_what_scikit_learn_says(examined, resamples, before):
    predicted = examined.probability >= 0.5
    assert before.value["f1"] == pytest.approx(f1_score(examined.label, predicted))
    for i in (0, 7):
        weight = resamples.draws[i][examined.groups.code]
        wanted = average_precision_score(examined.label, examined.raw, sample_weight=weight)
        assert before.resampled["average_precision"][i] == pytest.approx(wanted)
        assert before.resampled["f1"][i] == pytest.approx(f1_score(examined.label, predicted, sample_weight=weight))


def test_large_sets_are_resampled_in_parts(examined, resamples, before, matcher, monkeypatch):
    monkeypatch.setattr("dxmatch.auditing.spoilt._CELLS", 7 * len(examined))
    again = quality(examined.raw, decided(Opened(matcher), examined.raw), examined, resamples)
    assert again.resampled["f1"].tolist() == before.resampled["f1"].tolist()


def test_what_no_tree_reads_costs_nothing_and_what_all_read_costs_much(matcher_of, examined, resamples):
    opened = Opened(matcher_of("-2 3 3"))  # levenshtein decides nothing
    raw = opened.matcher.raw(examined.table)
    examined = replace(examined, label=(raw > 0).astype(np.int8))  # the ratio decides all
    before = quality(raw, decided(opened, raw), examined, resamples)
    kept = {name: [i] for i, name in enumerate(opened.names)}
    unread, read = shuffled(opened, examined, {"l": kept["levenshtein"], "r": kept["ratio_unigram"]}, (before, resamples), repeats=3, seed=0, tick=NO_TICK)  # fmt: skip
    assert {unread[key] for key in ("ap_lost", "ap_lost_low", "ap_lost_high", "f1_lost")} == {0.0}
    assert read["ap_lost_low"] > 0.02 and read["ap_lost_low"] < read["ap_lost"] < read["ap_lost_high"]


def test_both_columns_are_shuffled_together(matcher, examined, monkeypatch):
    """Shuffled together, the rows are the same rows in another order: each pair keeps its values together."""
    seen = []
    opened, raw = Opened(matcher), matcher.raw
    monkeypatch.setattr(matcher, "raw", lambda table: (seen.append(table), raw(table))[1])
    shuffled(opened, examined, {"all": [0, 1]}, None, repeats=1, seed=3, tick=NO_TICK)
    assert sorted(map(tuple, seen[0].tolist())) == sorted(map(tuple, examined.table.tolist()))
    assert not np.array_equal(seen[0], examined.table)


def test_masked_columns_are_unknown(matcher, examined):
    """NaN goes right at both splits: leaf -1, no match at all; so every match that was found flips."""
    (row,) = masked(Opened(matcher), examined, {"all": [0, 1]}, None, tick=NO_TICK)
    assert row["flipped"] == pytest.approx(float((examined.probability >= 0.5).mean()))
    assert set(row) == {"name", "flipped"}


def test_the_interval_takes_each_shuffle_in_turn(before, resamples):
    same = [type(before)(before.value, {k: v[turn::2] for k, v in before.resampled.items()}) for turn in (0, 1)]
    assert set(lost(before, same).values()) == {0.0}
    less = [type(before)({k: v - 0.1 for k, v in part.value.items()}, {k: v - 0.1 for k, v in part.resampled.items()}) for part in same]  # fmt: skip
    assert list(lost(before, less).values()) == pytest.approx([0.1] * 6)
