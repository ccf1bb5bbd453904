"""ClinBench-HPB: the cases in `Hospital.json`, `Website.json`, `Journal_part1.json` …, which tell only the right answers.

`diagnosis` holds all diagnoses of a patient, a new line between them. The group "subset" of a case is the file without its part: Journal,
Website or Hospital. What its scripts predict and judge are pickles, which are never opened: a pickle runs what it holds.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ....errors import InputError
from .answer import Answer, references_in
from .files_of import files_below, first_of_array, json_file, some_below

SUBSET = "subset"
PATIENT = ("patient_id", "Index", "index")
"""Keys of the number of a patient, who has one of them or none."""

_INFO, _RIGHT = "patient_info", "diagnosis"
_PART = re.compile(r"[-_ ]?part[-_ ]?\d+$", re.IGNORECASE)
_TESTS = re.compile(r"(?:laboratory|blood|imaging)_\w+|question")


def reads(path: Path) -> bool:
    """A file of cases, or a folder that holds one."""
    return any(_is_cases(file) for file in some_below(path, "*.json"))


def _is_cases(file: Path) -> bool:
    """No other key is known: a file to which answers were added is someone's own."""
    keys = {*first_of_array(file)}
    return {_INFO, _RIGHT} <= keys and all(_TESTS.fullmatch(key) for key in keys - {_INFO, _RIGHT, *PATIENT})


def read(path: Path) -> Iterator[Answer]:
    """The cases of a file, or of a folder; of several files each case is called FILE/ID. Errors: `InputError`."""
    files = files_below(path, "*.json")
    for file in files:
        items = json_file(file)
        if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
            raise InputError("no list of cases", source=str(file), allowed="[{…}, {…}]")
        for row, item in enumerate(items, 1):
            yield Answer(
                case_name(file, item, row, several=len(files) > 1),
                None,
                references=references_in(item.get(_RIGHT)),
                more={SUBSET: subset_of(file)},
                source=str(file),
                row=row,
            )


def case_name(file: Path, item: Mapping[str, Any], row: int, *, several: bool) -> str:
    """ID, or FILE/ID of several files. row : from 1, the ID of a patient who has none."""
    case = str(next((item[key] for key in PATIENT if key in item), row))
    return f"{file.stem}/{case}" if several else case


def subset_of(file: Path) -> str:
    """Journal of "Journal_part1.json"."""
    return _PART.sub("", file.stem)
