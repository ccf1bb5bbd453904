"""Ranked, hierarchical and weighted scores of lists: beside scikit-learn and hiclass, and as Kernel29 prints them (4.3)."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import ndcg_score, top_k_accuracy_score

from dxmatch import metrics
from dxmatch.evaluation.score.weighted import RELATIONS
from dxmatch.metrics import hdf1, hdp, hdr
from dxmatch.terms.icd.codes import hierarchy

from ..made import By, find, framed, scored, told, value

SECOND, THIRD = 1 / np.log2(3), 1 / 2  # the discounts of ranks two and three


def test_equal_to_scikit_learn():
    generator = np.random.default_rng(2)
    # one reference in degrees, at the third rank; its ideal is to name it exactly and first: 1
    degrees = generator.integers(0, 4, (30, 5)) / 4 * (np.arange(5) == 2)
    truth, ranked = np.hstack([degrees, np.ones((30, 1))]), np.tile(np.arange(6.0, 0, -1), (30, 1))
    ideal = np.sort(truth, 1)[:, ::-1][:, :5] @ (1 / np.log2(np.arange(2, 7)))
    gained = [ndcg_score(t[None], r[None], k=5) for t, r in zip(truth, ranked, strict=True)] * ideal
    assert metrics.ndcg(degrees[..., None], np.ones((30, 1), bool), k=5) == pytest.approx(gained.mean())
    scores, truth = generator.random((50, 6)), generator.integers(0, 6, 50)
    hits = np.argsort(-scores, 1) == truth[:, None]
    for k in (1, 2, 5):
        theirs = top_k_accuracy_score(truth, scores, k=k, labels=range(6))
        assert metrics.top_k_accuracy(hits, k) == pytest.approx(theirs)


def telling(probability=lambda x, y: 0.0):
    """Tells relations: the answer's last letter is D, to a reference that it names otherwise; 0 cannot be said."""

    def relations(a, b, why=False):
        distance = [1 if x == y else int(y[-1]) if y[-1].isdigit() else 0 for x, y in zip(a, b, strict=True)]
        return SimpleNamespace(semantic_distance=np.array(distance, np.int8), kinds=["related"] * len(a))

    return By(probability, relations=relations)


def test_degrees_come_from_the_relation_model():
    lists = {
        "one": {"A": ["x3", "right"], "B": ["x5", "x2"], "truth": ["right"]},
        "two": {"A": ["x3", "x0"], "B": ["none", "x2"], "truth": ["right"]},
    }
    found = scored(lists, "ranking", telling())
    assert value(found, "A", "nDCG@10") == pytest.approx((1 / 4 + 3 / 4 * SECOND + 1 / 4) / 2)
    assert value(found, "B", "nDCG@10") == pytest.approx(9 / 16 * SECOND)
    assert "its relation model" in told(found, "origin")
    assert "M's verdict" in told(scored(lists, "ranking"), "origin")


@pytest.mark.parametrize(
    ("said", "relation", "gained"),
    [
        # x3 by its cell (D = 3) to the first; x4 by M (D = 4) to both, which adds to the second; right by its cell
        (["x3", "x4", "right"], ["exact disease group", None, "exact synonym"], 1 / 4 + SECOND / 16 + THIRD * 15 / 16),
        # M matches both, the cell speaks of the likelier alone, which is the first
        (["left right"], ["exact disease group"], 1 / 4),
    ],
)
def test_the_column_relation_comes_first(said, relation, gained):
    frame = framed({"one": {"A": said, "truth": ["left", "right"]}}, relation=[*relation, None, None])
    m = telling(lambda x, y: " " in x + y)
    assert value(scored(frame, "ranking", m), "A", "nDCG@10") == pytest.approx(gained / (1 + SECOND))
    frame.loc[0, "relation"] = "kin"
    assert "1 words of the column relation" in told(scored(frame, "ranking", m), "origin")


POOL = ["J40", "J44.9", "J47", "C34", "C34.90", "I26", "A15-A19", "B20", "S22.3", "S22.31XA", "2", "I10-I1A", "C50"]


def test_equals_hiclass():
    """Its macro average is HDP and HDR; its own F1 is of each case, so the harmonic mean is taken of the two."""
    hiclass = pytest.importorskip("hiclass.metrics", reason="the oracle hiclass is not installed (extra 'bench')")
    tree = hierarchy("icd10cm")
    true, said = np.random.default_rng(1).choice(POOL, (2, 30, 3)).tolist()

    def levels(case):
        paths = [[*(str(a) for a in reversed(tree.ancestors(tree.find(code)))), str(tree.find(code))] for code in case]
        return [path + [""] * (7 - len(path)) for path in paths]

    nodes = [np.array([levels(case) for case in cases]) for cases in (true, said)]
    precision, recall = (metric(*nodes, average="macro") for metric in (hiclass.precision, hiclass.recall))
    f1 = 2 * precision * recall / (precision + recall)
    assert [hdp(true, said), hdr(true, said), hdf1(true, said)] == pytest.approx([precision, recall, f1])


def of_codes(lists, k=None):
    """The report of lists of codes, the diagnoses being called after them; "none" is a word for no diagnosis."""
    frame = framed(lists)
    return scored(frame.assign(icd10=frame["diagnosis"].replace({"none": None})), "hierarchical", k=k)


def test_a_chapter_and_a_level_that_nobody_names():
    found = of_codes({"c2": {"A": ["C34"], "B": ["I26"], "truth": ["C34.9"]}, "c3": {"A": ["C34"], "truth": ["C34"]}})
    # B says I26 of chapter 2's C34.9: nothing there, so no HDP, an HDR of 0, and 0 whatever its HDP might be
    row = find(found.rows_of("hierarchical.chapters"), chapter="2", algorithm="B")
    assert [row[name] for name in ("HDP", "HDR", "HDF1")] == [None, 0, 0]
    row = find(found.rows, name="HDF1(subcategory)", algorithm="A")
    assert row["value"] is None and row["reason"].startswith("A gives no subcategory in any case")
    assert "1 of 2 cases B gives no code" in told(found, "origin")


def test_whole_lists_of_unlike_lengths_are_told():
    lists = {case: {"A": ["J40", "J47", "I26"], "B": ["J40"], "truth": ["J40"]} for case in ("c1", "c2")}
    said = told(of_codes(lists), "unlike_lengths")
    assert "A names 3.0" in said and "B 1.0" in said and not told(of_codes(lists, 2), "unlike_lengths")


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


def test_a_class_that_people_tell_and_the_lists_lack_is_left_out():
    people = {"case_id": ["1", "1"], "diagnosis": ["dx 1 1", "dx 1 2"], "relation": [ES, EG]}
    found = of_cases({"1": [("rare", ES), ("rare", None)]}, graded={"human": people})
    assert "1 of 2 labelled diagnoses are left out: their relation is blank" in told(found, "family")
    assert find(found.rows_of("human.agreement"), question="relation", metric="kappa")["items"] == 1
