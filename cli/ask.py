"""`dxmatch ask`: language models asked for the diagnoses of cases, for `evaluate`; `dxmatch ddxplus`: patients of DDXPlus as such cases."""

from __future__ import annotations

from ..diagnosing.ask import ask as verb
from ..evaluation.read.formats.ddxplus import cases as read
from ..files.counted import counted
from ..files.tables import write_table
from ..options import File
from ..votes.asking import plan_lines
from .command import Call, command, running
from .results import TableFile


@command(verb, given=("cases",), says_asked=False)
def ask(call: Call) -> None:
    """Ask language models for diagnoses: cases x models x prompts x repeats. Every answer is kept; run again to go on.

    Examples
    --------
    dxmatch ask cases.jsonl --endpoints my.toml -m local:llama3 --prompt free --prompt json --repeats 3 -o lists.parquet
    """
    asked = call(planned=lambda planned: print("\n".join(plan_lines(planned))))
    print("\n".join(asked.lines()))
    if asked.lists is not None:
        if (output := call.typed.get("output")) is not None:
            print(f"Written: {output}")
        running.lacking = not asked.complete


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
