"""Kernel29's scores: every worked number of the source, and of lists."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from dxmatch.errors import InputError
from dxmatch.evaluation.match.options import Graded
from dxmatch.evaluation.read.reading import read_lists
from dxmatch.evaluation.score import weighted
from dxmatch.evaluation.score.weighted import RELATIONS, SETTINGS, aggregated, rescaled, severity_score
from dxmatch.evaluation.score.weighted_cases import best_and_worst_rows, quadrant_of

from .made import Scored, table_of

ES, BS, EG, BG, NR = RELATIONS
SHORT = dict(zip(("ES", "BS", "EG", "BG", "NR"), RELATIONS, strict=True))


@pytest.mark.parametrize("row", table_of("kernel29_lists"), ids=lambda row: row["why"])
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


def scored(lists=None, **options):
    return Scored(weighted, table() if lists is None else lists, **options)


def test_by_hand():
    """A: 19.8/2.4 and 13; a word for no diagnosis is related to nothing and as severe as none: .8 9 / 1.8, .8 9 / 1.8."""
    found = scored()
    assert found.per_case["Semantic"] == pytest.approx(np.array([[8.25, 0], [4, np.nan]]), nan_ok=True)
    assert found.per_case["Severity"] == pytest.approx(np.array([[13, np.nan], [4, np.nan]]), nan_ok=True)
    assert found.value("A", "Semantic") == 6.125 and found.row("X", "Semantic")["n_cases"] == 1
    assert found.row("X", "Severity")["reason"] == "no severity is given in any list"
    assert found.value("A", "rescaled(Severity)") == pytest.approx((2 * 13 / 16 - 1 - 0.5) / 2)
    for setting in SETTINGS:
        assert found.value("A", f"aggregated(Semantic, {setting})") == pytest.approx(
            aggregated(rescaled([8.25, 4]), setting)
        )
    assert "X 1 of 2" in found.told["degrees"][0]
    assert [row["n_cases"] for row in found.tables["quadrants"] if row["algorithm"] == "A"] == [1, 0, 0, 1]
    lists = table()
    lists.loc[0, "severity"] = None
    for told, there in ((scored(lists).told["degrees"], True), (found.told["degrees"], False)):
        assert any("without a known severity" in one and "A 1" in one for one in told) == there


@pytest.mark.parametrize(
    ("row", "column", "told"),
    [(2, "relation", "row 2, column 'relation'"), (2, "severity", "row 2, column 'severity'"), (4, "severity", "row 4, column 'severity of")],
)  # fmt: skip
def test_a_word_outside_the_scale_names_its_row(row, column, told):
    with pytest.raises(InputError, match=told):
        scored(table().assign(**{column: lambda t: t[column].where(t.index != row, "ill")}))


def test_the_golden_severity_by_a_column():
    lists = table([row for row in ROWS if row[2] != "reference"])
    found = scored(lists.assign(reference_severity=lists["case_id"].map({"c1": "rare", "c2": None})))
    assert found.per_case["Severity"].ravel() == pytest.approx([13, np.nan, np.nan, np.nan], nan_ok=True)
    assert any("1 of 2 cases have no severity of the reference" in told for told in found.told["degrees"])


# the three printed cases (4.3): the reference is rare in each
PRINTED_CASES = {
    "31": [("rare", ES), ("rare", EG), ("severe", BG)],
    "54": [("rare", BS), ("rare", BS), ("rare", EG), ("severe", BG), ("rare", BG)],
    "20": [("mild", NR), ("rare", NR), ("severe", NR), ("mild", BG), ("critical", BG)],
}


def printed(cases=PRINTED_CASES):
    rows = [(case, "T", "reference", 1, f"golden {case}", None, "rare") for case in cases]
    for case in cases:
        said = enumerate(PRINTED_CASES[case], 1)
        rows += [
            (case, "c3opus", "algorithm", rank, f"dx {case} {rank}", near, severe) for rank, (severe, near) in said
        ]
    return table(rows)


def test_the_plane_of_the_printed_cases():
    """By plain means they are right in severity; aggregated under hard, as in Figure 3, the worst case makes them right in neither."""
    found = scored(printed())
    (row,), (easy,) = found.tables["plane"], scored(printed(), graded=Graded(difficulty="easy")).tables["plane"]
    assert (row["severity"], row["semantic"]) == pytest.approx((-0.06, -0.50), abs=0.005)
    assert (row["quadrant"], row["difficulty"], easy["quadrant"]) == ("neither", "hard", "severity only")
    means = [found.value("c3opus", f"rescaled({side})") for side in ("Severity", "Semantic")]
    assert means == pytest.approx([0.38, -0.38], abs=0.005)
    assert [r["n_cases"] for r in found.tables["quadrants"]] == [1, 0, 1, 1]


def test_best_middle_and_worst_as_printed():
    found = {row["place"]: row for row in scored(printed()).tables["best_and_worst"]}
    assert {place: row["case_id"] for place, row in found.items()} == {"best": "31", "middle": "54", "worst": "20"}
    assert (found["worst"]["Semantic"], found["worst"]["Severity"]) == pytest.approx((0.2, 17 / 3))
    assert [row["place"] for row in scored(printed(["31", "20"])).tables["best_and_worst"]] == ["best", "worst"]
    rows = best_and_worst_rows(["A"], list("vwxyz"), np.array([[1.0, 5, 4, 3, 2]]).T, np.zeros((5, 1)))
    assert [row["case_id"] for row in rows] == ["w", "y", "v"]
    assert [quadrant_of(*at) for at in ((0, 0.5), (0.5, 0))] == ["semantic only", "severity only"], "0 is not right"


def test_on_which_side_severities_err():
    """By hand: of 13 diagnoses 7 are rare as the reference, 6 less, none more; by organ and by chapter of the reference."""
    codes = {"golden 31": "G70.0", "golden 54": "G71.8", "golden 20": "I49.8"}
    organs, of = {"31": "muscle", "54": "muscle", "20": "heart"}, "chapter of the reference"
    lists = printed().assign(
        organ=lambda t: t["case_id"].map(organs), icd10=lambda t: t["diagnosis"].map(codes).fillna("J40")
    )
    found = scored(read_lists(lists, by="organ"))
    rows = {(row["by"], row["group"]): row for row in found.tables["severity_errors"]}
    assert list(rows) == [("", "all cases"), ("organ", "heart"), ("organ", "muscle"), (of, "G00-G99"), (of, "I00-I99")]
    every, heart = rows["", "all cases"], rows["organ", "heart"]
    assert [every[name] for name in ("n_cases", "n_diagnoses", "under", "same", "over")] == [3, 13, 6 / 13, 7 / 13, 0]
    # (1 (1 - 5) + .8 0 + .6 (3 - 5) + .4 (1 - 5) + .2 (4 - 5)) / 3
    assert heart["mean_error"] == rows[of, "I00-I99"]["mean_error"] == pytest.approx(-7 / 3) and heart["under"] == 4 / 5
    assert found.value("c3opus", "SeverityError") == every["mean_error"] == pytest.approx((-0.5 - 0.8 / 3 - 7 / 3) / 3)


def test_the_divisor_of_the_authors_scripts():
    """Their semantic score is rescaled by 10.33: above 1 where it is higher, which weighs as 1; severity stays at 16."""
    found = scored(printed(), graded=Graded(best=10.33))
    semantic = np.array([8.25, 6.4, 0.2]) * 2 / 10.33 - 1
    weights = 1 / (1 + np.exp(3 * np.minimum(semantic, 1)))
    above, at_one, bad = weighted.case_weights_of(np.array([1.5, 1, 0]), "hard")
    assert above == at_one < bad == 1, "a score above 1 weighs as 1"
    (row,) = found.tables["plane"]
    assert row["semantic"] == pytest.approx(weights @ semantic / weights.sum())
    assert row["semantic"] == pytest.approx(aggregated(rescaled([8.25, 6.4, 0.2], 10.33), "hard", 10.33))
    assert (
        row["severity"] == pytest.approx(-0.06, abs=0.005) and "rescaled by 10.33, as asked" in found.told["origin"][1]
    )
