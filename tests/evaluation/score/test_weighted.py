"""Kernel29's scores: every worked number of the source, and of lists."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from dxmatch.errors import InputError
from dxmatch.evaluation.match.options import Graded
from dxmatch.evaluation.score import weighted
from dxmatch.evaluation.score.weighted import RELATIONS, SETTINGS, aggregated, rescaled, severity_score
from dxmatch.evaluation.score.weighted_cases import quadrant_of

from ..made import rows_in, scored, told, value

ES, BS, EG, BG, NR = RELATIONS
SHORT = dict(zip(("ES", "BS", "EG", "BG", "NR"), RELATIONS, strict=True))


@pytest.mark.parametrize("row", rows_in("score/kernel29_lists"), ids=lambda row: row["why"])
def test_worked_lists(row):
    said = [SHORT.get(word, word) for word in row["said"].split()]
    score = {
        "semantic": lambda _, said: weighted.semantic_score(said),
        "severity": severity_score,
        "error": weighted.severity_error,
    }
    assert score[row["score"]](row["reference"], said) == pytest.approx(float(row["expected"]), nan_ok=True)


# Of lists

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
]


def table(rows=ROWS):
    return pd.DataFrame(rows, columns=COLUMNS)


def of_cases(report, name, rater):
    frame = report.per_case
    return frame[frame["algorithm"] == rater][name].tolist()


def test_by_hand():
    """A: 19.8/2.4 and 13; a word for no diagnosis is related to nothing and as severe as none: .8 9 / 1.8, .8 9 / 1.8."""
    found = scored(table(), "weighted")
    assert of_cases(found, "Semantic", "A") == [8.25, 4] and of_cases(found, "Severity", "A") == [13, 4]
    assert value(found, "A", "Semantic") == 6.125 and value(found, "X", "Severity") is None
    assert value(found, "A", "rescaled(Severity)") == pytest.approx((2 * 13 / 16 - 1 - 0.5) / 2)
    for setting in SETTINGS:
        expected = aggregated(rescaled([8.25, 4]), setting)
        assert value(found, "A", f"aggregated(Semantic, {setting})") == pytest.approx(expected)
    lists = table()
    lists.loc[0, "severity"] = None
    unknown = "counts as the furthest, D = 5: A 1."
    assert unknown in told(scored(lists, "weighted"), "degrees") and unknown not in told(found, "degrees")


@pytest.mark.parametrize(
    ("row", "column", "names"),
    [(2, "relation", "'relation'"), (2, "severity", "'severity'"), (4, "severity", "'severity of")],
)
def test_a_word_outside_the_scale_names_its_row(row, column, names):
    lists = table()
    lists.loc[row, column] = "ill"
    with pytest.raises(InputError, match=f"row {row}, column {names}"):
        scored(lists, "weighted")


def test_the_golden_severity_by_a_column():
    lists = table([row for row in ROWS if row[2] != "reference"])
    right, golden = {"c1": "asthma", "c2": "asthma"}, {"c1": "rare", "c2": None}
    given = {"reference": lists["case_id"].map(right), "reference_severity": lists["case_id"].map(golden)}
    found = scored(lists.assign(**given), "weighted")
    assert of_cases(found, "Severity", "A") == pytest.approx([13, np.nan], nan_ok=True)
    assert "1 of 2 cases have no severity of the reference" in told(found, "degrees")


# the three printed cases (4.3): the reference is rare in each
PRINTED_CASES = {
    "31": [("rare", ES), ("rare", EG), ("severe", BG)],
    "54": [("rare", BS), ("rare", BS), ("rare", EG), ("severe", BG), ("rare", BG)],
    "20": [("mild", NR), ("rare", NR), ("severe", NR), ("mild", BG), ("critical", BG)],
}


def printed():
    rows = [(case, "T", "reference", 1, f"golden {case}", None, "rare") for case in PRINTED_CASES]
    for case, diagnoses in PRINTED_CASES.items():
        said = enumerate(diagnoses, 1)
        rows += [
            (case, "c3opus", "algorithm", rank, f"dx {case} {rank}", near, severe) for rank, (severe, near) in said
        ]
    return table(rows)


def test_the_plane_of_the_printed_cases():
    """By plain means they are right in severity; aggregated under hard, as in Figure 3, the worst case makes them right in neither."""
    found = scored(printed(), "weighted")
    easier = scored(printed(), "weighted", graded=Graded(difficulty="easy"))
    (row,), (easy,) = (report.rows_of("weighted.plane") for report in (found, easier))
    assert (row["severity"], row["semantic"]) == pytest.approx((-0.06, -0.50), abs=0.005)
    assert (row["quadrant"], row["difficulty"], easy["quadrant"]) == ("neither", "hard", "severity only")
    means = [value(found, "c3opus", f"rescaled({side})") for side in ("Severity", "Semantic")]
    assert means == pytest.approx([0.38, -0.38], abs=0.005)
    assert [r["n_cases"] for r in found.rows_of("weighted.quadrants")] == [1, 0, 1, 1]


def test_best_middle_and_worst_as_printed():
    found = {row["place"]: row for row in scored(printed(), "weighted").rows_of("weighted.best_and_worst")}
    assert {place: row["case_id"] for place, row in found.items()} == {"best": "31", "middle": "54", "worst": "20"}
    assert (found["worst"]["Semantic"], found["worst"]["Severity"]) == pytest.approx((0.2, 17 / 3))
    assert [quadrant_of(*at) for at in ((0, 0.5), (0.5, 0))] == ["semantic only", "severity only"], "0 is not right"
