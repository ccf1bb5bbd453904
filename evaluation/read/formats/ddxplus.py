"""DDXPlus: synthetic patients with a differential diagnosis and the final one; what H-DDx evaluates on (4.1). No predictions.

The patients are a CSV with the columns AGE, SEX, PATHOLOGY, EVIDENCES, INITIAL_EVIDENCE and DIFFERENTIAL_DIAGNOSIS, a Python list of
[name, probability], the likeliest first. Beside it, where they are: `release_conditions.json`, whose `icd10-id` are the codes, and
`release_evidences.json`, the questions that the codes of EVIDENCES answer. A patient is called by its number in the file, from 1.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from ....errors import InputError, OptionError, quoted
from ....files.json_records import read_json
from ....files.tables import Table, read_table
from .answer import Answer, Head

TITLE = "DDXPlus"
CONDITIONS, EVIDENCES = "release_conditions.json", "release_evidences.json"
COLUMNS = ("AGE", "SEX", "PATHOLOGY", "EVIDENCES", "INITIAL_EVIDENCE", "DIFFERENTIAL_DIAGNOSIS")
_DIFFERENTIAL, _ANSWER = "DIFFERENTIAL_DIAGNOSIS", "_@_"
_UNREADABLE = (KeyError, ValueError, SyntaxError, TypeError, MemoryError, RecursionError)


def reads(head: Head) -> bool:
    """A CSV with its columns."""
    return {*COLUMNS} <= head.keys


def read(path: Path) -> Iterator[Answer]:
    """The right answers of each patient. Errors: `InputError` for a differential that is no list, with its row."""
    table, codes = _table(path), _codes(path)
    for i, patient in enumerate(table.data.to_pylist()):
        told = _right(table, i, patient, codes)
        right, row = tuple(told.pop("reference")), table.row_number(i)
        yield Answer(str(i + 1), None, references=right, more=told, source=path, row=row)


def cases(path: Path | str, n: int | None = None, seed: int = 0, first: int | None = None) -> pa.Table:
    """Patients as cases for `dxmatch ask`, with their right answers.

    Parameters
    ----------
    path : the CSV of the patients.
    n : a sample of so many, stratified by PATHOLOGY: 730 in H-DDx (4.1). All by default.
    seed : of the sample.
    first : how many of each differential are the reference, the likeliest first; all by default. H-DDx prints five.

    Returns
    -------
    case_id, text (age, sex, and questions with answers), reference (a list), reference_icd10, final, final_icd10, age, sex. The codes are
    absent without `release_conditions.json`.

    Raises
    ------
    InputError
        Without `release_evidences.json`, or for an evidence that it lacks.
    """
    source = Path(path)
    table, questions, codes = _table(source), source.parent / EVIDENCES, _codes(source)
    if not questions.is_file():
        raise InputError("the questions of DDXPlus are absent", source=str(source), allowed=f"{EVIDENCES} beside it")
    if first is not None and first < 1:
        raise OptionError("first", "1 or more", first)
    asked, patients = read_json(questions).value, table.data.to_pylist()
    chosen = range(len(table)) if n is None else stratified(table.column("PATHOLOGY"), n, seed)
    told = [
        {"case_id": str(i + 1), "text": _text(table, i, patients[i], asked)}
        | _right(table, i, patients[i], codes, first)
        for i in chosen
    ]
    return pa.Table.from_pylist(told)


def stratified(strata: Sequence[Any], n: int, seed: int = 0) -> list[int]:
    """The places of n of them, ascending: of each stratum its share, by largest remainders, drawn without putting back.

    >>> len(stratified(["a"] * 90 + ["b"] * 10, 10)), sum(i >= 90 for i in stratified(["a"] * 90 + ["b"] * 10, 10))
    (10, 1)
    """
    if isinstance(n, bool) or not isinstance(n, int) or not 1 <= n <= len(strata):
        raise OptionError("n", f"from 1 to the number of patients ({len(strata):,})", n)
    names, of, sizes = np.unique(np.array(strata, dtype=str), return_inverse=True, return_counts=True)
    shares = sizes * n / len(strata)
    counts = np.floor(shares).astype(int)
    counts[np.argsort(counts - shares, kind="stable")[: n - counts.sum()]] += 1
    generator = np.random.default_rng(seed)
    drawn = [generator.choice(np.flatnonzero(of == i), counts[i], replace=False) for i in range(len(names))]
    return sorted(int(place) for places in drawn for place in places)


def _table(path: Path) -> Table:
    table = read_table(path)
    for name in COLUMNS:
        table.require(name, "of DDXPlus")
    return table


def _codes(path: Path) -> dict[str, str]:
    """Each name, English or French, -> its codes; {} without the file. "j17, j18" are two codes."""
    place = path.parent / CONDITIONS
    codes: dict[str, str] = {}
    for key, condition in (read_json(place).value if place.is_file() else {}).items():
        cell = ";".join(code.strip().upper() for code in str(condition.get("icd10-id", "")).split(",") if code.strip())
        codes |= dict.fromkeys((key, condition.get("cond-name-eng") or key, condition.get("cond-name-fr") or key), cell)
    return codes


def _right(
    table: Table, i: int, row: Mapping[str, Any], codes: Mapping[str, str], first: int | None = None
) -> dict[str, Any]:
    """The differential as the set of right answers, the pathology as the final one, and their codes."""
    try:
        shares = {str(name): float(share) for name, share in ast.literal_eval(str(row[_DIFFERENTIAL]))}
    except _UNREADABLE:
        problem, allowed = "no differential diagnosis of DDXPlus", "a list of [name, probability]"
        raise table.error(problem, i, _DIFFERENTIAL, allowed=allowed, got=row[_DIFFERENTIAL]) from None
    names, final = sorted(shares, key=lambda name: -shares[name])[:first], str(row["PATHOLOGY"])
    right = {"reference": names, "final": final, "age": str(row["AGE"]), "sex": str(row["SEX"])}
    for column, of in (("reference_icd10", names), ("final_icd10", [final])) if codes else ():
        if unknown := [name for name in of if name not in codes]:
            problem = f"{quoted(unknown[0])} is no condition of {CONDITIONS}"
            raise InputError(problem, source=table.source, allowed="its names")
        right[column] = ";".join(dict.fromkeys(code for name in of for code in codes[name].split(";") if code))
    return right


def _text(table: Table, i: int, row: Mapping[str, Any], asked: Mapping[str, Any]) -> str:
    """Age, sex and the initial complaint, then each question with its answers."""
    answers: dict[str, list[str]] = {}
    try:
        for evidence in ast.literal_eval(str(row["EVIDENCES"])):
            code, _, value = str(evidence).partition(_ANSWER)
            meaning = asked[code].get("value_meaning", {}).get(value, {}).get("en", value)
            answers.setdefault(code, []).append({"Y": "Yes", "N": "No", "": "Yes"}.get(str(meaning), str(meaning)))
        initial = asked[str(row["INITIAL_EVIDENCE"]).partition(_ANSWER)[0]]["question_en"]
    except _UNREADABLE as error:
        problem = f"an evidence that {EVIDENCES} lacks"
        raise table.error(problem, i, "EVIDENCES", allowed="its codes", got=str(error)) from None
    sex = {"M": "male", "F": "female"}.get(str(row["SEX"]), str(row["SEX"]))
    lines = [f"Age: {row['AGE']}", f"Sex: {sex}", f"Chief complaint: {initial} Yes"]
    return "\n".join([*lines, *(f"{asked[code]['question_en']} {', '.join(of)}" for code, of in answers.items())])
