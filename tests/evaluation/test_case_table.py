"""What was matched with what: the rows by hand and by a plain loop, what is doubtful, and the files."""

from __future__ import annotations

import json
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import openpyxl
import pandas as pd
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dxmatch.errors import InputError, ModelError, OptionError
from dxmatch.evaluation.evaluate import evaluate
from dxmatch.evaluation.lists.reading import read_lists
from dxmatch.evaluation.matches import case_table as module
from dxmatch.evaluation.matches.case_table import CaseTable, case_table
from dxmatch.evaluation.matches.nearest import doubtful_lists, near_interval, near_threshold
from dxmatch.evaluation.matches.reference_matches import match_references
from dxmatch.evaluation.report.browser.data import case_data
from dxmatch.evaluation.statistics.section import Context

from .made import By, long_form

PROBABILITIES = {
    ("copd", "chronic lung disease"): 0.6,
    ("gout", "arthritis"): 0.4,
    ("asthma", "asthma attack"): 0.9,
    ("gout", "podagra"): 0.95,
}
KINDS = {"chronic lung disease": "narrower", "arthritis": "narrower", "asthma attack": "related", "podagra": "same"}


class Knowing(By):
    """M that knows relations, and does not understand "qwrt zzt"."""

    def __init__(self):
        super().__init__(lambda x, y: max(PROBABILITIES.get((x, y), 0.0), PROBABILITIES.get((y, x), 0.0)))
        self.related = []

    def relations(self, a, b, why=False):
        assert why
        self.related += zip(a, b, strict=True)
        kinds = ["same" if x == y else KINDS.get(y, "unrelated") for x, y in zip(a, b, strict=True)]
        return SimpleNamespace(kinds=kinds, why=[f"{x} and {y}" if k == "same" else "" for x, y, k in zip(a, b, kinds, strict=True)])  # fmt: skip

    def not_understood(self, texts):
        return {text: "gibberish" for text in texts if text == "qwrt zzt"}


CASES = {
    "one": {"A": ["copd", "chronic lung disease", "none"], "B": ["qwrt zzt", "gout"], "truth": ["copd", "asthma"]},
    "two": {"A": ["arthritis"], "truth": ["gout"]},
    "three": {"A": ["copd"], "B": ["copd"]},
    "four": {"A": ["asthma attack", "podagra"], "B": ["podagra"], "truth": ["asthma"]},
}
ROLES = {"truth": "reference", "A": "algorithm", "B": "algorithm"}


def table_of(cases, matcher, k=3, **options):
    lists = read_lists(long_form(cases, ROLES), **options)
    return CaseTable(lists, match_references(lists, matcher, k), matcher, k)


@pytest.fixture
def found():
    return table_of(CASES, Knowing())


def row(table, case, rater, rank):
    (one,) = [r for r in table.to_pylist() if (r["case_id"], r["algorithm"], r["rank"]) == (case, rater, rank)]
    return [one[name] for name in ("diagnosis", "reference", "probability", "match", "relation", "why", "doubtful")]


@pytest.mark.parametrize(
    ("case", "rater", "rank", "expected"),
    [
        ("one", "A", 1, ["copd", "copd", 1.0, True, "same", "copd and copd", None]),
        ("one", "A", 2, ["chronic lung disease", "copd", 0.6, True, "broader", None, "near the threshold"]),
        ("one", "A", 3, [None, None, None, None, None, "no diagnosis is said", None]),
        ("one", "B", 1, ["qwrt zzt", "copd", None, False, "unrelated", "the diagnosis is not understood: gibberish", "not understood"]),
        ("one", "B", 2, ["gout", "copd", 0.0, False, "unrelated", None, None]),
        ("two", "A", 1, ["arthritis", "gout", 0.4, False, "broader", None, "near the threshold"]),
        ("two", "B", None, [None, None, None, None, None, "the answer is empty", None]),
        ("three", "B", 1, ["copd", None, None, None, None, "the case has no right answer", None]),
        ("four", "A", 1, ["asthma attack", "asthma", 0.9, True, "related", None, "relation disagrees"]),
        ("four", "A", 2, ["podagra", "asthma", 0.0, False, "same", "asthma and podagra", "relation disagrees"]),
    ],
)  # fmt: skip
def test_the_rows_by_hand(found, case, rater, rank, expected):
    assert row(found.table, case, rater, rank) == expected


@pytest.mark.parametrize(
    ("kind", "said", "expected"),
    [
        ("narrower", "", ("broader", None)),
        ("broader", "", ("narrower", None)),
        ("excluded", "", ("excluded", "another disease")),
        ("excluded", "'acute' and 'chronic' differ", ("excluded", "'acute' and 'chronic' differ")),
    ],
)
def test_a_relation_is_that_of_the_diagnosis_to_the_right_answer(kind, said, expected):
    """M says what the right answer is to the diagnosis; an exclusion says what opposes."""
    matcher = By(lambda x, y: 0.1)
    matcher.relations = lambda a, b, why: SimpleNamespace(kinds=[kind] * len(a), why=[said] * len(a))
    found = table_of({"one": {"A": ["copd"], "truth": ["gout"]}}, matcher).table.to_pylist()
    assert [(row["relation"], row["why"]) for row in found] == [expected]


def test_one_row_for_each_place_and_one_for_an_empty_list(found):
    assert found.table.num_rows == 12
    assert found.table.schema.names == [
        "case_id", "algorithm", "rank", "diagnosis", "reference", "probability", "match", "relation", "why", "doubtful",
        "references", "answer",
    ]  # fmt: skip
    by_case = dict(zip(found.table["case_id"].to_pylist(), found.table["references"].to_pylist(), strict=True))
    assert by_case == {"one": "copd; asthma", "two": "gout", "three": None, "four": "asthma"}


def test_a_list_that_is_out_is_not_an_empty_one():
    own = table_of(CASES, Knowing(), missing="own")
    assert row(own.table, "two", "B", None)[5] == "no answer was given"


def test_each_pair_is_asked_for_its_relation_once(found):
    matcher = found.matcher
    assert not matcher.related, "nothing is asked before it is needed"
    assert found.table.num_rows and found.table.num_rows
    assert len(matcher.related) == len(set(matcher.related))
    assert ("copd", "copd") in matcher.related and all(a in ("copd", "asthma", "gout") for a, _ in matcher.related)


def test_cases_that_share_a_group_and_a_right_answer():
    """pandas takes no dictionary in which a text stands twice."""
    frame = long_form({case: {"A": ["copd"], "truth": ["copd"]} for case in ("one", "two", "three")}, ROLES)
    lists = read_lists(frame.assign(ward=["x", "x", "y", "y", "x", "x"]), by="ward")
    matcher = Knowing()
    table = CaseTable(lists, match_references(lists, matcher, 1), matcher, 1).table.to_pandas()
    assert table["ward"].tolist() == ["x", "y", "x"] and table["references"].tolist() == ["copd"] * 3


def test_groups_are_columns():
    frame = long_form(CASES, ROLES)
    frame["specialty"] = frame["case_id"].map({"one": "lungs", "two": "joints", "four": "lungs"})
    matcher = Knowing()
    lists = read_lists(frame, by="specialty")
    table = CaseTable(lists, match_references(lists, matcher, 3), matcher, 3).table
    of = dict(zip(table["case_id"].to_pylist(), table["specialty"].to_pylist(), strict=True))
    assert of == {"one": "lungs", "two": "joints", "three": None, "four": "lungs"}


WORDS = ["asthma", "copd", "angina", "gout", "none"]


@settings(deadline=None, max_examples=60)
@given(
    st.lists(st.tuples(*[st.lists(st.sampled_from(WORDS), min_size=1, max_size=4)] * 3), min_size=1, max_size=6),
    st.integers(1, 5),
    st.integers(1, 30),
)
def test_equal_to_a_plain_loop(drawn, k, rows_per_chunk):
    cases = {f"c{i}": dict(zip(("A", "B", "truth"), lists, strict=True)) for i, lists in enumerate(drawn)}

    def probability(x, y):
        return 1.0 if x == y else len(set(x) & set(y)) / 26

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_ROWS_PER_CHUNK", rows_per_chunk)
        table = table_of(cases, By(probability), k).table.to_pylist()
    at = iter(table)
    for case, lists in cases.items():
        right = list(dict.fromkeys(text for text in lists["truth"] if text != "none"))
        for rater in "AB":
            for rank, said in enumerate(lists[rater][:k], 1):
                got = next(at)
                assert (got["case_id"], got["algorithm"], got["rank"]) == (case, rater, rank)
                assert got["diagnosis"] == (None if said == "none" else said)
                if said == "none" or not right:
                    assert got["reference"] is got["probability"] is got["match"] is None
                    continue
                best = max(right, key=lambda text, said=said: probability(text, said))
                assert got["probability"] == pytest.approx(probability(best, said), abs=1e-6)
                assert probability(got["reference"], said) == probability(best, said)
                assert got["match"] == (probability(best, said) >= 0.5)
    assert next(at, None) is None


@pytest.mark.parametrize(
    ("threshold", "low", "high"),
    [(0.5, 1 / 3, 2 / 3), (0.2, 1 / 9, 1 / 3), (0.9, 9 / 11, 18 / 19), (0.0, 1.0, 0.0), (1.0, 1.0, 0.0)],
)
def test_near_is_twice_or_half_the_odds(threshold, low, high):
    assert near_interval(threshold) == pytest.approx((low, high))
    at = np.array([low - 1e-6, low + 1e-6, high - 1e-6, high + 1e-6, np.nan])
    inside = 0 < threshold < 1
    assert near_threshold(at, threshold).tolist() == [False, inside, inside, False, False]


@pytest.mark.parametrize(
    ("pairs", "doubtful"),
    [
        ([], False),
        (["sure"], False),
        (["no"], False),
        (["sure", "near"], False),  # whatever the second turns out to be, the list is right
        (["near match"], True),
        (["no", "near"], True),
        (["near", "near match"], True),
        (["near match", "sure"], False),
    ],
)
def test_a_list_is_doubtful_where_its_verdict_could_turn(pairs, doubtful):
    kinds = ["sure", "no", "near", "near match"]
    match, near = np.array([True, False, False, True]), np.array([False, False, True, True])
    entries = np.array([[[*(kinds.index(pair) for pair in pairs), *[-2] * (3 - len(pairs))]]], np.int32)
    assert doubtful_lists(entries, match, near).tolist() == [[doubtful]]


def test_what_stands_above_the_figures(found):
    assert found.doubtful.tolist() == [[False, False], [True, False], [False, False], [False, False]]
    (said,) = found.warnings()
    assert said.startswith("1 of 6 answers is judged by a diagnosis near the threshold (probability 0.33 to 0.67")
    assert table_of({"one": {"A": ["gout"], "truth": ["gout"]}}, By()).warnings() == []


@pytest.mark.parametrize("a_folder_without", [False, True])
def test_without_relations_the_rest_is_told(a_folder_without):
    matcher = By()
    if a_folder_without:
        matcher.relations, matcher.has_relation_model = None, False
    table = table_of({"one": {"A": ["gout", "copd"], "truth": ["gout"]}}, matcher).table
    assert row(table, "one", "A", 1) == ["gout", "gout", 1.0, True, None, None, None]


def test_relations_must_be_as_many_as_pairs():
    matcher = By()
    matcher.relations = lambda a, b, why: SimpleNamespace(kinds=[], why=())
    with pytest.raises(ModelError, match="0 relations for 1 pairs"):
        _ = table_of({"one": {"A": ["copd"], "truth": ["gout"]}}, matcher).table


@pytest.mark.parametrize("rows_per_chunk", [1, 500_000])
@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".jsonl", ".xlsx", ".parquet"])
def test_the_files_hold_the_table(found, tmp_path, monkeypatch, suffix, rows_per_chunk):
    expected = found.table.to_pylist()
    monkeypatch.setattr(module, "_ROWS_PER_CHUNK", rows_per_chunk)
    path = found.save(tmp_path / f"matches{suffix}")
    if suffix == ".parquet":
        read = pq.read_table(path).to_pylist()
    elif suffix == ".xlsx":
        read = pd.read_excel(path).to_dict("records")
    elif suffix == ".jsonl":
        read = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    else:
        read = pd.read_csv(path, sep="\t" if suffix == ".tsv" else ",").to_dict("records")
    plain = [{name: None if pd.isna(value) else value for name, value in row.items()} for row in read]
    assert plain == expected


def test_a_spreadsheet_runs_no_diagnosis(tmp_path):
    table = table_of({"one": {"A": ["=1+1 disease"], "truth": ["gout"]}}, By())
    assert "'=1+1 disease" in table.save(tmp_path / "m.csv", spreadsheet=True).read_text()
    with pytest.raises(InputError, match="unknown kind"):
        table.save(tmp_path / "m.odt")


def test_of_a_report(tmp_path):
    report = evaluate(long_form(CASES, ROLES), Knowing(), k=3, bootstrap=0, metrics="recall")
    assert report.save_matches(tmp_path / "m.parquet").is_file()
    assert pq.read_table(tmp_path / "m.parquet").num_rows == len(report.matches) == 12
    assert report.warnings[-1].startswith("1 of 6 answers")
    assert report.row("R_disease", algorithm="A")["value"] == pytest.approx(2 / 4)


def test_without_a_right_answer_there_is_none():
    cases = {"one": {"A": ["gout"], "X": ["gout"], "Y": ["copd"]}}
    report = evaluate(long_form(cases, {"A": "algorithm"}), By(), bootstrap=0, k=1)
    with pytest.raises(OptionError, match="right answer"):
        _ = report.matches


def test_votes_that_nobody_asked_for_are_not_needed():
    matcher = By()
    matcher.rests_on_votes = True
    lists = read_lists(long_form(CASES, ROLES))
    assert case_table(lists, Context(matcher, n_cases=4)) is None and not matcher.asked


def test_raters_in_another_order():
    report = evaluate(long_form(CASES, ROLES), Knowing(), k=3, bootstrap=0, metrics="recall")
    table = report.case_table
    other = table.in_order(["B"])
    assert other.lists.raters == ["B", *(rater for rater in table.lists.raters if rater != "B")]
    rows = [sorted(map(str, one.table.to_pylist())) for one in (table, other)]
    assert rows[0] == rows[1] and table.table != other.table


REFUSED = "I am sorry, but I am not able to say what the patient has; please see a doctor."


@pytest.fixture
def with_a_refusal():
    answers = {"m1": ["1. Gout\n2. RA", REFUSED], "m2": ["Gout", None]}
    frame = pd.DataFrame({"case_id": ["one", "two"], "reference": ["Gout", "RA"], **answers})
    lists = read_lists(frame)
    matcher = By(lambda x, y: float(x == y))
    return CaseTable(lists, match_references(lists, matcher, 3), matcher, 3)


def test_what_was_written_stands_where_nothing_could_be_read(with_a_refusal):
    assert with_a_refusal.lists.unread == {("two", "m1"): REFUSED}
    rows = with_a_refusal.table.to_pylist()
    found = {
        (row["case_id"], row["algorithm"]): (row["why"], row["answer"]) for row in rows if row["diagnosis"] is None
    }
    assert found == {
        ("two", "m1"): ("no diagnosis could be read from the answer", REFUSED),
        ("two", "m2"): ("the answer is empty", None),
    }
    turned = with_a_refusal.in_order(["m2", "m1"])
    assert [row["answer"] for row in turned.table.to_pylist() if row["answer"]] == [REFUSED]
    assert case_data(turned)["unread"] == [[3, REFUSED]] and case_data(with_a_refusal)["unread"] == [[2, REFUSED]]


def test_a_long_answer_is_cut_and_says_so(with_a_refusal):
    lists = replace(with_a_refusal.lists, unread={("two", "m1"): "word " * 2_000})
    (text,) = replace(with_a_refusal, lists=lists).unread.values()
    assert text.endswith("(cut at 4,000 of 10,000 characters)") and text.startswith("word word")


@pytest.mark.parametrize(
    ("cases", "expected"),
    [(["1", "20"], [1, 20]), (["01", "20"], ["01", "20"]), (["1", "b"], ["1", "b"]), (["1.0", "2.0"], ["1.0", "2.0"])],
)
def test_whole_numbers_are_numbers_in_a_workbook(tmp_path, cases, expected):
    table = table_of({name: {"A": ["gout"], "truth": ["gout"]} for name in cases}, Knowing())
    sheet = openpyxl.load_workbook(table.save(tmp_path / "m.xlsx")).active
    assert [sheet.cell(row, 1).value for row in (2, 3)] == expected
    assert table.table["case_id"].to_pylist() == cases


@pytest.mark.parametrize(("length", "said"), [(3, []), (5, ["first 3 diagnoses of each list; 1 list goes on"])])
def test_that_lists_are_longer_than_the_table_is_told(length, said):
    notes = table_of({"one": {"A": [f"d{i}" for i in range(length)], "truth": ["gout"]}}, Knowing()).notes()
    assert len(notes) == len(said) and all(part in note for part, note in zip(said, notes, strict=True))
