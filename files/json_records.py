"""JSON as people keep it: a list of objects, one object a line, or objects within objects."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

from ..errors import InputError
from .text_files import suffix_of, utf8_of

JSON_SUFFIXES = (".json", ".jsonl")


class Held(NamedTuple):
    """What a file of JSON holds.

    value : as Python has it. rows : of lines with an object each, their numbers, else None.
    """

    value: Any
    rows: list[int] | None = None


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Of equal keys in one object, which value counts is for each program to choose (RFC 8259, 4), and the others would be lost."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("two equal keys in one object, of which one value would be lost")
    return found


_DECODER = json.JSONDecoder(object_pairs_hook=_unique)
"""NaN, which pandas and Python write for a blank, is read, too: a reader that is strict, as msgspec's, refuses it."""


def read_json(path: Path, encoding: str | None = None, broken: list[InputError] | None = None) -> Held:
    """What a .json or .jsonl file holds; of lines with an object each, the list of them and the numbers of the lines, blank ones passed over.

    broken : where lines that are no object go, instead of the first of them being raised; where no line is one it is raised all the same.

    Errors: `InputError` for a file that is absent, empty, not text, or not JSON, with the line.
    """
    text = utf8_of(path, encoding).decode()
    if not text.strip():
        raise InputError("the file is empty", source=str(path), allowed="JSON")
    if suffix_of(path) == ".json" or text.lstrip()[0] == "[":
        try:
            return Held(_DECODER.decode(text.strip()))
        except (ValueError, RecursionError) as error:
            # Lines in a file called .json: there is more behind the object that is the first.
            if not (str(error).startswith("Extra data") and text.lstrip()[0] == "{"):
                problem = f"the file is not JSON ({str(error)[:200]})"
                raise InputError(problem, source=str(path), allowed="JSON") from None
    records, rows, wrong = list[dict[str, Any]](), list[int](), list[InputError]()
    for row, line in enumerate(text.split("\n"), 1):
        try:
            found, problem = _DECODER.decode(line.strip() or "null"), "a line that is not an object"
        except (ValueError, RecursionError) as error:
            found, problem = None, f"a line that is not JSON ({str(error)[:200]})"
        if isinstance(found, dict):
            records.append(found)
            rows.append(row)
        elif line.strip():
            allowed = 'one JSON object a line, as {"a": …, "b": …}'
            wrong.append(InputError(problem, source=str(path), row=row, allowed=allowed, got=line))
    if wrong and (broken is None or not records):
        raise wrong[0]
    if broken is not None:
        broken += wrong
    return Held(records, rows)
