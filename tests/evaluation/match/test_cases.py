"""What was matched with what: the rows by hand, what is doubtful, and the files."""

from __future__ import annotations

import json
from types import SimpleNamespace

import pandas as pd
import pyarrow.parquet as pq
import pytest

import dxmatch
from dxmatch.errors import InputError, ModelError
from dxmatch.evaluation.report import results as module

from ..made import POINTS, By, find, framed

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
ONE = {"one": {"A": ["copd"], "truth": ["gout"]}}
REFUSED = "I am sorry, but I am not able to say what the patient has; please see a doctor."


class Knowing(By):
    """M that knows relations, and does not understand "qwrt zzt"."""

    def __init__(self):
        super().__init__(lambda x, y: max(PROBABILITIES.get((x, y), 0.0), PROBABILITIES.get((y, x), 0.0)), related=[])

    def relations(self, a, b, why=False):
        self.related += zip(a, b, strict=True)
        kinds = ["same" if x == y else KINDS.get(y, "unrelated") for x, y in zip(a, b, strict=True)]
        said = [f"{x} and {y}" if k == "same" else "" for x, y, k in zip(a, b, kinds, strict=True)]
        return SimpleNamespace(kinds=kinds, why=said)

    def not_understood(self, texts):
        return {text: "gibberish" for text in texts if text == "qwrt zzt"}


def report_of(cases, matcher=None, by=(), **reading):
    frame, reading = framed(cases) if isinstance(cases, dict) else cases, {"no_diagnosis": ["none"], **reading}
    matcher = matcher or Knowing()
    return dxmatch.evaluate(frame, matcher=matcher, metrics="recall", by=by, reading=reading, resampling=POINTS)


def known(rows):
    """None for what is not known."""
    return [{name: None if pd.isna(cell) else cell for name, cell in row.items()} for row in rows]


def rows_of(report):
    return known(report.matches.to_dict("records"))


@pytest.fixture(scope="module")
def report():
    return report_of(CASES)


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
def test_the_rows_by_hand(report, case, rater, rank, expected):
    row = find(rows_of(report), case_id=case, algorithm=rater, rank=rank)
    names = ("diagnosis", "reference", "probability", "match", "relation", "why", "doubtful")
    assert [row[name] for name in names] == expected


def test_right_answers_stand_beside_every_row_and_each_relation_is_asked_once():
    m = Knowing()
    report = report_of(CASES, m)
    assert not m.related, "nothing is asked before it is needed"
    rows = rows_of(report)
    assert len(rows) == 12 and len(m.related) == len(set(m.related))
    right = {one["case_id"]: one["references"] for one in rows}
    assert right == {"one": "copd; asthma", "two": "gout", "three": None, "four": "asthma"}


@pytest.mark.parametrize(
    ("kind", "said", "expected"),
    [
        ("narrower", "", ("broader", None)),
        ("broader", "", ("narrower", None)),
        ("excluded", "", ("excluded", "another disease")),
        ("excluded", "they differ", ("excluded", "they differ")),
        (None, "", (None, None)),
    ],
)
def test_a_relation_is_that_of_the_diagnosis_to_the_right_answer(kind, said, expected):
    """M says what the right answer is to the diagnosis; an exclusion says what opposes."""
    matcher = By(relations=lambda a, b, why: SimpleNamespace(kinds=[kind] * len(a), why=[said] * len(a)))
    (found,) = rows_of(report_of(ONE, matcher))
    assert (found["relation"], found["why"]) == expected
    with pytest.raises(ModelError):
        _ = report_of(ONE, By(relations=lambda a, b, why: SimpleNamespace(kinds=[], why=()))).matches


def test_what_was_written_stands_where_nothing_could_be_read():
    long = " ".join([REFUSED] * 200)
    answers = {"gpt": ["1. Gout\n2. RA", long], "claude": ["Gout", None]}
    report = report_of(pd.DataFrame({"case_id": ["one", "two"], "reference": ["Gout", "RA"], **answers}))
    gpt, claude = (find(rows_of(report), case_id="two", algorithm=who) for who in ("gpt", "claude"))
    assert gpt["why"] == "no diagnosis could be read from the answer" and gpt["answer"].startswith(REFUSED)
    assert gpt["answer"].endswith(f"(cut at 4,000 of {len(long):,} characters)")
    assert (claude["why"], claude["answer"]) == ("the answer is empty", None)


@pytest.mark.parametrize("suffix", [".csv", ".jsonl", ".xlsx", ".parquet"])
def test_the_files_hold_the_table_and_a_spreadsheet_runs_no_formula(report, tmp_path, monkeypatch, suffix):
    monkeypatch.setattr(module, "_ROWS_PER_CHUNK", 1)
    path = report.save_table("matches", tmp_path / f"matches{suffix}")
    if suffix == ".parquet":
        read = pq.read_table(path).to_pylist()
    elif suffix == ".jsonl":
        read = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    else:
        read = (pd.read_excel if suffix == ".xlsx" else pd.read_csv)(path).to_dict("records")
    assert known(read) == rows_of(report)
    formula = report_of({"1": {"A": ["=1+1 disease"], "truth": ["gout"]}})
    monkeypatch.setenv("DXMATCH_SPREADSHEET", "1")
    assert "'=1+1 disease" in formula.save_table("matches", tmp_path / "m.csv").read_text()
    with pytest.raises(InputError):
        report.save_table("matches", tmp_path / "m.odt")
