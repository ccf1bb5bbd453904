"""JSON as people keep it: a list of objects, one object a line, or objects within objects; and objects as a table."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from ..errors import InputError
from .columns import Read, as_text, of_records
from .encodings import suffix_of, utf8_of

__all__ = ["SUFFIXES", "Held", "as_text", "objects_in_lines", "read_json", "read_records", "records_as_columns"]

SUFFIXES = (".json", ".jsonl")


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


def _parsed(text: str, source: str, row: int | None = None) -> Any:
    """JSON as Python has it; NaN, which pandas and Python write for a blank, too. row : of a line. Errors: `InputError`."""
    try:
        return _DECODER.decode(text)
    except (ValueError, RecursionError) as error:
        what, allowed = ("the file is not", "JSON") if row is None else ("a line that is not", "one JSON object a line")
        raise InputError(f"{what} JSON ({str(error)[:200]})", source=source, row=row, allowed=allowed) from None


def objects_in_lines(
    path: Path, encoding: str | None = None, broken: list[InputError] | None = None
) -> Iterator[tuple[int, dict[str, Any]]]:
    """The objects of a file of JSON lines, each with the number of its line; blank lines are passed over.

    broken : where lines that are no object go, instead of the first of them being raised.

    Errors: `InputError`, with the line.
    """
    return _objects(utf8_of(path, encoding), str(path), broken)


def _objects(raw: bytes, source: str, broken: list[InputError] | None) -> Iterator[tuple[int, dict[str, Any]]]:
    for row, line in enumerate(raw.split(b"\n"), 1):
        if not line.strip():
            continue
        try:
            found = _parsed(line.decode(), source, row)
            if not isinstance(found, dict):
                allowed = '{"a": …, "b": …}'
                raise InputError("a line that is not an object", source=source, row=row, allowed=allowed, got=found)
        except InputError as error:
            if broken is None:
                raise error.of_row_alone() from None
            broken.append(error)
        else:
            yield row, found


def read_json(path: Path, encoding: str | None = None, broken: list[InputError] | None = None) -> Held:
    """What a .json or .jsonl file holds; of lines with an object each, the list of them and the numbers of the lines.

    broken : as `objects_in_lines` has it.

    Errors: `InputError` for a file that is absent, empty, not text, or not JSON, with the line.
    """
    source, raw = str(path), utf8_of(path, encoding)
    text = raw.decode().strip()
    if not text:
        raise InputError("the file is empty", source=source, allowed="JSON")
    if suffix_of(path) != ".jsonl" or text.startswith("["):
        try:
            return Held(_parsed(text, source))
        except InputError:
            # Lines in a file called .json: the first of several is an object.
            first, _, more = text.partition("\n")
            if not more or not any(True for _ in _objects(first.encode(), source, [])):
                raise
    found = list(_objects(raw, source, broken))
    return Held([record for _, record in found], [number for number, _ in found])


def read_records(path: Path, encoding: str | None = None) -> Read:
    """A list of objects, or one object a line, as a table; lines that are no object are `broken`.

    Errors: `InputError`, with the row; in .jsonl for values of several kinds in a column too.
    """
    broken = list[InputError]()
    value, rows = read_json(path, encoding, broken)
    if not isinstance(value, list):
        allowed = "a list of objects, one for each row"
        raise InputError("the file holds no list", source=str(path), allowed=allowed, got=type(value).__name__)
    rows = rows or [*range(1, len(value) + 1)]
    data = of_records(value, str(path), rows, mixed=suffix_of(path) == ".json")
    return Read(data, 1, np.array(rows, np.int64), broken=broken)


def records_as_columns(
    records: Sequence[Mapping[str, Any]], source: str = "", first_row: int = 0, rows: Iterable[int] | None = None
) -> pa.Table:
    """`of_records`; a column of values of several kinds is one of texts, lists in JSON. Errors: `InputError`, with the row."""
    texts = [{str(name): one for name, one in each.items()} for each in records]
    numbers = range(first_row, first_row + len(texts)) if rows is None else [*map(int, rows)]
    return of_records(texts, source, numbers, mixed=True)
