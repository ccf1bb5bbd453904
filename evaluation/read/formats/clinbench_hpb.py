"""ClinBench-HPB: the cases in `Hospital.json`, `Website.json`, `Journal_part1.json` …, which tell only the right answers.

`diagnosis` holds all diagnoses of a patient, a new line between them. The group "subset" of a case is the file without its part: Journal,
Website or Hospital. What its scripts predict and judge are pickles, which are never opened: a pickle runs what it holds.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from ....errors import InputError
from ....files.json_records import read_json
from .answer import Answer, Head, files_below, references_in

TITLE = "ClinBench-HPB"
SUBSET, INFO, RIGHT = "subset", "patient_info", "diagnosis"
_PATIENT = ("patient_id", "Index", "index")  # keys of the number of a patient, who has one of them or none
_PART = re.compile(r"(?i)[-_ ]?part[-_ ]?\d+$")
TESTS = re.compile(r"(?:laboratory|blood|imaging)_\w+|question")


def reads(head: Head) -> bool:
    """A file of cases. No other key is known: a file to which answers were added is someone's own."""
    return {INFO, RIGHT} <= head.keys and all(map(TESTS.fullmatch, head.keys - {INFO, RIGHT, *_PATIENT}))


class Case(NamedTuple):
    """A case as published. name : its ID (else its row, from 1), FILE/ID of several files; "ID (2)" where the ID stands a second time."""

    file: Path
    row: int
    name: str
    item: dict[str, Any]


def cases(paths: Sequence[Path], encoding: str | None = None) -> Iterator[Case]:
    """The cases of files, or of folders. Errors: `InputError` for a file that is no list of cases."""
    files = [file for path in paths for file in files_below(path, "*.json")]
    seen = Counter[str]()
    for file in files:
        items = read_json(file, encoding).value
        if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
            raise InputError("no list of cases", source=str(file), allowed="[{…}, {…}]")
        for row, item in enumerate(items, 1):
            name = str(next((item[key] for key in _PATIENT if key in item), row))
            name = f"{file.stem}/{name}" if len(files) > 1 else name
            seen[name] += 1  # titles stand twice in the published files
            yield Case(file, row, name if seen[name] == 1 else f"{name} ({seen[name]})", item)


def read(path: Path) -> Iterator[Answer]:
    """The right answers of the cases of a file, or of a folder. Errors: as of `cases`."""
    for file, row, name, item in cases([path]):
        right, more = references_in(item.get(RIGHT)), {SUBSET: subset_of(file)}
        yield Answer(name, None, references=right, more=more, source=file, row=row)


def subset_of(file: Path) -> str:
    """Journal of "Journal_part1.json"."""
    return _PART.sub("", file.stem)
