"""Semantic and severity scores: every worked number of the source, and the section of a report."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dxmatch.errors import InputError, OptionError
from dxmatch.evaluation.evaluate import evaluate
from dxmatch.evaluation.families import weighted
from dxmatch.evaluation.lists.reading import read_lists
from dxmatch.evaluation.metrics.weighted import (
    AUTHORS_BEST,
    RELATIONS,
    SETTINGS,
    SEVERITIES,
    aggregated,
    rescaled,
    scores,
    semantic_score,
    severity_distances,
    severity_error,
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
    assert "1 of 2 cases have no severity of the reference, so no severity score." in section.warnings


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


# the three printed cases (4.3): the reference is rare in each
PRINTED_CASES = {
    "31": [("rare", ES), ("rare", EG), ("severe", BG)],
    "54": [("rare", BS), ("rare", BS), ("rare", EG), ("severe", BG), ("rare", BG)],
    "20": [("mild", NR), ("rare", NR), ("severe", NR), ("mild", BG), ("critical", BG)],
}


def printed(**columns):
    rows = [
        row
        for case, said in PRINTED_CASES.items()
        for row in [
            *((case, "c3opus", "algorithm", rank, f"dx {case} {rank}", relation, severity) for rank, (severity, relation) in enumerate(said, 1)),
            (case, "T", "reference", 1, f"golden {case}", None, "rare"),
        ]
    ]  # fmt: skip
    return table(rows).assign(**columns)


def test_the_plane_of_the_printed_cases():
    """By plain means they are right in severity; aggregated under hard, as in Figure 3, the worst case makes them right in neither."""
    report = evaluate(printed(), By(), bootstrap=0, metrics="weighted")
    (row,) = report.rows_of("weighted.plane")
    assert (row["severity"], row["semantic"]) == pytest.approx((-0.06, -0.50), abs=0.005)
    assert (row["quadrant"], row["difficulty"]) == ("neither", "hard")
    means = [report.row("rescaled", algorithm="c3opus", of=side)["value"] for side in ("Severity", "Semantic")]
    assert means == pytest.approx([0.38, -0.38], abs=0.005)
    (easy,) = evaluate(printed(), By(), bootstrap=0, metrics="weighted", difficulty="easy").rows_of("weighted.plane")
    assert easy["quadrant"] == "severity only"
    assert [r["n_cases"] for r in report.rows_of("weighted.quadrants")] == [1, 0, 1, 1]


def test_best_middle_and_worst_as_printed():
    report = evaluate(printed(), By(), bootstrap=0, metrics="weighted")
    found = {row["place"]: row for row in report.rows_of("weighted.best_and_worst")}
    assert {place: row["case_id"] for place, row in found.items()} == {"best": "31", "middle": "54", "worst": "20"}
    assert (found["worst"]["Semantic"], found["worst"]["Severity"]) == pytest.approx((0.2, 17 / 3))
    two = evaluate(printed()[lambda t: t["case_id"] != "54"], By(), bootstrap=0, metrics="weighted")
    assert [row["place"] for row in two.rows_of("weighted.best_and_worst")] == ["best", "worst"]


def test_on_which_side_severities_err():
    """By hand: of 13 diagnoses 7 are rare as the reference, 6 less, none more; by organ and by chapter of the reference."""
    organs = {"31": "muscle", "54": "muscle", "20": "heart"}
    codes = {"golden 31": "G70.0", "golden 54": "G71.8", "golden 20": "I49.8"}
    lists = printed()
    lists["organ"] = lists["case_id"].map(organs)
    report = evaluate(lists, By(), bootstrap=0, by="organ", codes=codes, metrics=["hierarchical", "weighted"])
    rows = {(row["by"], row["group"]): row for row in report.rows_of("weighted.severity_errors")}
    assert list(rows) == [("", "all cases"), ("organ", "heart"), ("organ", "muscle"),
                          ("chapter of the reference", "G00-G99"), ("chapter of the reference", "I00-I99")]  # fmt: skip
    every, heart = rows["", "all cases"], rows["organ", "heart"]
    assert [every[name] for name in ("n_cases", "n_diagnoses", "under", "same", "over")] == [3, 13, 6 / 13, 7 / 13, 0]
    # (1 (1 - 5) + .8 0 + .6 (3 - 5) + .4 (1 - 5) + .2 (4 - 5)) / 3
    assert heart["mean_error"] == pytest.approx(-7 / 3) and heart["under"] == 4 / 5
    assert rows["chapter of the reference", "I00-I99"]["mean_error"] == heart["mean_error"]
    row = report.row("SeverityError", algorithm="c3opus")
    assert row["value"] == pytest.approx(every["mean_error"]) == pytest.approx((-0.5 - 0.8 / 3 - 7 / 3) / 3)
    (of_heart,) = [r for r in report.subgroup_rows if r["group"] == "heart" and r["metric"] == "SeverityError"]
    assert of_heart["value"] == pytest.approx(-7 / 3)


@pytest.mark.parametrize(
    ("reference", "said", "error"),
    [
        ("mild", ["critical"], 3), ("rare", ["mild", "rare"], -4 / 1.8), ("severe", ["mild", None, "critical"], (-2 + 0.6) / 1.6),
        ("severe", [None], None), (None, ["mild"], None), ("severe", [], None),
    ],
)  # fmt: skip
def test_the_severity_error_of_a_list(reference, said, error):
    found = severity_error(reference, said)
    assert np.isnan(found) if error is None else found == pytest.approx(error)


def test_the_divisor_of_the_authors_scripts():
    """Their semantic score is rescaled by 10.33: above 1 where it is higher, which weighs as 1; severity stays at 16."""
    report = evaluate(printed(), By(), bootstrap=0, metrics="weighted", semantic_best=AUTHORS_BEST)
    semantic = np.array([8.25, 6.4, 0.2]) * 2 / 10.33 - 1
    weights = 1 / (1 + np.exp(3 * np.minimum(semantic, 1)))
    (row,) = report.rows_of("weighted.plane")
    assert row["semantic"] == pytest.approx(weights @ semantic / weights.sum())
    assert row["semantic"] == pytest.approx(aggregated(rescaled([8.25, 6.4, 0.2], 10.33), "hard", 10.33))
    assert row["severity"] == pytest.approx(-0.06, abs=0.005)
    assert any("rescaled by 10.33, as asked" in note for section in report.sections for note in section.notes)
    assert rescaled(12, 10.33) > 1 and aggregated(rescaled([12], 10.33), "hard", 10.33) > 1


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"difficulty": "soft"}, "'difficulty' parameter must be one of easy, medium, hard"),
        ({"semantic_best": 0}, "'semantic_best' parameter must be a number above 0, at most 16"),
        ({"semantic_best": 17}, "'semantic_best'"),
    ],
)
def test_options_that_are_refused(options, told):
    with pytest.raises(OptionError, match=told):
        evaluate(printed(), By(), **options)


def test_a_severity_that_is_not_known_is_told_above_the_figures():
    lists = table()
    said = lists.index[lists["severity"].notna() & (lists["rater"] != "reference")]
    lists.loc[said[0], "severity"] = None
    rater = lists.loc[said[0], "rater"]
    assert any(f"Diagnoses without a known severity: {rater} " in told for told in section_of(lists).warnings)
    assert not any("known severity" in told for told in section_of(table()).warnings)
