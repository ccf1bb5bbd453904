"""ClinBench-HPB: the cases in `Hospital.json`, `Website.json`, `Journal_part1.json` …, which tell only the right answers.

`diagnosis` holds all diagnoses of a patient, a new line between them. The group "subset" of a case is the file without its part: Journal,
Website or Hospital. What its scripts predict and judge are pickles, which are never opened: a pickle runs what it holds.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from .answer import Answer, Head, files_below, objects_below, told_by

TITLE = "ClinBench-HPB"
_KEYS = (("patient_info", "diagnosis"), ("question", "options", "answer"))  # enqa.json lies in the folder of the cases
_PATIENT = ("patient_id", "Index", "index")  # keys of the number of a patient, who has one of them or none
_PART = re.compile(r"(?i)[-_ ]?part[-_ ]?\d+$")
SHOWN = re.compile(r"patient_info|(?:laboratory|blood|imaging)_\w+|question")


def reads(head: Head) -> bool:
    """A file of cases. No other key is known: a file to which answers were added is someone's own."""
    return told_by(_KEYS)(head) and all(map(SHOWN.fullmatch, head.keys - {"diagnosis", *_PATIENT}))


def read(path: Path) -> Iterator[Answer]:
    """The right answers of each case of a file or folder. Errors: `InputError` for what is no case.

    A case is called by its ID (else its row, from 1), of several files FILE/ID; "ID (2)" where the ID stands a second time. The questions
    beside the cases are for `dxmatch choice`.
    """
    several, seen = len(files_below(path, "*.json")) > 1, Counter[str]()
    for file, row, item in objects_below(path, _KEYS, "*.json"):
        if "options" in item:
            continue
        name = f"{file.stem}/" * several + str(next((item[key] for key in _PATIENT if key in item), row))
        seen[name] += 1  # titles stand twice in the published files
        name, more = name + f" ({seen[name]})" * (seen[name] > 1), {"subset": _PART.sub("", file.stem)}
        yield Answer(name, None, references=item["diagnosis"], more=more, source=file, row=row, held=item)
