"""Cases as data sets publish them: those of ClinBench-HPB, and the patients of DDXPlus, of which a sample is drawn."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import pyarrow as pa

from ..errors import InputError, OptionError
from ..evaluation.read.formats import clinbench_hpb, ddxplus
from ..evaluation.read.formats.answer import Answer, listed
from ..files.json_records import read_json
from ..files.table import Table, records_as_columns
from ..options import Between, File, checked
from .case_columns import CASE_ID, TEXT

EVIDENCES = "release_evidences.json"


def of_clinbench(path: Path) -> tuple[Table, dict[str, Any]]:
    """Its cases, and which columns of these are the name and the text. Errors: `InputError` for a file that is no list of cases."""
    found, shown = list(clinbench_hpb.read(path)), dict[str, None]()
    parts = [{name: one for name, one in told.held.items() if clinbench_hpb.SHOWN.fullmatch(name)} for told in found]
    for part in parts:
        shown |= dict.fromkeys(part)
    return _table(found, parts, path), {CASE_ID: CASE_ID, TEXT: [*shown]}


def of_ddxplus(path: Path) -> tuple[Table, dict[str, Any]]:
    """All of its patients, as `of_clinbench` gives cases. Errors: as of `cases_of`."""
    found = list(ddxplus.read(path))
    return _table(found, _texts(found, path), path), {CASE_ID: CASE_ID, TEXT: TEXT}


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
    path = Path(patients)
    found = list(ddxplus.read(path, first))
    if cases is not None:
        found = [found[at] for at in stratified([told.more["final"] for told in found], cases, seed)]
    return _table(found, _texts(found, path), path).data


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


def _table(found: Sequence[Answer], shown: Iterable[Mapping[str, Any]], path: Path) -> Table:
    """Cases under the names that `evaluate` gives them, with what is shown of each, and their right answers."""
    told = zip(found, shown, strict=True)
    records = [{CASE_ID: one.case_id, **cells, "reference": one.references, **one.more} for one, cells in told]
    rows = np.array([one.row for one in found], np.int64)
    return Table(records_as_columns(records), str(path), 1, rows=rows, sources=[str(one.source) for one in found])


def _texts(found: Iterable[Answer], path: Path) -> Iterator[dict[str, str]]:
    """The texts of patients: age, sex and the initial complaint, then each question with its answers."""
    asked = read_json(path.parent / EVIDENCES).value
    for told in found:
        cells = told.held
        evidences, answers = listed(cells["EVIDENCES"]), dict[str, list[str]]()
        complaint, *said = [str(one).partition("_@_")[::2] for one in (cells["INITIAL_EVIDENCE"], *(evidences or ()))]
        unknown = [code for code, _ in (complaint, *said) if code not in asked]
        if evidences is None or unknown:
            raise InputError(
                f"an evidence that {EVIDENCES} lacks", source=str(told.source), row=told.row, column="EVIDENCES", allowed="its codes",
                got=unknown or cells["EVIDENCES"],
            )  # fmt: skip
        for code, value in said:
            meaning = str(asked[code].get("value_meaning", {}).get(value, {}).get("en", value))
            answers.setdefault(code, []).append({"Y": "Yes", "N": "No", "": "Yes"}.get(meaning, meaning))
        sex = {"M": "male", "F": "female"}.get(cells["SEX"], str(cells["SEX"]))
        lines = [f"Age: {cells['AGE']}", f"Sex: {sex}", f"Chief complaint: {asked[complaint[0]]['question_en']} Yes"]
        lines += [f"{asked[code]['question_en']} {', '.join(of)}" for code, of in answers.items()]
        yield {TEXT: "\n".join(lines)}
