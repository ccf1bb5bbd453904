"""What permuted features cost: against scikit-learn, and by hand where one feature is all there is."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from sklearn.metrics import average_precision_score, f1_score

import dxmatch
from dxmatch.auditing.permutation import Disturbed, quality
from dxmatch.auditing.scored_pairs import score_pairs
from dxmatch.errors import OptionError
from dxmatch.training.statistics.measure import group_draws

from ..small_relation import related


@pytest.fixture(scope="module")
def scored(matcher, rows):
    return score_pairs(matcher, rows, a="a", b="b", label=None, group=None, rejects=None)


@pytest.fixture(scope="module")
def resamples(scored):
    return group_draws(len(scored.groups.names), 40, 0)


@pytest.fixture(scope="module")
def before(scored, resamples):
    return quality(scored.raw, scored.probability >= 0.5, scored, resamples)


def test_quality_is_what_scikit_learn_says(scored, resamples, before):
    predicted = scored.probability >= 0.5
    assert before["f1"][0] == pytest.approx(f1_score(scored.label, predicted))
    for i in (0, 7):
        weight = resamples[i][scored.groups.code]
        wanted = average_precision_score(scored.label, scored.raw, sample_weight=weight)
        assert before["average_precision"][1 + i] == pytest.approx(wanted)
        assert before["f1"][1 + i] == pytest.approx(f1_score(scored.label, predicted, sample_weight=weight))


def test_large_sets_are_resampled_in_parts(scored, resamples, before, monkeypatch):
    monkeypatch.setattr("dxmatch.auditing.permutation._CELLS", 7 * len(scored))
    again = quality(scored.raw, scored.probability >= 0.5, scored, resamples)
    assert again["f1"].tolist() == before["f1"].tolist()


def test_what_no_tree_reads_costs_nothing_and_what_all_read_costs_much(matcher_of, scored, resamples):
    matcher = matcher_of("-2 3 3")  # levenshtein decides nothing
    raw = matcher.raw(scored.table)
    scored = replace(scored, label=(raw > 0).astype(np.int8))  # the ratio decides all
    disturbed = Disturbed(matcher, scored, quality(raw, raw >= 0, scored, resamples), resamples)
    generator = np.random.default_rng(0)
    unread, read = (
        disturbed.shuffled([matcher.features.names.index(name)], 3, generator)
        for name in ("levenshtein", "ratio_unigram")
    )
    assert {unread[key] for key in ("ap_lost", "ap_lost_low", "ap_lost_high", "f1_lost")} == {0.0}
    assert read["ap_lost_low"] > 0.02 and read["ap_lost_low"] < read["ap_lost"] < read["ap_lost_high"]
    assert disturbed.masked([0, 1])["ap_lost"] > 0.02


def test_both_columns_are_shuffled_together(matcher, scored, resamples, monkeypatch):
    """Shuffled together, the rows are the same rows in another order: each pair keeps its values together."""
    seen = []
    raw = matcher.raw
    monkeypatch.setattr(matcher, "raw", lambda table: (seen.append(table), raw(table))[1])
    Disturbed(matcher, scored, None, resamples).shuffled([0, 1], 1, np.random.default_rng(3))
    assert sorted(map(tuple, seen[0].tolist())) == sorted(map(tuple, scored.table.tolist()))


def test_what_excludes_ranks_below_all_and_is_no_match_when_other_features_are_shuffled(tmp_path):
    m = related(tmp_path)
    table = np.zeros((3, len(m.features.names)), np.float32)
    table[:, m.features.names.index("disease_line")] = table[:, m.features.names.index("ratio_unigram")] = 1
    table[1, m.features.exclusion] = 1
    ranked = m.ranked(table)
    assert ranked[[0, 2]].tolist() == m.raw(table)[[0, 2]].tolist() and np.isfinite(ranked).all() and ranked[1] < -1e6
    assert m.scorer.calibration(m.ranked(table)).tolist() == m.decided(table, np.zeros(3, bool)).tolist()
    assert (m.decided(table, np.zeros(3, bool)) >= m.threshold).tolist() == [True, False, True]


def test_an_audit_is_of_the_default_policy(tmp_path):
    with pytest.raises(
        OptionError, match="'matcher' parameter must be an M under the policy specification. Got 'strict'"
    ):
        dxmatch.audit(related(tmp_path, policy="strict"), [("gout", "asthma")])
