"""`dxmatch ddxplus`: patients of DDXPlus as cases to ask language models about, with their right answers."""

from __future__ import annotations

from ..evaluation.read.formats.ddxplus import cases as read
from ..files.counted import counted
from ..files.tables import write_table
from ..options import File
from .command import command
from .results import TableFile


@command(given=("patients",))
def ddxplus(
    patients: File, *, output: TableFile, cases: int | None = None, seed: int = 0, first: int | None = None
) -> None:
    """Make cases for `dxmatch ask`, and right answers for `dxmatch evaluate --references`, of DDXPlus's patients.

    Parameters
    ----------
    patients : path
        The CSV of the patients; release_evidences.json and release_conditions.json beside it.
    output : path
        The cases: .jsonl or .parquet.
    cases : int
        How many are drawn, stratified by pathology: 730 in H-DDx; all if not given.
    seed : int
        Of the sample.
    first : int
        Of each differential so many are the reference: 5 in H-DDx; all if not given.

    Examples
    --------
    dxmatch ddxplus release_test_patients.csv -o cases.jsonl --cases 730 --first 5
    """
    made = read(str(patients), cases, seed, first)
    write_table(made, output)
    print(f"{output}: {counted(made.num_rows, 'case')}.")
