"""DDXPlus: synthetic patients with a differential diagnosis and the final one; what H-DDx evaluates on (4.1). No predictions.

The patients are a CSV with the columns AGE, SEX, PATHOLOGY, EVIDENCES, INITIAL_EVIDENCE and DIFFERENTIAL_DIAGNOSIS, a Python list of
[name, probability], the likeliest first. Beside it, where they are: `release_conditions.json`, whose `icd10-id` are the codes, and
`release_evidences.json`, the questions that the codes of EVIDENCES answer. A patient is called by its number in the file, from 1.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import pyarrow as pa

from ....errors import InputError, OptionError
from ....files.json_records import read_json
from ....options import Between, File, checked
from .answer import Answer, Held, list_in, objects_below, told_by

TITLE = "DDXPlus"
CONDITIONS, EVIDENCES = "release_conditions.json", "release_evidences.json"
_DIFFERENTIAL = "DIFFERENTIAL_DIAGNOSIS"
_KEYS = (("AGE", "SEX", "PATHOLOGY", "EVIDENCES", "INITIAL_EVIDENCE", _DIFFERENTIAL),)
reads = told_by(_KEYS)


def read(path: Path) -> Iterator[Answer]:
    """The right answers of each patient. Errors: `InputError` for a differential that is no list, with its row."""
    codes = _codes(path)
    for at, patient in enumerate(objects_below(path, _KEYS), 1):
        told = _right(patient, codes)
        yield Answer(str(at), None, references=told.pop("reference"), more=told, source=path, row=patient[1])


@checked
def cases_of(
    patients: File, *, cases: int | None = None, seed: int = 0, first: Annotated[int, Between(1)] | None = None
) -> pa.Table:
    """Patients as cases for `dxmatch ask`, with their right answers.

    Parameters
    ----------
    patients
        The CSV of the patients; release_evidences.json and release_conditions.json beside it.
    cases
        How many are drawn, stratified by pathology: 730 in H-DDx; all if not given.
    seed
        Of the sample.
    first
        Of each differential so many are the reference, the likeliest first: 5 in H-DDx; all if not given.

    Returns
    -------
    case_id, text (age, sex, and questions with answers), reference (a list), reference_icd10, final, final_icd10, age, sex. The codes are
    absent without `release_conditions.json`.

    Raises
    ------
    InputError
        Without `release_evidences.json`, or for an evidence that it lacks.
    """
    source = Path(patients)
    asked, codes, rows = read_json(source.parent / EVIDENCES).value, _codes(source), [*objects_below(source, _KEYS)]
    strata = [cells["PATHOLOGY"] for *_, cells in rows]
    chosen = range(len(rows)) if cases is None else stratified(strata, cases, seed)
    told = [{"case_id": str(i + 1), "text": _text(rows[i], asked), **_right(rows[i], codes, first)} for i in chosen]
    return pa.Table.from_pylist(told)


def stratified(strata: Sequence[Any], n: int, seed: int = 0) -> list[int]:
    """The places of n of them, ascending: of each stratum its share, rounded up or down, drawn without putting back.

    >>> len(stratified(["a"] * 90 + ["b"] * 10, 10)), sum(i >= 90 for i in stratified(["a"] * 90 + ["b"] * 10, 10))
    (10, 1)
    """
    if not 1 <= n <= len(strata):
        raise OptionError("cases", f"from 1 to the number of patients ({len(strata):,})", n)
    generator = np.random.default_rng(seed)
    order = generator.permutation(len(strata))
    order = order[np.argsort(np.array(strata, dtype=str)[order], kind="stable")]  # by stratum, in each by chance
    places = (np.arange(n) + generator.random()) * len(strata) / n  # one in each n-th of them
    return np.sort(order[places.astype(int)]).tolist()


def _codes(path: Path) -> dict[str, list[str]]:
    """Each name, English or French -> its codes; {} without the file. "j17, j18" are two codes."""
    place, codes = path.parent / CONDITIONS, dict[str, list[str]]()
    for key, condition in (read_json(place).value if place.is_file() else {}).items():
        names = (key, condition.get("cond-name-eng") or key, condition.get("cond-name-fr") or key)
        codes |= dict.fromkeys(names, re.findall(r"[^\s,]+", str(condition.get("icd10-id", "")).upper()))
    return codes


def _right(patient: Held, codes: Mapping[str, list[str]], first: int | None = None) -> dict[str, Any]:
    """The differential as the set of right answers, the pathology as the final one, and their codes."""
    file, row, cells = patient
    try:
        shares = {str(name): float(share) for name, share in list_in(cells[_DIFFERENTIAL]) or [()]}
        names, final = sorted(shares, key=lambda name: -shares[name])[:first], str(cells["PATHOLOGY"])
        of = {"reference_icd10": names, "final_icd10": [final]} if codes else {}
        told = {column: ";".join(dict.fromkeys(chain(*(codes[name] for name in of[column])))) for column in of}
    except (KeyError, TypeError, ValueError) as error:
        problem = f"no differential diagnosis of DDXPlus ({error})"
        allowed, got = f"a list of [name, probability], each a name of {CONDITIONS}", cells[_DIFFERENTIAL]
        raise InputError(problem, source=str(file), row=row, column=_DIFFERENTIAL, allowed=allowed, got=got) from None
    return {"reference": names, "final": final, "age": str(cells["AGE"]), "sex": str(cells["SEX"]), **told}


def _text(patient: Held, asked: Mapping[str, Any]) -> str:
    """Age, sex and the initial complaint, then each question with its answers."""
    (file, row, cells), answers = patient, dict[str, list[str]]()
    evidences = list_in(cells["EVIDENCES"])
    said = [str(one).partition("_@_")[::2] for one in (cells["INITIAL_EVIDENCE"], *(evidences or ()))]
    unknown = [code for code, _ in said if code not in asked]
    if evidences is None or unknown:
        problem, got = f"an evidence that {EVIDENCES} lacks", unknown or cells["EVIDENCES"]
        raise InputError(problem, source=str(file), row=row, column="EVIDENCES", allowed="its codes", got=got)
    for code, value in said[1:]:
        meaning = str(asked[code].get("value_meaning", {}).get(value, {}).get("en", value))
        answers.setdefault(code, []).append({"Y": "Yes", "N": "No", "": "Yes"}.get(meaning, meaning))
    sex = {"M": "male", "F": "female"}.get(cells["SEX"], str(cells["SEX"]))
    lines = [f"Age: {cells['AGE']}", f"Sex: {sex}", f"Chief complaint: {asked[said[0][0]]['question_en']} Yes"]
    return "\n".join([*lines, *(f"{asked[code]['question_en']} {', '.join(of)}" for code, of in answers.items())])
