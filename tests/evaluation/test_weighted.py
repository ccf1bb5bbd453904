"""Semantic and severity scores: every worked number of the source, and the section of a report."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dxmatch.errors import InputError, OptionError
from dxmatch.evaluation.families import weighted
from dxmatch.evaluation.lists.reading import read_lists
from dxmatch.evaluation.metrics.weighted import (
    RELATIONS,
    SETTINGS,
    SEVERITIES,
    aggregated,
    rescaled,
    scores,
    semantic_score,
    severity_distances,
    severity_score,
)
from dxmatch.evaluation.statistics.section import Context

from .made import By

ES, BS, EG, BG, NR = RELATIONS


@pytest.mark.parametrize(
    ("reference", "said", "score"),
    [
        (None, [ES, EG, BG], 19.8 / 2.4),  # (1 16 + .8 4 + .6 1) / (1 + .8 + .6) = 8.25
        (None, [BS, BS, EG, BG, BG], 6.4),  # (1 9 + .8 9 + .6 4 + .4 1 + .2 1) / 3 = 19.2 / 3
        (None, [NR, NR, NR, BG, BG], 0.2),  # (.4 1 + .2 1) / 3
        ("rare", ["rare", "rare", "severe"], 31.2 / 2.4),  # (1 16 + .8 16 + .6 4) / 2.4 = 13
        ("rare", ["rare", "rare", "rare", "severe", "rare"], 14.4),  # (38.4 + .4 4 + .2 16) / 3 = 43.2 / 3
        ("rare", ["mild", "rare", "severe", "mild", "critical"], 17 / 3),  # (1 0 + .8 16 + .6 4 + .4 0 + .2 9) / 3
        ("rare", [None, "rare"], 12.8 / 1.8),  # an unknown severity is as far as can be: (1 0 + .8 16) / 1.8
        ("rare", ["unknown", "rare"], 12.8 / 1.8),
    ],
)
def test_scores(reference, said, score):
    found = semantic_score(said) if reference is None else severity_score(reference, said)
    assert found == pytest.approx(score)


def test_ranks_spellings_and_lists_of_more_than_five():
    for words, ranks in ((["Exact Synonym", "Broad Disease Group"], [1, 3]), (["Broad_Disease-group", " exact  SYNONYM "], [3, 1])):  # fmt: skip
        assert semantic_score(words, ranks) == pytest.approx(16.6 / 1.6)
    assert semantic_score([NR] * 5 + [ES]) == 0
    assert np.isnan(semantic_score([])) and np.isnan(semantic_score([ES], ranks=[6]))
    assert np.isnan(severity_score(None, ["mild"])) and np.isnan(severity_score("mild", []))
    for ranks in ([1], [1, 1], [0, 1], [1.0, 2], [True, 2]):
        with pytest.raises(OptionError, match="'ranks' parameter must be 2 different whole numbers from 1"):
            semantic_score([ES, NR], ranks)


@pytest.mark.parametrize("word", ["exactsynonym", "synonym", "exact", "", None, 1])
def test_words_outside_the_scale(word):
    told = f"row 1, column 'relations': a word outside the scale.*Allowed: {ES}, {BS}, {EG}"
    with pytest.raises(InputError, match=told):
        semantic_score([ES, word])


@pytest.mark.parametrize(
    ("score", "error", "told"),
    [
        (lambda: severity_score("mild", ["sever"]), InputError, "did you mean 'severe'.*Allowed: mild, moderate, severe, critical, rare, unknown"),
        (lambda: severity_score("fatal", ["mild"]), InputError, "column 'reference'"),
        (lambda: semantic_score(ES), OptionError, "'relations' parameter must be a list of words"),
        *((lambda v=v: rescaled(v), OptionError, "numbers from 0 to 16") for v in ([17], [-1])),
        *((lambda v=v: aggregated(v), OptionError, "numbers from -1 to 1") for v in ([], [1.5], 0.5)),
        *((lambda s=s: aggregated([0.5], s), OptionError, "one of easy, medium, hard, or two numbers")
          for s in ("soft", (1,), (1, None), (np.inf, 0), 3)),
    ],
)  # fmt: skip
def test_refused(score, error, told):
    with pytest.raises(error, match=told):
        score()


AGGREGATES = [
    ([1, -0.5, 0.25, -1], (-0.289, -0.490, -0.577)),
    ([1, 0.8, 0.9, -0.1], (0.537, 0.333, 0.147)),
]


@pytest.mark.parametrize(("cases", "printed"), AGGREGATES)
def test_aggregates(cases, printed):
    for setting, value in zip(SETTINGS, printed, strict=True):
        # the source prints three digits, some cut and some rounded
        assert aggregated(cases, setting) == pytest.approx(value, abs=0.001)
        assert aggregated(cases, SETTINGS[setting]) == aggregated(cases, setting)


def test_the_aggregate_that_the_source_misprints():
    """The source prints -0.738 for (-.8, -.9, -1, +.1) under easy.

    It weighs +0.1 by 1 / (1 + exp(0.3 - 0.1)) = 0.450 in place of 1 / (1 + exp(0.1 - 0.3)) = 0.550.
    """
    cases, weights = np.array([-0.8, -0.9, -1, 0.1]), np.array([0.75026, 0.76852, 0.78583, 0.54983])
    assert aggregated(cases, "easy") == pytest.approx(weights @ cases / weights.sum(), abs=1e-5)
    weights[3] = 0.45017
    assert weights @ cases / weights.sum() == pytest.approx(-0.738, abs=0.001)


def test_rescaled_and_aggregated_leave_out():
    assert rescaled([0, 4, 16]).tolist() == [-1, -0.5, 1] and np.isnan(rescaled(np.nan))
    assert aggregated([0.5, np.nan], "hard") == 0.5 and np.isnan(aggregated([np.nan]))
    assert aggregated([0.5, -1], (1e6, 0)) == pytest.approx(-1)
    assert aggregated([0.5, 0.4], (1e6, 0)) == pytest.approx(0.4)


@settings(deadline=None)
@given(
    st.lists(st.lists(st.sampled_from([*SEVERITIES, None]), min_size=1, max_size=5), min_size=1, max_size=6),
    st.sampled_from([*SEVERITIES]),
)
def test_batch_is_scalar(lists, reference):
    said = np.array([[SEVERITIES.get(word, 0) for word in words] + [0] * (5 - len(words)) for words in lists])
    there = np.arange(5) < np.array([len(words) for words in lists])[:, None]
    distances = np.where(there, severity_distances(np.array(SEVERITIES[reference]), said), 0)
    assert scores(distances).tolist() == [severity_score(reference, words) for words in lists]


CONTEXT = Context(By(), repeats=50)


COLUMNS = ["case_id", "rater", "role", "rank", "diagnosis", "relation", "severity"]
ROWS = [
    ("c1", "A", "algorithm", 1, "asthma", "Exact Synonym", "rare"),
    ("c1", "A", "algorithm", 2, "copd", "exact-disease group", "Rare"),
    ("c1", "A", "algorithm", 3, "gout", "broad_disease_group", "severe"),
    ("c1", "X", "expert", 1, "copd", "not related", None),
    ("c1", "T", "reference", 1, "asthma", None, "rare"),
    ("c2", "A", "algorithm", 1, "none", None, None),
    ("c2", "A", "algorithm", 2, "asthma", "broad synonym", "mild"),
    ("c2", "X", "expert", 1, "asthma", None, None),
    ("c2", "T", "reference", 1, "asthma", None, "moderate"),
]  # fmt: skip


def table(rows=ROWS):
    return pd.DataFrame(rows, columns=COLUMNS)


def section_of(lists):
    read = read_lists(lists, no_diagnosis=["none"])
    assert weighted.missing(read, CONTEXT) is None
    return weighted.compute(read, CONTEXT)


def test_section_by_hand():
    section = section_of(table())
    values = {(row["algorithm"], row["name"]): row for row in section.rows}
    # in c2 rank 1 says no diagnosis: D = 5 there; then (1 0 + .8 9) / 1.8 = 4 and (1 0 + .8 9) / 1.8
    assert section.per_case["Semantic"] == pytest.approx([8.25, 0, 4, None])
    assert section.per_case["Severity"] == pytest.approx([13, None, 4, None])
    assert values["A", "Semantic"]["value"] == 6.125
    assert values["A", "rescaled(Semantic)"]["value"] == 2 * 6.125 / 16 - 1
    both = rescaled([8.25, 4])
    assert values["A", "aggregated(Semantic, hard)"]["value"] == pytest.approx(aggregated(both, "hard"))
    assert values["X", "Semantic"]["value"] == 0 and values["X", "Semantic"]["n_cases"] == 1
    assert values["X", "aggregated(Severity, easy)"]["value"] is None
    assert values["X", "Severity"]["reason"] == "no severity is given in any list"
    assert section.warnings == [
        "Lists without a semantic score, because they hold a diagnosis whose relation is blank: X 1 of 2. "
        "The score is that of the other lists."
    ]
    assert section.words == ["Semantic score, of 16 at best: A 6.12, X 0.00.", "Severity score, of 16 at best: A 8.50."]
    quadrants = [row["n_cases"] for row in section.tables["quadrants"] if row["algorithm"] == "A"]
    assert quadrants == [1, 0, 0, 1] and {row["right_by"] for row in section.tables["quadrants"]} >= {"neither"}


def test_intervals_are_of_the_resampled_cases():
    generator = np.random.default_rng(3)
    rows = [(f"c{i:02}", "A", "algorithm", 1, "asthma", generator.choice(list(RELATIONS)), None) for i in range(15)]
    section = section_of(table(rows))
    per_case = np.array(section.per_case["Semantic"])
    draws, again = np.random.default_rng(0), []
    for _ in range(50):
        again.append(aggregated(rescaled(per_case[draws.integers(0, 15, 15)]), "medium"))
    (row,) = [row for row in section.rows if row["name"] == "aggregated(Semantic, medium)"]
    assert (row["low"], row["high"]) == pytest.approx(tuple(np.quantile(again, [0.025, 0.975])))
    assert section.tables == {}


@pytest.mark.parametrize(
    ("row", "column", "word", "told"),
    [
        (2, "relation", "exact sinonym", "data frame, row 2, column 'relation': a word outside the scale; did you mean 'exact synonym'"),
        (2, "severity", "criticall", "data frame, row 2, column 'severity': a word outside the scale; did you mean 'critical'"),
        (4, "severity", "mildd", "row 4, column 'severity of the reference': a word outside the scale"),
    ],
)  # fmt: skip
def test_a_word_outside_the_scale_names_its_row(row, column, word, told):
    lists = table()
    lists.loc[row, column] = word
    with pytest.raises(InputError, match=told):
        section_of(lists)


def test_the_golden_severity_by_a_column():
    lists = table([row for row in ROWS if row[2] != "reference"])
    lists["reference_severity"] = lists["case_id"].map({"c1": "rare", "c2": None})
    section = section_of(lists)
    assert section.per_case["Severity"] == pytest.approx([13, None, None, None])
    assert "1 of 2 cases have no severity of the reference, so no severity score." in section.notes


def test_what_is_missing_is_said():
    no_golden = table([row for row in ROWS if row[2] != "reference"]).drop(columns="relation")
    for lists, lacks in (
        (table().drop(columns=["relation", "severity"]), "the column relation, or severity with the reference's"),
        (table().assign(relation=None, severity=" "), ""),
        (no_golden, "the reference's severity"),
        (table().drop(columns="relation"), None),
        (table().drop(columns="severity"), None),
    ):
        told = weighted.missing(read_lists(lists, no_diagnosis=["none"]), CONTEXT)
        assert told is None if lacks is None else lacks in told
