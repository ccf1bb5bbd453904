"""Cases to ask about, as they are kept: a table, JSON, a folder of notes, chats, Python objects."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from ..errors import InputError
from ..evaluation.read.lists import as_text
from ..files.counted import counted
from ..files.invisible import visible_names
from ..files.json_records import SUFFIXES as JSON_SUFFIXES
from ..files.json_records import read_json, records_as_columns
from ..files.reading import Reading
from ..files.tables import Table, check_output, read_table, stacked, tell
from .case_columns import CaseColumns, carried, columns_of
from .case_text import MAX_CASE, NotAText, case_text, is_chat, texts_together
from .notes import NOTES, read_note, read_notes
from .several_files import is_published, read_published

_WRAPPERS = ("cases", "data", "records", "items", "samples", "rows")


@dataclass(frozen=True)
class Cases:
    """Cases with their texts.

    ids : their names, each once. texts : what a model is shown, one for each case.
    more : the other columns, a row for each case, under the names that they have in the lists.
    read : the table that they were read from. notes : what a reader of the summary must know: which column was read, what is called otherwise, what was set aside.
    """

    read: Table
    ids: list[str]
    texts: list[str]
    more: pa.Table
    notes: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.ids)

    @cached_property
    def keys(self) -> list[str]:
        """What the store keeps in the place of each text: the SHA-256 of its UTF-8, in hexadecimal digits."""
        return [hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest() for text in self.texts]


def read_cases(source: Any, reading: Reading = Reading()) -> Cases:
    """Reads and checks cases.

    Parameters
    ----------
    source : cases, in whatever shape they are kept:

        - a file with a row or object for each case (.csv, .tsv, .jsonl, .json, .parquet, .xlsx), a frame, a list of dicts: a column
          with the name of the case (case_id, id, …; without one they are numbered from 1) and one with its text (text, note,
          vignette, chat, question, …). A chat is a list of messages with role and content. All other columns go into the lists;
        - {case: text}, in Python or in a .json file;
        - a folder of notes, one a case in a .txt or .md file, which is named as the case; or one such file;
        - a file or folder of ClinBench-HPB as it is published, with a column "subset": Hospital, Website, Journal; of several files
          each case is called FILE/ID, as `evaluate` calls its right answers;
        - a list of such files.
    reading : which columns hold what, `{"case_id": "patient", "text": "admission note"}`; `"text"` may be several. Into `rejects` go rows
        that cannot be right, and lines of JSON that are no object; without it the first of them is an `InputError`.

    Raises
    ------
    InputError
        For a case without a text or of more than 400,000 characters, a name that stands twice, a column that is not there.
    """
    columns, rejects = reading.columns, reading.rejects
    if rejects is not None:
        check_output(rejects)
    broken: list[InputError] | None = None if rejects is None else []
    read = _table(source, reading.encoding, "case_id" not in (columns or {}), broken)
    table = visible_names(read)
    tell(table.warnings[len(read.warnings) :])
    if broken:
        table = replace(table, broken=tuple(broken))
    chosen = columns_of(table, columns)
    ids, texts, problems = _read(table, chosen)
    sound = table.sound_rows(problems, rejects)
    kept = np.flatnonzero(sound).tolist()
    more, renamed = carried(table.filter(sound).data, chosen)
    notes = [*([table.note] if table.note else []), *chosen.notes, *renamed]
    if rejected := len(problems) + len(table.broken):
        notes.append(f"{counted(rejected, 'row')} set aside in {os.fspath(rejects or '')}.")
    texts = [texts[i] for i in kept]
    if again := len(texts) - len(set(texts)):
        notes.append(f"{counted(again, 'case')} with the text of another one: each text is asked about once.")
    return Cases(table, [ids[i] for i in kept], texts, more, tuple(notes))


def _table(source: Any, encoding: str | None, published: bool, broken: list[InputError] | None) -> Table:
    """A row for each case.

    published : whether files of ClinBench-HPB name their cases themselves. broken : where lines of JSON go that are no object.
    """
    if isinstance(source, list | tuple) and source and all(isinstance(one, str | os.PathLike) for one in source):
        paths = [Path(one) for one in source]
        if published and all(map(is_published, paths)):
            return read_published(paths, encoding)
        return stacked([_table(path, encoding, published, broken) for path in paths])
    if isinstance(source, str | os.PathLike):
        path = Path(source)
        if published and is_published(path):
            return read_published([path], encoding)
        if path.is_dir():
            return read_notes(path, encoding)
        if path.suffix.lower() in NOTES:
            return read_note(path, encoding)
        if path.suffix.lower() in JSON_SUFFIXES:
            value, rows = read_json(path, encoding, broken)
            if broken and not value:
                raise broken[0]
            return _of_objects(value, str(path), rows)
        return read_table(path, encoding)
    if isinstance(source, Mapping | list | tuple):
        return _of_objects(source, "cases", None)
    return read_table(source)


def _of_objects(value: Any, source: str, rows: list[int] | None) -> Table:
    if isinstance(value, Mapping) and len(value) == 1:
        ((name, inner),) = value.items()
        if str(name).casefold() in _WRAPPERS and isinstance(inner, list | tuple | Mapping):
            value = inner
    if isinstance(value, Mapping) and value:
        if all(isinstance(one, str) or is_chat(one) for one in value.values()):
            value = [{"case_id": str(case), "text": text} for case, text in value.items()]
        elif all(isinstance(one, Mapping) for one in value.values()):
            value = [{"case_id": str(case), **record} for case, record in value.items()]
        else:
            return read_table(value)
    if not (isinstance(value, list | tuple) and value and all(isinstance(one, Mapping) for one in value)):
        allowed = "an object for each case with its text, or {case: text}"
        raise InputError("no cases", source=source, allowed=allowed, got=type(value).__name__)
    numbers = None if rows is None else np.array(rows, np.int64)
    python = source == "cases"
    first_row = 0 if python else 1
    data = records_as_columns(value, source, first_row, rows)
    return Table(data, source, first_row, rows=numbers, in_memory=python)


def _read(table: Table, columns: CaseColumns) -> tuple[list[str], list[str], dict[int, InputError]]:
    """The name and the text of each row, and what is wrong with rows; of two faults of one row the first."""
    problems: dict[int, InputError] = {}
    if columns.case_id is None:
        ids = [str(i) for i in range(1, len(table) + 1)]
    else:
        ids = [as_text(value) for value in table.column(columns.case_id)]
        first: dict[str, int] = {}
        for row, name in enumerate(ids):
            if not name:
                problems[row] = table.error(
                    "the case has no name", row, columns.case_id, allowed="a name for each case"
                )
            elif (before := first.setdefault(name, row)) != row:
                where = f"the first is in row {table.row_number(before)}"
                problems[row] = table.error(
                    f"a second case of this name ({where})", row, columns.case_id, allowed="each case once", got=name
                )
    parts = [_texts(table, name, problems) for name in columns.text]
    if len(parts) == 1:
        texts = parts[0]
    else:
        texts = [texts_together(dict(zip(columns.text, row, strict=True))) for row in zip(*parts, strict=True)]
    # A note is never quoted in an error: errors end up in logs.
    said = columns.text[0]
    for row, text in enumerate(texts):
        if row not in problems and not text:
            problems[row] = table.error("the case has no text", row, said, allowed="a note, a vignette or a chat")
        elif row not in problems and len(text) > MAX_CASE:
            problem = f"a case of {len(text):,} characters"
            problems[row] = table.error(problem, row, said, allowed=f"at most {MAX_CASE:,} characters")
    return ids, texts, dict(sorted(problems.items()))


def _texts(table: Table, column: str, problems: dict[int, InputError]) -> list[str]:
    out = []
    for row, value in enumerate(table.column(column)):
        try:
            out.append(case_text(value))
        except NotAText as error:
            out.append("")
            problems.setdefault(row, table.error(str(error), row, column, allowed=error.allowed))
    return out
