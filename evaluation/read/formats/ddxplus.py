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
from ....files.tables import Table, read_table
from .answer import Answer
from .files_of import head, json_file

CONDITIONS, EVIDENCES = "release_conditions.json", "release_evidences.json"
COLUMNS = ("AGE", "SEX", "PATHOLOGY", "EVIDENCES", "INITIAL_EVIDENCE", "DIFFERENTIAL_DIAGNOSIS")
ALLOCATIONS = ("proportional", "equal")
_ANSWER = "_@_"


def reads(path: Path) -> bool:
    """A CSV with its columns."""
    return path.is_file() and set(COLUMNS) <= set(head(path).partition("\n")[0].strip().split(","))


def read(path: Path) -> Iterator[Answer]:
    """The right answers of each patient. Errors: `InputError` for a differential that is no list, with its row."""
    table = _table(path)
    codes = _codes(path)
    for i, row in enumerate(table.data.to_pylist()):
        names = tuple(name for name, _ in _differential(table, i, row))
        final = str(row["PATHOLOGY"])
        more = {"final": final, "age": row["AGE"], "sex": row["SEX"]}
        if codes:
            more["final_icd10"] = _cell(codes, [final], path)
            more["reference_icd10"] = _cell(codes, names, path)
        yield Answer(str(i + 1), None, references=names, more=more, source=str(path), row=table.row_number(i))


def cases(
    path: Path | str, n: int | None = None, seed: int = 0, allocation: str = ALLOCATIONS[0], first: int | None = None
) -> pa.Table:
    """Patients as cases for `dxmatch ask`, with their right answers.

    Parameters
    ----------
    path : the CSV of the patients.
    n : a sample of so many, stratified by PATHOLOGY: 730 in H-DDx (4.1). All by default.
    seed : of the sample.
    allocation : "proportional", as in H-DDx: each pathology has its share of all patients, by largest remainders; "equal": as many of
        each as of the others, or all of a pathology that has fewer.
    first : how many of each differential are the reference, the likeliest first; all by default. H-DDx prints five.

    Returns
    -------
    case_id, text (age, sex, and questions with answers), reference (a list), reference_icd10, final, final_icd10, age, sex. The codes are
    null without `release_conditions.json`.

    Raises
    ------
    InputError
        Without `release_evidences.json`, or for an evidence that it lacks.
    """
    source = Path(path)
    table = _table(source)
    questions = source.parent / EVIDENCES
    if not questions.is_file():
        raise InputError("the questions of DDXPlus are absent", source=str(source), allowed=f"{EVIDENCES} beside it")
    asked, codes = json_file(questions), _codes(source)
    if first is not None and first < 1:
        raise OptionError("first", "1 or more", first)
    chosen = range(len(table)) if n is None else stratified(table.column("PATHOLOGY"), n, seed, allocation)
    rows = []
    for i in chosen:
        row = table.data.slice(i, 1).to_pylist()[0]
        names = [name for name, _ in _differential(table, i, row)][:first]
        final = str(row["PATHOLOGY"])
        rows.append(
            {"case_id": str(i + 1), "text": _text(table, i, row, asked), "reference": names,
             "reference_icd10": _cell(codes, names, source) if codes else None, "final": final,
             "final_icd10": _cell(codes, [final], source) if codes else None, "age": str(row["AGE"]), "sex": str(row["SEX"])}
        )  # fmt: skip
    return pa.Table.from_pylist(rows)


def stratified(strata: Sequence[Any], n: int, seed: int = 0, allocation: str = ALLOCATIONS[0]) -> list[int]:
    """The places of n of them, ascending, drawn within each stratum without putting back; as `cases`.

    >>> len(stratified(["a"] * 90 + ["b"] * 10, 10)), sum(i >= 90 for i in stratified(["a"] * 90 + ["b"] * 10, 10))
    (10, 1)
    """
    if allocation not in ALLOCATIONS:
        raise OptionError("allocation", f"one of {', '.join(ALLOCATIONS)}", allocation)
    if isinstance(n, bool) or not isinstance(n, int) or not 1 <= n <= len(strata):
        raise OptionError("n", f"from 1 to the number of patients ({len(strata):,})", n)
    names, of, sizes = np.unique(np.array(strata, dtype=str), return_inverse=True, return_counts=True)
    if allocation == "proportional":
        shares = sizes * n / len(strata)
        counts = np.floor(shares).astype(int)
        counts[np.argsort(counts - shares, kind="stable")[: n - counts.sum()]] += 1
    else:
        counts = np.zeros(len(names), int)
        while (missing := n - counts.sum()) > 0:
            open_ = np.flatnonzero(counts < sizes)
            each = max(1, missing // len(open_))
            counts[open_[:missing]] = np.minimum(sizes[open_[:missing]], counts[open_[:missing]] + each)
    generator = np.random.default_rng(seed)
    drawn = [generator.choice(np.flatnonzero(of == i), counts[i], replace=False) for i in range(len(names))]
    return sorted(int(place) for places in drawn for place in places)


def _table(path: Path) -> Table:
    table = read_table(path)
    for name in COLUMNS:
        table.require(name, "of DDXPlus")
    return table


def _differential(table: Table, i: int, row: Mapping[str, Any]) -> list[tuple[str, float]]:
    try:
        found = [(str(name), float(share)) for name, share in ast.literal_eval(str(row["DIFFERENTIAL_DIAGNOSIS"]))]
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        raise table.error(
            "no differential diagnosis of DDXPlus", i, "DIFFERENTIAL_DIAGNOSIS",
            allowed="a list of [name, probability]", got=row["DIFFERENTIAL_DIAGNOSIS"],
        ) from None  # fmt: skip
    return sorted(found, key=lambda one: -one[1])


def _codes(path: Path) -> dict[str, str]:
    """Each name, English or French, -> its codes; {} without the file. "j17, j18" are two codes."""
    place = path.parent / CONDITIONS
    if not place.is_file():
        return {}
    codes: dict[str, str] = {}
    for key, condition in json_file(place).items():
        cell = ";".join(code.strip().upper() for code in str(condition.get("icd10-id", "")).split(",") if code.strip())
        for name in (key, condition.get("cond-name-eng"), condition.get("cond-name-fr")):
            if name:
                codes[name] = cell
    return codes


def _cell(codes: Mapping[str, str], names: Sequence[str], path: Path) -> str:
    for name in names:
        if name not in codes:
            raise InputError(f"{quoted(name)} is no condition of {CONDITIONS}", source=str(path), allowed="its names")
    return ";".join(dict.fromkeys(code for name in names for code in codes[name].split(";") if code))


def _text(table: Table, i: int, row: Mapping[str, Any], asked: Mapping[str, Any]) -> str:
    """Age, sex and the initial complaint, then each question with its answers."""
    answers: dict[str, list[str]] = {}
    try:
        for evidence in ast.literal_eval(str(row["EVIDENCES"])):
            code, _, value = str(evidence).partition(_ANSWER)
            meaning = asked[code].get("value_meaning", {}).get(value, {}).get("en", value)
            answers.setdefault(code, []).append({"Y": "Yes", "N": "No", "": "Yes"}.get(str(meaning), str(meaning)))
        initial = asked[str(row["INITIAL_EVIDENCE"]).partition(_ANSWER)[0]]["question_en"]
    except (KeyError, ValueError, SyntaxError, TypeError, MemoryError, RecursionError) as error:
        raise table.error(
            f"an evidence that {EVIDENCES} lacks", i, "EVIDENCES", allowed="its codes", got=str(error)
        ) from None  # fmt: skip
    sex = {"M": "male", "F": "female"}.get(str(row["SEX"]), str(row["SEX"]))
    lines = [f"Age: {row['AGE']}", f"Sex: {sex}", f"Chief complaint: {initial} Yes"]
    return "\n".join([*lines, *(f"{asked[code]['question_en']} {', '.join(of)}" for code, of in answers.items())])
