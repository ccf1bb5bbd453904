"""The whole way from answers and M to a report: what is taken and refused, what is left out, what comes back."""

from __future__ import annotations

import json

import numpy as np
import pytest

import dxmatch
from dxmatch.errors import InputError, OptionError
from dxmatch.evaluation.evaluate import pairs_asked
from dxmatch.evaluation.report.words import answer

from .made import POINTS, By, lists_of_everything, long_form, rows_in, scored, told

WORDS = [f"disease {letter}" for letter in "abcdefgh"]


def test_what_an_evaluation_asks_is_what_was_told(example):
    """Also where every pair matches, so what is asked does not hang on the answers."""
    m, options = By(lambda a, b: 1.0, rests_on_votes=True), {"k": 2, "reading": dxmatch.Reading(no_diagnosis=["none"])}
    dxmatch.evaluate(example / "lists.csv", matcher=m, resampling=POINTS, **options)
    wanted = pairs_asked(example / "lists.csv", **options).to_pylist()
    assert {frozenset((row["a"], row["b"])) for row in wanted} == set(map(frozenset, m.asked))
    assert len(wanted) == len(m.asked) == len(set(m.asked)) > 100


def test_the_order_of_rows_changes_nothing_and_the_seed_intervals_alone(same_text, full_report):
    """Of every family."""
    rows = lists_of_everything().sample(frac=1, random_state=0)
    shuffled, other = (
        dxmatch.evaluate(rows, matcher=same_text, k=3, resampling=dxmatch.Resampling(resamples=60, seed=seed))
        for seed in (0, 1)
    )

    def found(report, end):
        rows = sorted(report.rows, key=lambda row: (row["algorithm"], row["name"]))
        return np.array([row[end] for row in rows], float)

    for end in ("low", "value", "high"):
        np.testing.assert_allclose(found(shuffled, end), found(full_report, end), rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose(found(other, "value"), found(full_report, "value"), rtol=1e-12, atol=1e-15)
    assert (found(other, "low") != found(full_report, "low")).sum() > 20
    p = [{(r["name"], r["first"], r["second"]): r["p"] for r in one.difference_rows} for one in (full_report, shuffled)]
    assert p[0] == pytest.approx(p[1])


@pytest.mark.parametrize("row", rows_in("cases/refused"), ids=lambda row: row["options"])
def test_what_is_refused(row):
    """cases/refused.csv: options -> the kind of error, and what it names."""
    lists = {f"c{i:02}": dict.fromkeys("ABXYZ", WORDS[i : i + 3]) for i in range(5)}
    with pytest.raises(getattr(dxmatch, row["error"])) as error:
        dxmatch.evaluate(long_form(lists, {"A": "algorithm", "B": "algorithm"}), matcher=By(), **json.loads(row["options"]))  # fmt: skip
    assert row["names"] in str(error.value)
    with pytest.raises(OptionError, match="matcher="):
        dxmatch.evaluate(lists, By())
    with pytest.raises(TypeError, match=r"evaluate\(\) got an unexpected keyword argument 'speed'"):
        dxmatch.evaluate(lists, speed=1)


@pytest.mark.parametrize("text", ["resamples = 7", "[resampling]\nresamples = 7\n[other]\nx = 1"])
def test_a_file_of_options(same_text, tmp_path, text):
    (tmp_path / "mine.toml").write_text(text)
    report = dxmatch.evaluate(lists_of_everything(), matcher=same_text, resampling=tmp_path / "mine.toml")
    assert report.to_dict()["made_with"]["resamples"] == 7


@pytest.mark.parametrize("row", rows_in("cases/metrics"), ids=lambda row: row["metrics"])
def test_metrics_by_name(same_text, row):
    """cases/metrics.csv: what is asked for -> the symbols in the table."""
    report = scored(lists_of_everything(), row["metrics"].split(" "), same_text)
    assert {one["metric"] for one in report.rows} == set(row["symbols"].split(" "))
    assert report.left_out == {} and ("nDCG" in told(report)) == ("nDCG" in row["symbols"])
    # a part is tested where its metric is wanted
    chapters = any(one["of"] == "M00-M99" for one in report.difference_rows)
    assert chapters == ("HDF1" in row["symbols"].split(" "))


RIGHT = ["reference", "reference_icd10", "reference_severity", "severity", "relation"]


@pytest.mark.parametrize(
    ("without", "raters", "family", "lacks"),
    [
        (["role"], "ABXYZ", "relative", "no rater is an algorithm"),
        ([], "AX", "relative", "fewer than two experts"),
        ([], "AX", "agreement", "a second expert"),
        (["role"], "AX", "agreement", "a third model"),
        (RIGHT, "ABXYZ", "ranking", "right answers: the column reference"),
        (RIGHT, "ABXYZ", "recall", "right answers: the column reference"),
        (RIGHT, "ABXYZ", "hierarchical", "the columns icd10 and reference_icd10, or a reference"),
        (RIGHT, "ABXYZ", "weighted", "the column relation, or severity with the reference's"),
    ],
)
def test_a_family_that_lacks_something_is_left_out_unless_it_is_named(same_text, without, raters, family, lacks):
    frame = lists_of_everything().drop(columns=without)
    frame = frame[frame["rater"].isin(list(raters))]
    assert scored(frame, None, same_text, k=3).left_out[family].startswith(lacks)
    with pytest.raises(InputError, match=lacks):
        scored(frame, [family], same_text)


def test_a_cell_that_is_wrong_is_named_where_a_family_needs_it(full_report, same_text):
    names = ["relative", "ranking", "recall", "hierarchical", "weighted", "agreement"]
    assert [family.name for family in full_report.families] == names and full_report.left_out == {}
    frame = lists_of_everything()
    for column, wrong, metric in (("icd10", "J18.999999", "hdf1"), ("relation", "ill", "Semantic"), ("severity", "ill", "Severity")):  # fmt: skip
        bad = frame.assign(**{column: [wrong if row == 3 else cell for row, cell in enumerate(frame[column])]})
        with pytest.raises(InputError, match=f"row 3, column '{column}'"):
            scored(bad, metric, same_text)
        assert scored(bad, ["relative", "recall"], same_text).left_out == {}


def test_a_code_of_a_right_answer_is_named_with_the_file_that_holds_it(tmp_path):
    lists, right = tmp_path / "lists.csv", tmp_path / "right.csv"
    lists.write_text("case_id,model,rank,diagnosis,icd10\n1,g,1,flu,J11\n2,g,1,gout,M10\n")
    right.write_text("case_id,reference,reference_icd10\n1,flu,J11\n2,gout,ZZZ9\n")
    with pytest.raises(InputError, match=r"right\.csv, row 3, column 'icd10 of the reference'.*'ZZZ9'"):
        dxmatch.evaluate(lists, right, matcher=By())


def test_cases_without_a_right_answer_are_left_out_and_told(same_text):
    frame = lists_of_everything()
    part = frame["case_id"] == "c00"
    frame.loc[part, RIGHT[:2]] = None
    metrics = ["recall", "ranking", "hierarchical"]
    found, alone = (scored(some, metrics, same_text, k=3) for some in (frame, frame[~part]))
    values = [np.array([[row["value"], row["n_cases"]] for row in report.rows], float) for report in (found, alone)]
    np.testing.assert_allclose(*values)
    assert told(found, "no_reference").count("1 of 14 cases") == len(metrics)


def test_the_reciprocal_rank_is_of_the_whole_list(same_text):
    answers = {
        "case_id": ["1"],
        "reference": ["gout"],
        "gpt": [[*WORDS, *(f"{word} again" for word in WORDS[:3]), "gout"]],
    }
    found = dxmatch.evaluate(answers, matcher=same_text, resampling=POINTS, metrics="ranking")
    assert {row["value"] for row in found.rows if row["name"].startswith("MRR")} == {1 / 12}


def test_bounds_stand_in_place_of_a_figure_that_rests_on_what_is_not_understood():
    m = By()
    answers = {"case_id": list("12345"), "reference": ["gout", "flu", "asthma", "Fieber", "angina"]}
    answers["gpt"] = ["gout", "Grippe", "lupus", "fever", "angina"]
    plain = dxmatch.evaluate(answers, matcher=m, resampling=POINTS, metrics="ranking")
    assert "right in 40.0 %." in " ".join(answer(plain))
    m.not_understood = lambda texts: {text: "another language" for text in texts if text in ("Grippe", "Fieber")}
    free = {name.replace("gpt", "gpt [free]"): of for name, of in answers.items()}
    for asked in (answers, free | {"gpt [role]": answers["gpt"]}):
        found = " ".join(answer(dxmatch.evaluate(asked, matcher=m, resampling=POINTS, metrics="ranking")))
        assert "right in 40 to 80 %, since what is said in 40 % was not understood, or not read." in found
