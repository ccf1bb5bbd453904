"""DDXPlus: synthetic patients with a differential diagnosis and the final one; what H-DDx evaluates on (4.1). No predictions.

The patients are a CSV with the columns AGE, SEX, PATHOLOGY, EVIDENCES, INITIAL_EVIDENCE and DIFFERENTIAL_DIAGNOSIS, a Python list of
[name, probability], the likeliest first. Beside it, where they are: `release_conditions.json`, whose `icd10-id` are the codes, and
`release_evidences.json`, the questions that the codes of EVIDENCES answer. A patient is called by its number in the file, from 1.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

from ....errors import InputError
from ....files.json_records import read_json
from .answer import Answer, listed, objects_below, told_by

TITLE = "DDXPlus"
CONDITIONS = "release_conditions.json"
_DIFFERENTIAL = "DIFFERENTIAL_DIAGNOSIS"
_KEYS = (("AGE", "SEX", "PATHOLOGY", "EVIDENCES", "INITIAL_EVIDENCE", _DIFFERENTIAL),)
reads = told_by(_KEYS)


def read(path: Path, first: int | None = None) -> Iterator[Answer]:
    """The differential of each patient as the set of right answers, the pathology as the final one, and their codes.

    first : how many of a differential, the likeliest first; None for all. Errors: `InputError` for one that is no list, with its row.
    """
    codes = _codes(path)
    for at, (file, row, cells) in enumerate(objects_below(path, _KEYS), 1):
        try:
            shares = {str(name): float(share) for name, share in listed(cells[_DIFFERENTIAL]) or [()]}
            names, final = sorted(shares, key=lambda name: -shares[name])[:first], str(cells["PATHOLOGY"])
            of = {"reference_icd10": names, "final_icd10": [final]} if codes else {}
            told = {column: ";".join(dict.fromkeys(chain(*(codes[name] for name in of[column])))) for column in of}
        except (KeyError, TypeError, ValueError) as error:
            raise InputError(
                f"no differential diagnosis of DDXPlus ({error})", source=str(file), row=row, column=_DIFFERENTIAL,
                allowed=f"a list of [name, probability], each a name of {CONDITIONS}", got=cells[_DIFFERENTIAL],
            ) from None  # fmt: skip
        more = {"final": final, "age": str(cells["AGE"]), "sex": str(cells["SEX"]), **told}
        yield Answer(str(at), None, references=names, more=more, source=path, row=row, held=cells)


def _codes(path: Path) -> dict[str, list[str]]:
    """Each name, English or French -> its codes; {} without the file. "j17, j18" are two codes."""
    place, codes = path.parent / CONDITIONS, dict[str, list[str]]()
    for key, condition in (read_json(place).value if place.is_file() else {}).items():
        names = (key, condition.get("cond-name-eng") or key, condition.get("cond-name-fr") or key)
        codes |= dict.fromkeys(names, re.findall(r"[^\s,]+", str(condition.get("icd10-id", "")).upper()))
    return codes
