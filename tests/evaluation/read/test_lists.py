"""Reading lists: what is accepted, and what each thing that cannot be right is told."""

from __future__ import annotations

import pandas as pd
import polars as pl
import pytest

import dxmatch
from dxmatch.errors import InputError, OptionError
from dxmatch.evaluation.match.pairs import panels
from dxmatch.evaluation.read.reading import read_lists
from dxmatch.files.limits import MAX_CHARACTERS

LONG = "x" * (MAX_CHARACTERS + 1)
HEADER = "case_id,rater,role,rank,diagnosis"
SAID = {
    "c1": {"A": ["asthma", "copd"], "X": ["asthma", "Asthma"], "Y": ["copd", "none"]},
    "c2": {"A": ["gout", "sepsis"], "X": ["gout", "cellulitis"], "Y": ["sepsis", "gout"]},
}
GOOD = [HEADER] + [
    f"{case},{rater},{'algorithm' if rater == 'A' else 'expert'},{rank},{diagnosis}"
    for case, lists in SAID.items()
    for rater, diagnoses in lists.items()
    for rank, diagnosis in enumerate(diagnoses, 1)
]


def with_column(name, value, lines=GOOD):
    """The lines with one column more: `value(number of the line, the line)`."""
    return [f"{line},{name if not i else value(i, line)}" for i, line in enumerate(lines)]


@pytest.fixture
def written(tmp_path):
    """Writes the good lists with some lines replaced: {row as the user sees it: new line, or None to drop it}."""

    def write(changes=None, lines=GOOD):
        changes = changes or {}
        out = [changes.get(row, line) for row, line in enumerate(lines, start=1)]
        path = tmp_path / "lists.csv"
        path.write_text("\n".join(line for line in out if line is not None) + "\n", encoding="utf-8")
        return path

    return write


def test_the_order_of_rows_and_the_kind_of_table_do_not_matter(written, tmp_path):
    frame = pd.read_csv(written())
    frame.to_parquet(tmp_path / "lists.parquet")
    frame.to_json(tmp_path / "lists.jsonl", orient="records", lines=True)
    frame.to_csv(tmp_path / "lists.tsv", sep="\t", index=False)
    floats = frame.assign(rank=frame["rank"].astype(float))
    sources = [frame, pl.DataFrame(frame), frame.sort_values("rank"), frame.sample(frac=1, random_state=1), floats]
    for source in [*sources, *(tmp_path / f"lists.{suffix}" for suffix in ("csv", "parquet", "jsonl", "tsv"))]:
        lists = read_lists(source, reading=dxmatch.Reading(no_diagnosis="keep"))
        assert {c: {r: lists.list_of(c, r) for r in lists.raters} for c in lists.cases} == SAID


def test_columns_of_other_names(written):
    lines = ["patient,who,role,place,dx", *GOOD[1:]]
    columns = {"case_id": "patient", "rater": "who", "rank": "place", "diagnosis": "dx"}
    reading = dxmatch.Reading(columns=columns)
    assert read_lists(written(lines=lines), reading=reading).list_of("c2", "Y") == ["sepsis", "gout"]
    with pytest.raises(InputError, match=r"row 3, column 'dx': a diagnosis of 10,001"):
        read_lists(written({3: f"c1,A,algorithm,2,{LONG}"}, lines), reading=reading)
    with pytest.raises(OptionError, match="option 'columns' must be names for case_id"):
        read_lists(written(), reading=dxmatch.Reading(columns={"doctor": "rater"}))


@pytest.mark.parametrize("name", ["", "truth"])
def test_a_right_answer_needs_no_rater(written, name):
    """Neither the set of right answers nor the final diagnosis is anybody's list."""
    lines = [*GOOD, f"c1,{name},final,1,asthma", f"c1,{name},reference,2,rhinitis", f"c1,{name},reference,1,copd"]
    for lists in (read_lists(written(lines=lines)), read_lists(pd.read_csv(written(lines=lines)))):
        assert lists.raters == ["A", "X", "Y"] and lists.lengths.tolist() == [[2, 2, 2], [2, 2, 2]]
        assert (lists.reference, lists.of_final().reference) == ([("copd", "rhinitis"), ()], [("asthma",), ()])


def test_more_of_the_reference_by_role_and_by_column(written):
    def told(name, lines):
        of = read_lists(written(lines=lines)).references
        return of.names[0], [[(cell.value, cell.row) for cell in cells] for cells in of.more[name]]

    more = with_column("icd10,severity", lambda i, line: f"I{i:02},")
    lines = [*more, "c1,T,reference,2,rhinitis,,mild", "c1,T,reference,1,asthma,J45;J40,rare"]
    assert told("icd10", lines) == (("asthma", "rhinitis"), [[("J45;J40", 15), (None, 14)], []])
    assert told("severity", lines)[1] == [[("rare", 15), ("mild", 14)], []]
    lines = with_column("reference_severity", lambda i, line: "rare" if "c2,X" in line else "")
    assert told("severity", lines)[1] == [[], [("rare", 10)]]
    # rows with the role reference may give the names, and the column their codes
    both = with_column("icd10,reference_icd10", lambda i, line: ",J45")
    assert told("icd10", [*both, "c1,T,reference,1,asthma,,J45"])[1][0] == [("J45", 2)]


def differs(name):
    return with_column(name, lambda i, line: "J45" if i < 4 else "J40")


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ([*GOOD, "c1,truth,reference,1,asthma", "c1,gold,reference,1,asthma"], r"row 15, column 'rater': the rater differs within the role 'reference'.*Got: 'gold'"),
        (differs("reference"), "row 5, column 'reference': the reference differs within the case 'c1'"),
        (differs("reference_icd10"), "row 5, column 'reference_icd10': the reference_icd10 differs within the case 'c1'"),
        (with_column("reference", lambda i, line: "asthma", [*GOOD, "c1,T,reference,1,asthma"]), "a second reference"),
        ([*with_column("icd10,reference_icd10", lambda i, line: ",J45"), "c1,T,reference,1,asthma,J45,J45"],
         "row 14, column 'reference_icd10': a second reference"),
    ],
)  # fmt: skip
def test_references_refused(written, lines, message):
    with pytest.raises(InputError, match=message):
        read_lists(written(lines=lines))


RANK = "row 3, column 'rank': a rank that is no rank"


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({1: "case_id,rater,role,rank,said"}, "no column holds diagnoses; known by their names are: case_id in 'case_id', "),
        ({3: f"c1,A,algorithm,2,{LONG}"}, "row 3, column 'diagnosis': a diagnosis of 10,001 characters"),
        ({3: "c1,A,algorithm,-1,copd"}, f"{RANK}. Allowed: 1, 2, 3, … (1 is likeliest). Got: '-1'"),
        *(({3: f"c1,A,algorithm,{rank},copd"}, RANK) for rank in ("0", "1.5", "two", "")),
        ({3: "c1,A,algorithm,1,copd"}, "row 3, column 'rank': a second answer of rank 1 by 'A' for case 'c1'"),
        ({3: ",A,algorithm,2,copd"}, "row 3, column 'case_id': the case has no name"),
        *(({3: f"c1,,{role},2,copd"}, "row 3, column 'r") for role in ("algorithm", "expert", "")),
        ({3: "c1,A,judge,2,copd"}, "row 3, column 'role': a role that is none. Allowed: expert, algorithm, reference, final. Got: 'judge'"),
        ({3: "c1,A,expert,2,copd"}, "row 3, column 'role': the role differs within the rater 'A'. Allowed: 'algorithm', as in its first row. Got: 'expert'"),
        ({12: None, 13: None}, "row 8, column 'rater': the case 'c2' has no list by 'Y', who lacks 1 of 2 cases"),
        ({3: "c1,B,expert,1,copd"}, "row 8, column 'rater': the case 'c2' has no list by 'B'"),
    ],
)  # fmt: skip
def test_refused(written, changes, message):
    with pytest.raises(InputError) as caught:
        read_lists(written(changes))
    assert message in str(caught.value) and "lists.csv" in str(caught.value)


def test_panels_refused(written):
    with pytest.raises(InputError, match=r"no rater is called 'Xx'; did you mean 'X'\?"):
        read_lists(written(), algorithms=["Xx"])
    with pytest.raises(OptionError, match="'algorithms'"):
        read_lists(written(), algorithms=[])
    with pytest.raises(InputError, match=r"fewer than two experts. Allowed: at least two experts.*Got: \['Y'\]"):
        panels(read_lists(written(), algorithms=["A", "X"]))
    without = [",".join(part for i, part in enumerate(line.split(",")) if i != 2) for line in GOOD]
    with pytest.raises(InputError, match=r"lists.csv: no rater is an algorithm.*Got: \['A', 'X', 'Y'\]"):
        panels(read_lists(written(lines=without)))
    assert panels(read_lists(written(lines=without)), in_turn=True) == [[0, 1, 2], [1, 0, 2], [2, 0, 1]]


def test_algorithms_that_are_not_named_are_left_out_and_told(written):
    other = [*GOOD, "c1,B,algorithm,1,gout"]
    lists = read_lists(written(lines=other), algorithms=["A"])
    assert lists.raters == ["A", "X", "Y"]
    assert "Algorithms that were not named and were left out: B." in lists.origin.notes


@pytest.mark.parametrize(
    ("changes", "cases", "rejected", "reason"),
    [
        # of an expert: without the list the case is out for everybody
        ({4: f"c1,X,expert,1,{LONG}"}, ["c2"], 6, "row 4, column 'diagnosis': a diagnosis of 10,001 characters"),
        ({5: "c1,X,expert,1,copd"}, ["c2"], 6, "a second answer of rank 1"),
        ({5: "c1,,expert,2,copd"}, ["c2"], 6, "the rater has no name"),
        ({12: None, 13: None}, ["c1"], 4, "no list by 'Y'"),
        # of a model: the list is out, the case stays
        ({3: f"c1,A,algorithm,2,{LONG}"}, ["c1", "c2"], 2, "row 3, column 'diagnosis': a diagnosis of 10,001"),
        ({3: "c1,A,algorithm,x,copd"}, ["c1", "c2"], 2, "a rank that is no rank"),
        ({3: ",A,algorithm,2,copd"}, ["c1", "c2"], 1, "the case has no name"),
        ({}, ["c1", "c2"], 0, None),
    ],
)
def test_rejects(written, tmp_path, changes, cases, rejected, reason):
    """What is wrong is set aside and no more, and every row is either evaluated or in the rejects."""
    path = tmp_path / "rejects.csv"
    lists = read_lists(written(changes), reading=dxmatch.Reading(rejects=path))
    assert (lists.cases, lists.origin.rejected_rows, lists.origin.rejected_cases) == (cases, rejected, 2 - len(cases))
    assert path.exists() == (rejected > 0)
    assert sum(map(bool, changes.values())) + len(GOOD) - 1 - len(changes) == rejected + lists.lengths.sum()
    if reason:
        told = pd.read_csv(path)["rejected_because"]
        assert len(told) == rejected and told.str.contains(reason, regex=False).all()
        assert told.str.startswith("left out with its").sum() == rejected - 1
    if cases == ["c1", "c2"] and rejected == 2:
        assert lists.list_of("c1", "A") == [] and lists.list_of("c2", "A")
        assert "Missing lists (each counts as an empty answer), of 2 cases: 1 by A." in lists.origin.warnings
    if cases == ["c2"]:
        assert pd.read_csv(path)["rejected_row"].tolist() == [2, 3, 4, 5, 6, 7]


def test_rejects_that_leave_nothing_or_cannot_be_written(written, tmp_path):
    path = tmp_path / "rejects.csv"
    with pytest.raises(InputError, match=r"no case is left of 2; see .*rejects.csv"):
        read_lists(
            written({4: f"c1,X,expert,1,{LONG}", 10: "c2,X,expert,x,gout"}), reading=dxmatch.Reading(rejects=path)
        )
    assert len(pd.read_csv(path)) == 12
    with pytest.raises(InputError, match="an output of an unknown kind"):
        read_lists(written(), reading=dxmatch.Reading(rejects=tmp_path / "rejects.docx"))


def test_diagnoses_that_are_not_text():
    frame = pd.DataFrame({"case_id": [1], "rater": ["a"], "rank": [1], "diagnosis": [3]})
    with pytest.raises(InputError, match=r"data frame, row 0, column 'diagnosis': a value that is not text"):
        read_lists(frame)
