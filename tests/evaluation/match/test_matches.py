"""M against the right answers and between raters: against plain loops, each pair asked once; what was matched with what; codes."""

from __future__ import annotations

import json
import warnings
from itertools import combinations
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dxmatch
from dxmatch.errors import InputError, ModelError, NotUnderstoodWarning, OptionError
from dxmatch.evaluation.report import results as module

from ..made import POINTS, By, SetMatcher, find, framed, scored, told, value
from ..report.pages import Page

WORDS = ["asthma", "copd", "angina", "gout", "Gout", "none"]
lists = st.lists(st.sampled_from(WORDS), min_size=1, max_size=4)
drawn_cases = st.lists(st.tuples(lists, lists, lists, lists), min_size=1, max_size=6)


@settings(deadline=None, max_examples=40)
@given(drawn_cases, st.integers(1, 5), st.booleans())
def test_equal_to_plain_loops_and_each_pair_asked_once(drawn, k, directed):
    """Also of a policy that looks one way: (right answer, diagnosis) there, the better of both ways between raters."""

    def probability(x, y):
        return min(0.9, len(set(x) & set(y)) / 2) * (0.5 if directed and x > y else 1.0)

    def says(x, y):
        pair = (x, y) if directed else (min(x, y), max(x, y))
        wanted.add(pair)
        return "none" not in pair and (x == y or probability(*pair) >= 0.5)

    cases = {f"c{i}": dict(zip(("A", "X", "Y", "truth"), lists, strict=True)) for i, lists in enumerate(drawn)}
    m, wanted = By(probability, policy="narrower-counts" if directed else "specification"), set()
    report = scored(cases, None, m, k=k)
    hits, met = {r: [] for r in "AXY"}, {pair: [] for pair in combinations("AXY", 2)}
    for case in cases.values():
        truth = [text for text in case["truth"] if text != "none"]
        for rater in hits if truth else ():
            hits[rater].append(np.array([[says(d, said) for d in truth] for said in case[rater]]))
        for one, other in met:
            table = [[says(p, q) | says(q, p) for q in case[other]] for p in case[one]]
            met[one, other].append(np.array(table)[:k, :k].sum())
    for rater, tables in hits.items() if hits["A"] else ():
        found = np.concatenate([table[:k].any(0) for table in tables])
        ranks = [next((1 / rank for rank, row in enumerate(table, 1) if row.any()), 0) for table in tables]
        assert value(report, rater, f"R_disease@{k}") == pytest.approx(found.mean())
        assert value(report, rater, f"Acc(M)@{k}") == pytest.approx(np.mean([table[:k].any() for table in tables]))
        assert value(report, rater, "MRR") == pytest.approx(np.mean(ranks))
    ae, ee = np.array([met["A", "X"], met["A", "Y"]]), np.array(met["X", "Y"])
    for name, above, below, places in (("P", ae, ee, k**2), ("R", ae > 0, ee > 0, 1)):
        assert value(report, "A", f"{name}(AE mean)@{k}") == pytest.approx(above.mean() / places)
        ratio = above.mean() / below.mean() if below.any() else None
        assert value(report, "A", f"R{name}AD@{k}") == (ratio if ratio is None else pytest.approx(ratio))
    assert len(m.asked) == len(set(m.asked)) and set(m.asked) == {pair for pair in wanted if "none" not in pair}


def test_of_a_long_list_the_first_hundred_are_looked_at():
    cases = {f"c{i}": {"A": ["gout"], "truth": ["asthma", "mi"]} for i in range(20)}
    for place, found in ((100, 1 / 40), (101, 0)):
        said = [f"disease {i}" for i in range(3000)]
        said[place - 1] = "heart attack"
        report = scored({**cases, "c7": {**cases["c7"], "A": said}}, "recall", SetMatcher(("heart attack", "mi")))
        assert value(report, "A", "R_disease") == found and "1 of 20" in told(report, "lengths")


@pytest.mark.parametrize(("threshold", "found"), [(0.7, 1), (0.7000000001, 0)])
def test_a_pair_at_the_threshold_matches_and_a_verdict_is_that_of_the_full_precision(threshold, found):
    """0.7 as float32 is above 0.7: the threshold is held against what M gave."""
    m = By(lambda x, y: 0.7, threshold=threshold)
    assert value(scored({"one": {"A": ["a"], "truth": ["b"]}}, "recall", m), "A", "R_disease") == found


def test_nobody_is_asked_for_what_nobody_needs():
    lists = framed({"one": {"A": ["gout"], "truth": ["asthma"]}}, relation=["not related", None])
    votes = By(rests_on_votes=True)
    with pytest.raises(OptionError, match="'matches'"):
        _ = scored(lists, "weighted", votes).matches
    # where nothing is paid for a pair, the table of cases is there all the same
    assert not votes.asked and len(scored(lists, "weighted").matches) == 1


@pytest.mark.parametrize("answer", [[0.5], [1.5] * 6, [np.nan] * 6])
def test_an_m_that_gives_something_else_is_refused(answer):
    m = By(probabilities=lambda a, b: np.array(answer))
    with pytest.raises(ModelError):
        scored({"one": {"A": ["a", "b", "c"], "truth": ["d", "e"]}}, "recall", m)


class Careful(By):
    """M that understands no "zzt", and reads a slip of the pen."""

    def probabilities(self, a, b):
        warnings.warn("not understood", NotUnderstoodWarning, stacklevel=2)
        unscored = ["zzt" in x + y and x != y for x, y in zip(a, b, strict=True)]
        return np.where(unscored, np.nan, super().probabilities(a, b))

    def not_understood(self, texts):
        return {text: "gibberish" for text in texts if "zzt" in text}

    def read_as(self, texts):
        return {text: (("ashtma", "asthma"),) for text in texts if text == "ashtma"}


def test_what_m_does_not_understand_and_reads_otherwise_is_found():
    cases = {
        "one": {"A": ["zzt", "ashtma"], "truth": ["zzt one", "gout"]},
        "two": {"A": ["zzt"], "truth": ["zzt"]},
    }
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = scored(cases, "recall", Careful())
    assert value(found, "A", "R_disease") == 1 / 3, "the same words match"
    assert "'zzt' (gibberish), 'zzt one' (gibberish)" in told(found, "not_understood")
    assert "'ashtma' as 'asthma'" in told(found, "spelling")


# Codes

CODED = {
    "c1": {"A": ["lung spots", "TB"], "truth": ["TB", "flu"]},
    "c2": {"A": ["lung  Spots", "chest cold"], "truth": ["chest cold"]},
}
TABLE = {"lung spots": "R91.8", "TB": "A15-A19", "chest cold": "J17; J18", "flu": ""}


def coded(cells, table):
    frame = framed(CODED, **({} if cells is None else {"icd10": cells}))
    return scored(frame, "hdf1", k=2, codes={"table": table})


@pytest.mark.parametrize(
    ("cells", "table", "codes", "ways"),
    [
        # the table alone: capitals and blanks apart; sections, and several codes of one diagnosis
        (None, TABLE, [["A15-A19", None, "R91.8", "A15-A19"], ["J17; J18", "R91.8", "J17; J18"]],
         [{"table": 4, "not_in_table": 0}, {"table": 2, "not_in_table": 1}]),
        # a cell that holds a code goes before the table; what neither knows has none
        (["I26", ";", None, None, None, None, "J40|J41"], {"TB": "A15"}, [["A15", None, "I26", "A15"], ["J40; J41", None, None]],
         [{"column": 1, "table": 1, "none": 2}, {"column": 1, "table": 1, "none": 1}]),
    ],
)  # fmt: skip
def test_codes_by_cell_and_table(cells, table, codes, ways):
    """Of each case the right answers, then A's list."""
    found = coded(cells, table)
    assert [found.case(case)["icd10"].replace({np.nan: None}).tolist() for case in CODED] == codes
    rows = found.rows_of("hierarchical.codes")
    assert all(row[way] == count for row, counts in zip(rows, ways, strict=True) for way, count in counts.items())
    without = {row["algorithm"]: row["without_code"] for row in rows}
    assert without == {"A": sum(code is None for of in codes for code in of) - 1, "reference": 1}


@pytest.mark.parametrize(
    ("cells", "table", "names"),
    [
        (["I26", *[None] * 6], None, "the columns icd10 and reference_icd10"),
        ([None, None, "A15", *[None] * 4], None, "the columns icd10 and reference_icd10"),
        (["nonsense", *[None] * 6], TABLE, "row 0, column 'icd10'"),
    ],
)  # fmt: skip
def test_codes_that_are_missing_or_wrong(cells, table, names):
    with pytest.raises(InputError, match=names):
        coded(cells, table)


PROBABILITIES = {
    ("copd", "chronic lung disease"): 0.6,
    ("gout", "arthritis"): 0.4,
    ("asthma", "asthma attack"): 0.9,
    ("gout", "podagra"): 0.95,
}
KINDS = {
    "chronic lung disease": "narrower", "arthritis": "narrower", "asthma attack": "related", "podagra": "same", "no copd": "excluded", "lung": "broader",
}  # fmt: skip
CASES = {
    "one": {"A": ["copd", "chronic lung disease", "none"], "B": ["qwrt zzt", "gout"], "truth": ["copd", "asthma"]},
    "two": {"A": ["arthritis"], "truth": ["gout"]},
    "three": {"A": ["copd"], "B": ["copd"]},
    "four": {"A": ["asthma attack", "podagra"], "B": ["podagra", "no copd", "lung"], "truth": ["asthma"]},
}
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
    """Relations are asked when they are needed, each once."""
    report = report_of(CASES, m := Knowing())
    assert not m.related and len(report.matches) == 14 and len(m.related) == len(set(m.related)) > 0
    return report


@pytest.mark.parametrize(
    ("case", "rater", "rank", "expected"),
    [
        ("one", "A", 2, ["chronic lung disease", "copd", 0.6, True, "broader", None, True]),
        ("one", "A", 3, [None, None, None, None, None, "no diagnosis is said", None]),
        ("one", "B", 1, ["qwrt zzt", "copd", None, False, "unrelated", "the diagnosis is not understood: gibberish", None]),
        ("two", "A", 1, ["arthritis", "gout", 0.4, False, "broader", None, True]),
        ("two", "B", None, [None, None, None, None, None, "the answer is empty", None]),
        ("four", "B", 2, ["no copd", "asthma", 0.0, False, "excluded", "another disease", False]),
        ("four", "B", 3, ["lung", "asthma", 0.0, False, "narrower", None, False]),
        ("three", "B", 1, ["copd", None, None, None, None, "the case has no right answer", None]),
        ("four", "A", 1, ["asthma attack", "asthma", 0.9, True, "related", None, False]),
        ("four", "A", 2, ["podagra", "asthma", 0.0, False, "same", "asthma and podagra", False]),
    ],
)  # fmt: skip
def test_the_rows_by_hand(report, case, rater, rank, expected):
    row = find(rows_of(report), case_id=case, algorithm=rater, rank=rank)
    names = ("diagnosis", "reference", "probability", "match", "relation", "why", "doubtful")
    assert [row[name] for name in names] == expected
    assert row["references"] == {"one": "copd; asthma", "two": "gout", "three": None, "four": "asthma"}[case]


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
        read = {".xlsx": pd.read_excel, ".csv": pd.read_csv}[suffix](path).to_dict("records")
    assert known(read) == rows_of(report)
    formula = report_of({"1": {"A": ["=1+1 disease"], "truth": ["gout"]}})
    monkeypatch.setenv("DXMATCH_SPREADSHEET", "1")
    assert "'=1+1 disease" in formula.save_table("matches", tmp_path / "m.csv").read_text()
    with pytest.raises(InputError):
        report.save_table("matches", tmp_path / "m.odt")


PANEL = {
    "one": {"A": ["flu", "gout"], "B": ["copd"], "X": ["podagra", "croup"], "Y": ["Gout"], "Z": ["none"]},
    "two": {"A": ["copd"], "B": ["gout"], "X": ["gout", "gout"], "Y": [], "Z": []},
}


@pytest.mark.parametrize("in_turn", [False, True])
def test_the_cases_of_a_panel(in_turn):
    """Each stands beside the experts but itself, in turn beside all others."""
    m = By(lambda x, y: 0.9 if {x, y} == {"gout", "podagra"} else 0.6 if {x, y} == {"gout", "Gout"} else 0.1)
    reading = dxmatch.Reading(missing="empty", no_diagnosis=["none"])
    report = scored(PANEL, "relative", m, k=2, panel={"in_turn": in_turn}, reading=reading)
    said = {(row["case_id"], row["algorithm"], row["rank"]): row for row in rows_of(report)}
    places = ("one", "A", 2), ("one", "X", 1), ("two", "A", 1), ("two", "B", 1), ("two", "X", 1)
    likely = [said[place]["probability"] for place in places]
    assert likely == ([0.9, 0.9, 0.1, 1, 1] if in_turn else [0.9, 0.1, 0.1, 1, None])
    assert said["one", "A", 2]["reference"] == "podagra" and said["one", "A", 2]["match"]
    assert said["two", "Y", None]["why"] == "the answer is empty"
    page = Page(report.to_html()).cases
    assert page["panel"] and page["right"] == [[], []] and page["lengths"][:5] == [2, 1, 2, 1, 1]
    of_case = known(report.case("one").to_dict("records"))
    assert [row["match"] for row in of_case] == [row["match"] for row in said.values() if row["case_id"] == "one"]
