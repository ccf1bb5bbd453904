"""Lists in the long form: right answers by role and column, rows set aside. What is refused: tests/cases/tables.csv."""

from __future__ import annotations

import pandas as pd
import pytest

import dxmatch
from dxmatch.errors import InputError
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
