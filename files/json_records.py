"""JSON as people keep it: a list of objects, one object a line, or objects within objects; and objects as a table."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator, Mapping, Sequence
from math import isinf
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from ..errors import InputError
from .columns import Read, column_of
from .counted import counted
from .encodings import check_encoding, not_utf8, utf8_of

SUFFIXES = (".json", ".jsonl")


class Held(NamedTuple):
    """What a file of JSON holds.

    value : as Python has it. rows : of lines with an object each, their numbers, else None. warnings : what is doubtful, a sentence each.
    """

    value: Any
    rows: list[int] | None = None
    warnings: tuple[str, ...] = ()


class JsonParser:
    """Parses the JSON of one file, refuses what has two meanings, and notes what is doubtful.

    Of equal keys in one object, which value counts is for each program to choose (RFC 8259, 4), and the others would be lost:
    refused. NaN, which is no JSON, is a blank, as pandas writes it; an infinite number stays one. Both are noted.
    """

    def __init__(self, source: str) -> None:
        self.source = source
        self._decoder = json.JSONDecoder(
            object_pairs_hook=_unique, parse_float=self._float, parse_constant=self._constant
        )
        self._row: int | None = None
        self._noted: dict[str, list[int | None]] = {}

    def parse(self, text: str, row: int | None = None) -> Any:
        """row : of the text, where it is a line. Errors: `InputError`."""
        self._row = row
        what = "the file" if row is None else "a line"
        try:
            value = self._decoder.decode(text)
            if "\\u0000" in text:
                self._note("a NUL character in a text")
            if row is not None and "\\u" in text:
                json.dumps(value, ensure_ascii=False).encode()
        except UnicodeEncodeError:
            raise InputError("half a surrogate pair", source=self.source, row=row, allowed="Unicode text") from None
        except RecursionError:
            raise InputError("JSON that is nested too deep", source=self.source, row=row) from None
        except _EqualKeys as error:
            problem = "two equal keys in one object, of which one value would be lost"
            raise InputError(problem, source=self.source, row=row, allowed="each key once", got=str(error)) from None
        except ValueError as error:
            if _breaks_off(error, text):
                problem = f"{what} breaks off ({error})"
            else:
                problem = f"{'the file is not' if row is None else 'a line that is not'} JSON ({str(error)[:200]})"
            details: dict[str, Any] = {} if row is None else {"got": text[:60]}
            allowed = "JSON" if row is None else "one JSON object a line"
            raise InputError(problem, source=self.source, row=row, allowed=allowed, **details) from None
        return value

    def object(self, text: str, row: int) -> dict[str, Any]:
        """The object in a line. Errors: `InputError`."""
        value = self.parse(text, row)
        if not isinstance(value, dict):
            problem = "a line that is not an object"
            raise InputError(problem, source=self.source, row=row, allowed='{"a": …, "b": …}', got=value)
        return value

    @property
    def warnings(self) -> tuple[str, ...]:
        return tuple(
            f"{self.source}{'' if rows[0] is None else f', row {rows[0]:,}'}: {what}"
            + (f"; {counted(len(rows), 'time')} in the file." if len(rows) > 1 else ".")
            for what, rows in self._noted.items()
        )

    def _note(self, what: str) -> None:
        self._noted.setdefault(what, []).append(self._row)

    def _constant(self, word: str) -> float | None:
        if word == "NaN":
            self._note("NaN, which is no JSON, is read as a blank")
            return None
        return self._float(word)

    def _float(self, text: str) -> float:
        value = float(text)
        if isinf(value):
            self._note(f"{text[:20]} is read as an infinite number")
        return value


class _EqualKeys(Exception):
    """The key that an object has twice."""


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise _EqualKeys(next(key for i, (key, _) in enumerate(pairs) if key in dict(pairs[:i])))
    return found


def _breaks_off(error: ValueError, text: str) -> bool:
    return isinstance(error, json.JSONDecodeError) and (
        error.pos >= len(text.rstrip()) or error.msg.startswith("Unterminated string")
    )


def objects_in_lines(
    path: Path, encoding: str | None, parser: JsonParser, broken: list[InputError] | None = None
) -> Iterator[tuple[int, dict[str, Any]]]:
    """The objects of a file of JSON lines, each with the number of its line; blank lines are passed over.

    broken : where lines that are no object go, instead of the first of them being raised.

    Errors: `InputError`, with the line.
    """
    content = utf8_of(path, encoding, _line_of)
    with path.open("rb") if content is None else io.BytesIO(content) as handle:
        for number, line in enumerate(handle, 1):
            if b"\0" in line:
                raise InputError("a NUL character", source=str(path), row=number, allowed="text; is the file damaged?")
            try:
                text = line.decode("utf-8-sig" if number == 1 else "utf-8")
            except UnicodeDecodeError:
                raise not_utf8(path, _line_of) from None
            if not text.strip():
                continue
            try:
                found = parser.object(text, number)
            except InputError as error:
                if broken is None:
                    raise error.of_row_alone() from None
                broken.append(error)
            else:
                yield number, found


def read_json(path: Path, encoding: str | None = None, broken: list[InputError] | None = None) -> Held:
    """What a .json or .jsonl file holds; of lines with an object each, the list of them and the numbers of the lines.

    broken : as `objects_in_lines` has it.

    Errors: `InputError` for a file that is absent, empty, not text, or not JSON, with the line.
    """
    source = str(path)
    check_encoding(encoding)
    parser = JsonParser(source)
    try:
        text = _text_of(path, encoding)
        if not text.strip():
            raise InputError("the file is empty", source=source, allowed="JSON")
        if path.suffix.lower() != ".jsonl" or text.lstrip().startswith("["):
            try:
                return Held(parser.parse(text), None, parser.warnings)
            except InputError:
                if text.lstrip().startswith("[") or not _has_objects_in_lines(text):
                    raise
        del text
        parser = JsonParser(source)
        found = list(objects_in_lines(path, encoding, parser, broken))
    except OSError as error:
        if isinstance(error, FileNotFoundError):
            raise InputError("no such file", source=source, allowed="a .json or .jsonl file") from None
        raise InputError(f"the file could not be read ({error.strerror or error})", source=source) from error
    return Held([record for _, record in found], [number for number, _ in found], parser.warnings)


def _text_of(path: Path, encoding: str | None) -> str:
    content = utf8_of(path, encoding, _line_of)
    raw = path.read_bytes() if content is None else content
    if b"\0" in raw:
        row = _line_of(raw[: raw.index(b"\0")].decode("utf-8", "replace"))
        raise InputError("a NUL character", source=str(path), row=row, allowed="text; is the file damaged?")
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise not_utf8(path, _line_of) from None


def _line_of(text: str) -> int:
    return text.count("\n") + 1


def _has_objects_in_lines(text: str) -> bool:
    first, _, rest = text.lstrip().partition("\n")
    try:
        return isinstance(json.loads(first), dict) and bool(rest.strip())
    except (ValueError, RecursionError):
        return False


def read_lines(path: Path, encoding: str | None = None, *, set_aside: bool = False) -> Read:
    """A file of JSON lines as a table. Errors: `InputError`, with the line, for values of several kinds in a column too.

    set_aside : lines that are no object go into `broken`.
    """
    broken: list[InputError] = []
    source, parser = str(path), JsonParser(str(path))
    columns: dict[str, list[Any]] = {}
    rows: list[int] = []
    for number, record in objects_in_lines(path, encoding, parser, broken if set_aside else None):
        for name, value in record.items():
            if name not in columns:
                columns[name] = [None] * len(rows)
            columns[name].append(value)
        rows.append(number)
        for values in columns.values():
            if len(values) < len(rows):
                values.append(None)
    data = pa.table({name: column_of(name, values, source, 1, rows) for name, values in columns.items()})
    numbers = None if not rows or rows[-1] == len(rows) else np.array(rows, np.int64)
    return Read(data, 1, numbers, warnings=parser.warnings, broken=broken)


def read_records(path: Path, encoding: str | None = None, *, set_aside: bool = False) -> Read:
    """A list of objects in a JSON file as a table. Errors: `InputError`, for another content too. set_aside : as in `read_lines`."""
    broken: list[InputError] = []
    value, rows, warnings = read_json(path, encoding, broken if set_aside else None)
    if not isinstance(value, list) or not all(isinstance(one, dict) for one in value):
        kind = "an object" if isinstance(value, dict) else "something else"
        raise InputError(f"the file holds {kind}", source=str(path), allowed="a list of objects, one for each row")
    data = records_as_columns(value, str(path), 1, rows)
    return Read(data, 1, None if rows is None else np.array(rows, np.int64), warnings=warnings, broken=broken)


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
