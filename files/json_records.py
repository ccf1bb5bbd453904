"""JSON as people keep it: a list of objects, one object a line, or objects within objects; and objects as a table."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from ..errors import InputError
from .encodings import check_encoding, not_utf8, utf8_of

SUFFIXES = (".json", ".jsonl")


def read_json(path: Path, encoding: str | None = None) -> tuple[Any, list[int] | None]:
    """What a .json or .jsonl file holds; of lines with an object each, the list of them and the numbers of the lines.

    Errors: `InputError` for a file that is absent, empty, not text, or not JSON, with the line.
    """
    source = str(path)
    check_encoding(encoding)
    try:
        content = utf8_of(path, encoding, _line_of)
        text = (path.read_bytes() if content is None else content).decode("utf-8-sig")
    except FileNotFoundError:
        raise InputError("no such file", source=source, allowed="a .json or .jsonl file") from None
    except OSError as error:
        raise InputError(f"the file could not be read ({error.strerror or error})", source=source) from error
    except UnicodeDecodeError:
        raise not_utf8(path, _line_of) from None
    if not text.strip():
        raise InputError("the file is empty", source=source, allowed="JSON")
    lines = path.suffix.lower() == ".jsonl" and not text.lstrip().startswith("[")
    if not lines:
        try:
            return json.loads(text), None
        except RecursionError:
            raise InputError("JSON that is nested too deep", source=source) from None
        except ValueError as error:
            if text.lstrip().startswith("[") or not _has_objects_in_lines(text):
                raise InputError(f"the file is not JSON ({error})", source=source, allowed="JSON") from None
    records, rows = [], []
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            value = json.loads(line)
        except (ValueError, RecursionError) as error:
            problem = f"a line that is not JSON ({error})"
            raise InputError(
                problem, source=source, row=number, allowed="one JSON object a line", got=line[:60]
            ) from None
        if not isinstance(value, dict):
            raise InputError(
                "a line that is not an object", source=source, row=number, allowed='{"a": …, "b": …}', got=value
            )
        records.append(value)
        rows.append(number)
    return records, rows


def _line_of(text: str) -> int:
    return text.count("\n") + 1


def _has_objects_in_lines(text: str) -> bool:
    first = next(line for line in text.split("\n") if line.strip())
    try:
        return isinstance(json.loads(first), dict)
    except (ValueError, RecursionError):
        return False


def read_records(path: Path, encoding: str | None = None) -> pa.Table:
    """A list of objects in a JSON file as a table. Errors: `InputError`, for another content too."""
    value, _ = read_json(path, encoding)
    if not isinstance(value, list) or not all(isinstance(one, dict) for one in value):
        kind = "an object" if isinstance(value, dict) else "something else"
        raise InputError(f"the file holds {kind}", source=str(path), allowed="a list of objects, one for each row")
    return records_as_columns(value, str(path), 1)


def records_as_columns(
    records: Sequence[Mapping[str, Any]],
    source: str | None = None,
    first_row: int = 0,
    rows: Sequence[int] | NDArray[np.integer] | None = None,
) -> pa.Table:
    """Objects as rows; what an object lacks is blank. A column of values of several kinds is one of texts, lists in JSON.

    source, first_row, rows : the place of the objects, for errors: the number of the first one, or of each.

    Errors: `InputError` for half a surrogate pair (JSON may hold one as \\ud83d), which is no Unicode, with its row.
    """
    names = dict.fromkeys(str(name) for record in records for name in record)
    try:
        return pa.table({name: _column([record.get(name) for record in records]) for name in names})
    except UnicodeEncodeError:
        at = next(i for i, record in enumerate(records) if not _is_unicode(record))
        row = first_row + at if rows is None else int(rows[at])
        raise InputError("half a surrogate pair", source=source, row=row, allowed="Unicode text") from None


def _is_unicode(record: Mapping[str, Any]) -> bool:
    try:
        json.dumps(record, ensure_ascii=False, default=str).encode()
    except UnicodeEncodeError:
        return False
    return True


def _column(values: list[Any]) -> pa.Array:
    kinds = {type(value) for value in values if value is not None}
    if not kinds & {list, tuple, dict} or len(kinds) == 1:
        try:
            return pa.array(values, from_pandas=True)
        except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError, OverflowError):
            pass
    return pa.array([as_text(value) for value in values], pa.string())


def as_text(value: Any) -> str | None:
    """A value of any kind as a text: lists and objects in JSON, a blank and nan as None."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, float) and value != value:
        return None
    if isinstance(value, list | tuple | dict):
        return json.dumps(value, ensure_ascii=False, default=str)
    return str(value)
