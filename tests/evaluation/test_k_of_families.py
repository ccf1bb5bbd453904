"""How many diagnoses of each list count: whole lists for recall and HDF1, k for RPAD and RRAD, unless somebody says otherwise."""

from __future__ import annotations

import pytest
from typer.testing import CliRunner

from dxmatch.errors import OptionError
from dxmatch.evaluation.evaluate import evaluate
from dxmatch.evaluation.lists.reading import read_lists
from dxmatch.evaluation.matches.reference_matches import match_references
from dxmatch.evaluation.statistics.list_lengths import deepest, ks_of, told_ks

from .made import By, lists_of, long_form

DEFAULT = {"relative": 3, "ranking": None, "recall": None, "hierarchical": None}
ELEVEN = [f"disease {letter}" for letter in "abcdefghijk"]


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (None, DEFAULT),
        (5, dict.fromkeys(DEFAULT, 5)),
        ("all", DEFAULT),
        ({"hierarchical": 5}, DEFAULT | {"hierarchical": 5}),
        ({"recall": "all", "hierarchical": 5, "relative": 2}, DEFAULT | {"relative": 2, "hierarchical": 5}),
    ],
)
def test_the_k_of_each_family(given, expected):
    assert ks_of(given) == expected


@pytest.mark.parametrize("given", [0, 101, True, 2.5, {"weighted": 5}, {"recall": 0}, {"relative": None}, "five"])
def test_a_k_that_is_none_is_refused(given):
    with pytest.raises(OptionError, match="k"):
        ks_of(given)


@pytest.mark.parametrize(
    ("given", "families", "expected"),
    [
        (None, {"recall", "relative"}, None),
        (None, {"relative"}, 3),
        (None, {"weighted"}, 1),
        (4, {"recall", "hierarchical"}, 4),
        ({"ranking": 20, "recall": 2}, {"recall"}, 20),
    ],
)
def test_how_deep_the_lists_are_looked_at(given, families, expected):
    assert deepest(ks_of(given), families) == expected


def test_what_counts_is_told_in_words():
    assert told_ks(ks_of(None), {"recall", "relative"}) == "relative: the first 3; recall: all"
    assert told_ks(ks_of(4), {"recall", "relative", "ranking"}) == "the first 4"


@pytest.fixture(scope="module")
def eleven():
    """Eleven references, and A's list that names them all, the last first."""
    return {"one": {"truth": ELEVEN, "A": ELEVEN[::-1]}}


def test_a_perfect_list_of_eleven_diseases_has_recall_1_on_a_first_run(eleven):
    report = evaluate(lists_of(eleven), By(), bootstrap=0)
    assert report.row("R_disease")["value"] == 1 and report.row("R_patient")["value"] == 1
    assert report.row("R_disease")["name"] == "R_disease" and report.row("R_disease")["k"] is None
    assert report.made_with["k"]["recall"] is None
    assert "recall: all" in dict(_lines(report))["Lists"]
    assert not any("cut" in note for note in report.notes)


def _lines(report):
    from dxmatch.evaluation.report.messages import made_with_lines

    return made_with_lines(report)


@pytest.mark.parametrize(("k", "found"), [(3, 3), ({"recall": 4}, 4), ({"recall": "all"}, 11)])
def test_an_explicit_k_cuts_and_says_so(eleven, k, found):
    report = evaluate(lists_of(eleven), By(), k=k, bootstrap=0)
    row = report.row("R_disease")
    assert row["value"] == pytest.approx(found / 11)
    assert row["name"] == ("R_disease" if found == 11 else f"R_disease@{found}")
    assert any("cut" in note for note in report.notes) == (found != 11)


def test_hdf1_is_over_the_whole_list_and_the_shift_from_top_5():
    codes = {
        "asthma": "J45.909",
        "gout": "M10.9",
        "sepsis": "A41.9",
        "flu": "J11.1",
        "copd": "J44.9",
        "angina": "I20.9",
    }
    said = list(codes)
    rows = [("c", "A", "algorithm", at, name, codes[name]) for at, name in enumerate(said, 1)]
    rows.append(("c", "truth", "reference", 1, "angina", "I20.9"))
    columns = ("case_id", "rater", "role", "rank", "diagnosis", "icd10")
    frame = [dict(zip(columns, row, strict=True)) for row in rows]
    whole = evaluate(frame, By(), metrics="hierarchical", bootstrap=0)
    cut = evaluate(frame, By(), metrics="hierarchical", k=5, bootstrap=0)
    assert whole.row("HDR")["value"] == 1 and whole.row("HDF1")["name"] == "HDF1"
    assert cut.row("HDR")["value"] == 0 and cut.row("HDF1")["name"] == "HDF1@5"
    shift = next(row for row in whole.rows_of("hierarchical.rank_shifts") if row["from"].startswith("Acc(M)"))
    assert (shift["from"], shift["to"], shift["from_value"]) == ("Acc(M)@5", "HDF1", 0.0)


def test_what_stands_past_the_ranks_held_one_by_one_is_found_all_the_same():
    filler = [f"other {i}" for i in range(60)]
    lists = lists_of({
        "one": {"truth": ["gout", "flu"], "A": [*filler, "flu"], "B": ["gout"]},
        "two": {"truth": ["asthma"], "A": ["none", *filler, "asma"], "B": filler},
    })  # fmt: skip
    matcher = By(lambda a, b: float({a, b} == {"asthma", "asma"}))
    near = match_references(lists, matcher, 10)
    whole = match_references(lists, matcher, 10, whole=True, pairs_per_call=7)
    assert not near.found[:, 0].any() and whole.hits.shape[2] == 10
    assert whole.found.tolist() == [[[False, True], [True, False]], [[True, False], [False, False]]]
    report = evaluate(lists, matcher, bootstrap=0)
    assert report.row("R_disease", algorithm="A")["value"] == pytest.approx(2 / 3)


def test_one_list_of_ten_thousand_makes_no_wide_arrays():
    import tracemalloc

    cases = {f"c{i}": {"truth": ["gout"], "A": ["gout"], "B": ["flu"]} for i in range(300)}
    cases["c7"]["A"] = [f"d{i}" for i in range(10_000)] + ["gout"]
    lists = lists_of(cases)
    tracemalloc.start()
    report = evaluate(lists, By(), metrics=["recall", "ranking"], bootstrap=0)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert report.row("R_disease", algorithm="A")["value"] == 1
    assert report.row("Acc", of="M", k=10, algorithm="A")["value"] == pytest.approx(299 / 300)
    assert peak < 150e6


def test_faults_that_a_whole_list_meets_are_refused_and_those_past_an_explicit_k_are_not():
    frame = long_form({"c": {"A": [*(f"d{i}" for i in range(12)), "x" * 10_001]}}).assign(reference="d1")
    assert read_lists(frame, k=3).raters == ["A"]
    with pytest.raises(Exception, match="10,001 characters"):
        evaluate(frame, By(), bootstrap=0)
    assert evaluate(frame, By(), k=3, bootstrap=0).row("R_disease")["value"] == 1


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["--k", "2"], "R_disease@2"),
        ([], "R_disease"),
        (["--k", "recall=all", "--k", "relative=2"], "R_disease"),
        (["--k", "recall=4"], "R_disease@4"),
    ],
)
def test_k_on_the_command_line(tmp_path, monkeypatch, words, expected):
    from dxmatch.cli.main import app

    seen = {}

    def run(lists, model, **options):
        seen["report"] = evaluate(
            lists,
            By(),
            **{
                k: v
                for k, v in options.items()
                if k not in ("min_coverage", "policy", "judge_all", "store", "endpoints")
            },
        )
        return seen["report"]

    monkeypatch.setattr("dxmatch.evaluation.evaluate.evaluate", run)
    path = tmp_path / "lists.csv"
    long_form({"c": {"A": ["gout", "flu", "asthma"], "B": ["flu"]}}).assign(reference="gout").to_csv(path, index=False)
    done = CliRunner().invoke(app, ["evaluate", str(path), *words])
    assert done.exit_code == 0, done.output
    assert seen["report"].row("R_disease", algorithm="A")["name"] == expected


@pytest.mark.parametrize("words", [["--k", "five"], ["--k", "recall="], ["--k", "3", "--k", "4"]])
def test_a_k_that_cannot_be_read_is_wrong_usage(tmp_path, words):
    from dxmatch.cli.main import app

    path = tmp_path / "lists.csv"
    path.write_text("case_id\n")
    assert CliRunner().invoke(app, ["evaluate", str(path), *words]).exit_code == 2


def test_hdf1_says_how_far_it_looked_where_lists_are_too_long(monkeypatch):
    from dxmatch.evaluation.families import icd_lists

    monkeypatch.setattr(icd_lists, "_MOST_CELLS", 120)
    frame = long_form({"c": {"A": [f"d{i}" for i in range(130)], "B": ["gout"]}})
    frame = frame.assign(icd10="M10.9", reference="gout", reference_icd10="M10.9")
    report = evaluate(frame, By(), metrics="hierarchical", bootstrap=0)
    assert any("whole lists up to 60 diagnoses; 1 list is longer" in text for text in report.warnings)


@pytest.mark.parametrize(("many", "k", "said"), [(8, None, True), (6, None, False), (8, 5, False)])
def test_lists_of_unlike_length_are_told_of_where_hdf1_takes_them_whole(many, k, said):
    cases = {
        f"c{i}": {"truth": ["pneumonia"], "A": ["pneumonia", "heart attack"] * (many // 2), "B": ["pneumonia"] * 4}
        for i in range(3)
    }
    report = evaluate(lists_of(cases), k=k, metrics=["hierarchical"], bootstrap=0)
    told = [text for text in report.warnings if "a longer one costs precision" in text]
    assert bool(told) is said
