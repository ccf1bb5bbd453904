"""Kernel29's scores in lists: the three printed cases (4.3), of which the reference is rare in each."""

from __future__ import annotations

import pandas as pd
import pytest

from dxmatch.evaluation.score.weighted import RELATIONS

from ..made import scored, value

ES, BS, EG, BG, NR = RELATIONS
PRINTED = {
    "31": [("rare", ES), ("rare", EG), ("severe", BG)],
    "54": [("rare", BS), ("rare", BS), ("rare", EG), ("severe", BG), ("rare", BG)],
    "20": [("mild", NR), ("rare", NR), ("severe", NR), ("mild", BG), ("critical", BG)],
}


def of_cases(cases=PRINTED, **options):
    rows = [(case, "T", "reference", 1, f"golden {case}", None, "rare") for case in cases]
    for case, said in cases.items():
        rows += [
            (case, "A", "algorithm", rank, f"dx {case} {rank}", near, severe)
            for rank, (severe, near) in enumerate(said, 1)
        ]
    columns = ["case_id", "rater", "role", "rank", "diagnosis", "relation", "severity"]
    return scored(pd.DataFrame(rows, columns=columns), "weighted", **options)


def test_the_plane_of_the_printed_cases():
    """By plain means they are right in severity; aggregated under hard, as in Figure 3, the worst case makes them right in neither."""
    found, easier = of_cases(), of_cases(graded={"difficulty": "easy"})
    (row,), (easy,) = (report.rows_of("weighted.plane") for report in (found, easier))
    assert (row["severity"], row["semantic"]) == pytest.approx((-0.06, -0.50), abs=0.005)
    assert (row["quadrant"], row["difficulty"], easy["quadrant"]) == ("neither", "hard", "severity only")
    means = [value(found, "A", f"rescaled({side})") for side in ("Severity", "Semantic")]
    assert means == pytest.approx([0.38, -0.38], abs=0.005)
    assert [r["n_cases"] for r in found.rows_of("weighted.quadrants")] == [1, 0, 1, 1]
    # (16 + .8 4 + 0) / 2.4 = 8, which is rescaled to 0: not right
    middle = of_cases({"1": [("rare", ES), ("rare", EG), ("rare", NR)]})
    assert [row["quadrant"] for row in middle.rows_of("weighted.plane")] == ["severity only"]


def test_best_middle_and_worst_as_printed():
    found = {row["place"]: row for row in of_cases().rows_of("weighted.best_and_worst")}
    assert {place: row["case_id"] for place, row in found.items()} == {"best": "31", "middle": "54", "worst": "20"}
    assert (found["worst"]["Semantic"], found["worst"]["Severity"]) == pytest.approx((0.2, 17 / 3))
