"""What was matched with what: the rows by hand, what is doubtful, and the files."""

from __future__ import annotations

import json
from dataclasses import replace
from types import SimpleNamespace

import pandas as pd
import pyarrow.parquet as pq
import pytest

from dxmatch.errors import InputError, ModelError
from dxmatch.evaluation.match import cases as module
from dxmatch.evaluation.match.cases import CaseTable
from dxmatch.evaluation.match.matches import match
from dxmatch.evaluation.read.reading import read_lists

from ..made import By, long_form, with_reading

PROBABILITIES = {
    ("copd", "chronic lung disease"): 0.6,
    ("gout", "arthritis"): 0.4,
    ("asthma", "asthma attack"): 0.9,
    ("gout", "podagra"): 0.95,
}
KINDS = {"chronic lung disease": "narrower", "arthritis": "narrower", "asthma attack": "related", "podagra": "same"}
CASES = {
    "one": {"A": ["copd", "chronic lung disease", "none"], "B": ["qwrt zzt", "gout"], "truth": ["copd", "asthma"]},
    "two": {"A": ["arthritis"], "truth": ["gout"]},
    "three": {"A": ["copd"], "B": ["copd"]},
    "four": {"A": ["asthma attack", "podagra"], "B": ["podagra"], "truth": ["asthma"]},
}
KS = ("relative", "ranking", "recall", "hierarchical")
ROLES = {"truth": "reference", "A": "algorithm", "B": "algorithm"}
REFUSED = "I am sorry, but I am not able to say what the patient has; please see a doctor."


class Knowing(By):
    """M that knows relations, and does not understand "qwrt zzt"."""

    def __init__(self):
        super().__init__(lambda x, y: max(PROBABILITIES.get((x, y), 0.0), PROBABILITIES.get((y, x), 0.0)))
        self.related = []

    def relations(self, a, b, why=False):
        assert why
        self.related += zip(a, b, strict=True)
        kinds = ["same" if x == y else KINDS.get(y, "unrelated") for x, y in zip(a, b, strict=True)]
        said = [f"{x} and {y}" if k == "same" else "" for x, y, k in zip(a, b, kinds, strict=True)]
        return SimpleNamespace(kinds=kinds, why=said)

    def not_understood(self, texts):
        return {text: "gibberish" for text in texts if text == "qwrt zzt"}


def table_of(cases, matcher=None, **options) -> CaseTable:
    frame = cases if isinstance(cases, pd.DataFrame) else long_form(cases, ROLES)
    made = match(read_lists(frame, **with_reading(options)), matcher or Knowing(), ["recall"], dict.fromkeys(KS, 3))
    assert made.case_table is not None
    return made.case_table


def row(table, case, rater, rank):
    (one,) = [r for r in table.to_pylist() if (r["case_id"], r["algorithm"], r["rank"]) == (case, rater, rank)]
    return [one[name] for name in ("diagnosis", "reference", "probability", "match", "relation", "why", "doubtful")]


@pytest.mark.parametrize(
    ("case", "rater", "rank", "expected"),
    [
        ("one", "A", 1, ["copd", "copd", 1.0, True, "same", "copd and copd", None]),
        ("one", "A", 2, ["chronic lung disease", "copd", 0.6, True, "broader", None, None]),
        ("one", "A", 3, [None, None, None, None, None, "no diagnosis is said", None]),
        ("one", "B", 1, ["qwrt zzt", "copd", None, False, "unrelated", "the diagnosis is not understood: gibberish", "not understood"]),
        ("one", "B", 2, ["gout", "copd", 0.0, False, "unrelated", None, None]),
        ("two", "A", 1, ["arthritis", "gout", 0.4, False, "broader", None, "relation disagrees"]),
        ("two", "B", None, [None, None, None, None, None, "the answer is empty", None]),
        ("three", "B", 1, ["copd", None, None, None, None, "the case has no right answer", None]),
        ("four", "A", 1, ["asthma attack", "asthma", 0.9, True, "related", None, "relation disagrees"]),
        ("four", "A", 2, ["podagra", "asthma", 0.0, False, "same", "asthma and podagra", "relation disagrees"]),
    ],
)  # fmt: skip
@pytest.mark.parametrize("rows_per_chunk", [1, 500_000])
def test_the_rows_by_hand(monkeypatch, rows_per_chunk, case, rater, rank, expected):
    monkeypatch.setattr(module, "_ROWS_PER_CHUNK", rows_per_chunk)
    found = table_of(CASES, no_diagnosis=["none"])
    assert not found.matcher.related, "nothing is asked before it is needed"
    assert row(found.table, case, rater, rank) == expected
    assert found.table.num_rows == 12 and len(found.matcher.related) == len(set(found.matcher.related))
    by_case = dict(zip(found.table["case_id"].to_pylist(), found.table["references"].to_pylist(), strict=True))
    assert by_case == {"one": "copd; asthma", "two": "gout", "three": None, "four": "asthma"}


@pytest.mark.parametrize(
    ("kind", "said", "expected"),
    [
        ("narrower", "", ("broader", None)),
        ("broader", "", ("narrower", None)),
        ("excluded", "", ("excluded", "another disease")),
        ("excluded", "'acute' and 'chronic' differ", ("excluded", "'acute' and 'chronic' differ")),
        (None, "", (None, None)),
    ],
)
def test_a_relation_is_that_of_the_diagnosis_to_the_right_answer(kind, said, expected):
    """M says what the right answer is to the diagnosis; an exclusion says what opposes."""
    matcher = By(lambda x, y: 0.1)
    matcher.relations = lambda a, b, why: SimpleNamespace(kinds=[kind] * len(a), why=[said] * len(a))
    found = table_of({"one": {"A": ["copd"], "truth": ["gout"]}}, matcher).table.to_pylist()
    assert [(row["relation"], row["why"]) for row in found] == [expected]


def test_relations_must_be_as_many_as_pairs():
    matcher = By()
    matcher.relations = lambda a, b, why: SimpleNamespace(kinds=[], why=())
    with pytest.raises(ModelError):
        _ = table_of({"one": {"A": ["copd"], "truth": ["gout"]}}, matcher).table
    matcher.has_relation_model = False
    table = table_of({"one": {"A": ["gout"], "truth": ["gout"]}}, matcher).table
    assert row(table, "one", "A", 1) == ["gout", "gout", 1.0, True, None, None, None]


def test_cases_in_groups_and_those_that_were_not_given():
    frame = long_form(CASES, ROLES)
    frame["ward"] = frame["case_id"].map({"one": "lungs", "two": "joints", "four": "lungs"})
    found = table_of(frame, by="ward", missing="own", no_diagnosis=["none"])
    assert row(found.table, "two", "B", None)[5] == "no answer was given"
    of = dict(zip(found.table["case_id"].to_pylist(), found.table["ward"].to_pylist(), strict=True))
    assert of == {"one": "lungs", "two": "joints", "three": None, "four": "lungs"}
    found.table.to_pandas()  # which takes no dictionary in which a text stands twice


def test_what_was_written_stands_where_nothing_could_be_read():
    answers = {"gpt": ["1. Gout\n2. RA", REFUSED], "claude": ["Gout", None]}
    found = table_of(pd.DataFrame({"case_id": ["one", "two"], "reference": ["Gout", "RA"], **answers}))
    rows = [row for row in found.table.to_pylist() if row["diagnosis"] is None]
    assert [(row["case_id"], row["algorithm"], row["why"], row["answer"]) for row in rows] == [
        ("two", "gpt", "no diagnosis could be read from the answer", REFUSED),
        ("two", "claude", "the answer is empty", None),
    ]
    long = replace(found, answers=replace(found.answers, unread={("two", "gpt"): "word " * 2_000}))
    assert long.table["answer"].to_pylist()[-2].endswith("word  … (cut at 4,000 of 10,000 characters)")


@pytest.mark.parametrize("suffix", [".csv", ".jsonl", ".xlsx", ".parquet"])
def test_the_files_hold_the_table(tmp_path, monkeypatch, suffix):
    found = table_of(CASES, no_diagnosis=["none"])
    expected = found.table.to_pylist()
    monkeypatch.setattr(module, "_ROWS_PER_CHUNK", 1)
    path = found.save(tmp_path / f"matches{suffix}")
    if suffix == ".parquet":
        read = pq.read_table(path).to_pylist()
    elif suffix == ".jsonl":
        read = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    else:
        read = (pd.read_excel if suffix == ".xlsx" else pd.read_csv)(path).to_dict("records")
    assert [{name: None if pd.isna(value) else value for name, value in row.items()} for row in read] == expected


def test_a_spreadsheet_runs_no_formula(tmp_path):
    table = table_of({name: {"A": ["=1+1 disease"], "truth": ["gout"]} for name in ("1", "20")})
    assert "'=1+1 disease" in table.save(tmp_path / "m.csv", spreadsheet=True).read_text()
    with pytest.raises(InputError):
        table.save(tmp_path / "m.odt")
