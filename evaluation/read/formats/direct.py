"""DiReCT: annotated notes, whose primary discharge diagnosis is the right answer, and predictions for them.

Notes and predictions are one JSON file each, of the same place and name in two folders: the case is that place and name. A
note holds `input1` … `input6` and a tree whose outermost key is "DIAGNOSIS$Intermedia_D". A prediction holds a `chain` from the
category to the diagnosis, whose last is the answer; the folder is the model.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from ....errors import InputError
from .answer import Answer, Head, objects_below

TITLE = "DiReCT"
_DIAGNOSIS = re.compile(r"(?s)(.*?)(?:\s*#)*\s*\$Intermedia_\d+")


def reads(head: Head) -> bool:
    """A note or a prediction."""
    is_prediction = "chain" in head.keys and '"input' in head.text.lower()
    return is_prediction or any(map(_DIAGNOSIS.fullmatch, head.keys))


def read(path: Path) -> Iterator[Answer]:
    """Notes give right answers, predictions answers. Errors: `InputError` for a file that is neither."""
    folder = path if path.is_dir() else path.parent
    for file, _, held in objects_below(path, [()], "*.json"):
        place = file.relative_to(folder)
        case, more = place.as_posix(), {"disease_category": place.parts[0]} if len(place.parts) > 1 else {}
        keys = [key for key in held if not re.fullmatch("input[1-6]", key)]
        if isinstance(chain := held.get("chain"), list):
            last = [str(name) for name in chain if name][-1:]
            yield Answer(case, folder.resolve().name, diagnoses=last, more=more, source=file)
        elif len(keys) == 1 and (found := _DIAGNOSIS.fullmatch(keys[0])):
            yield Answer(case, None, references=found[1].strip(), more=more, source=file)
        else:
            allowed = "one key DIAGNOSIS$Intermedia_D beside input1 … input6, or a list 'chain'"
            raise InputError("neither a note nor a prediction", source=str(file), allowed=allowed, got=keys)
