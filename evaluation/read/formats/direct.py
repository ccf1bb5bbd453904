"""DiReCT: annotated notes, whose primary discharge diagnosis is the right answer, and predictions for them.

Notes and predictions are one JSON file each, of the same place and name in two folders: the case is that place and name. A
note holds `input1` … `input6` and a tree whose outermost key is "DIAGNOSIS$Intermedia_D". A prediction holds a `chain` from the
category to the diagnosis, whose last is the answer; the folder is the model.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ....errors import InputError
from .answer import Answer
from .files_of import files_below, has_keys, head, json_file, some_below

_CHAIN = "chain"
_DIAGNOSIS = re.compile(r"(?P<name>.*?)(?:\s*#)*\s*\$Intermedia_\d+", re.DOTALL)
_SECTION = re.compile(r"input[1-6]")


def reads(path: Path) -> bool:
    """A note or a prediction, or a folder of them."""
    return any(_is_note(file) or _is_prediction(file) for file in some_below(path, "*.json")[:3])


def _is_note(file: Path) -> bool:
    return "$Intermedia_" in head(file) and "$Input" in head(file)


def _is_prediction(file: Path) -> bool:
    # `chain` stands at the end of the file
    return has_keys(file) and '"input' in head(file).lower() and isinstance(_of(file).get(_CHAIN), list)


def _of(file: Path) -> dict[str, Any]:
    try:
        value = json_file(file)
    except InputError:
        return {}
    return value if isinstance(value, dict) else {}


def read(path: Path) -> Iterator[Answer]:
    """Notes give right answers, predictions answers. Errors: `InputError` for a file that is neither."""
    folder = path if path.is_dir() else path.parent
    for file in files_below(path, "*.json"):
        value = json_file(file)
        place = file.relative_to(folder)
        more = {"disease_category": place.parts[0]} if len(place.parts) > 1 else {}
        if isinstance(value, dict) and isinstance(chain := value.get(_CHAIN), list):
            last = next((str(name) for name in reversed(chain) if name), "")
            yield Answer(place.as_posix(), folder.resolve().name, text=last, more=more, source=str(file))
            continue
        keys = [] if not isinstance(value, dict) else [key for key in value if not _SECTION.fullmatch(key)]
        name = _DIAGNOSIS.fullmatch(keys[0]) if len(keys) == 1 else None
        if name is None:
            raise InputError(
                "neither a note nor a prediction", source=str(file),
                allowed="one key DIAGNOSIS$Intermedia_D beside input1 … input6, or a list 'chain'", got=keys,
            )  # fmt: skip
        yield Answer(place.as_posix(), None, references=(name["name"].strip(),), more=more, source=str(file))
