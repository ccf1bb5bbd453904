"""Files of any other form: the user's own function says of each record who answered what."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from ...errors import InputError
from ...files.json_records import SUFFIXES as JSON_SUFFIXES
from ...files.json_records import read_json
from ...files.tables import read_table
from .formats.answer import Answer

Record = Callable[[Mapping[str, Any]], Any]
"""A record -> None for nothing, or an answer or several: objects with case_id, model, diagnoses or text, and references."""
_FIELDS = ("case_id", "model", "diagnoses", "text", "references")
_ALLOWED = "None, or one object or a list of objects with case_id, model, diagnoses (a list) or text, and references (a text or a list)"


def recorded(source: Any, record: Record, encoding: str | None) -> Iterator[Answer]:
    """Yields what `record` says of each row of a table, or of each object of a JSON file.

    Raises
    ------
    InputError
        For what is no answer, with the row that it was made of.
    """
    path = Path(source) if isinstance(source, str | Path) else None
    if path is not None and path.suffix.lower() in JSON_SUFFIXES:
        held, rows = read_json(path, encoding)
        records = held if isinstance(held, list) else [held]
        numbers = rows or range(1, len(records) + 1)
    else:
        table = read_table(source, encoding)
        cells = zip(*(table.column(name) for name in table.names), strict=True)
        records = [dict(zip(table.names, row, strict=True)) for row in cells]
        numbers = table.row_numbers().tolist()
    for row, one in zip(numbers, records, strict=True):
        made = record(one)
        for answer in [] if made is None else made if isinstance(made, list | tuple) else [made]:
            if not isinstance(answer, Mapping) or not {*answer} <= {*_FIELDS} or answer.get("case_id") is None:
                raise InputError(
                    "the option 'record' made no answer", source=str(source), row=row, allowed=_ALLOWED, got=answer
                )
            right = answer.get("references") or ()
            yield Answer(
                str(answer["case_id"]), answer.get("model"), diagnoses=answer.get("diagnoses"), text=answer.get("text"),
                references=(right,) if isinstance(right, str) else tuple(right), source=str(source), row=row,
            )  # fmt: skip
