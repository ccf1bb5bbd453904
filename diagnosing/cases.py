"""Cases to ask about, as they are kept: a table, JSON, a folder of notes, Python objects."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from ..errors import InputError, ReadingWarning, warn
from ..evaluation.read.findings import first_few
from ..evaluation.read.formats.registry import recognised
from ..evaluation.read.lists import cell_text
from ..files.invisible import read_visible
from ..files.json_records import read_json
from ..files.reading import Reading
from ..files.table import Problems, records_as_columns
from ..files.tables import Table, check_output, read_table, sound_rows
from ..files.text_files import utf8_of
from .case_columns import CASE_ID, TEXT, carried, columns_of
from .case_text import TEXT_OR_CHAT, is_chat, text_of
from .published import of_clinbench, of_ddxplus

NOTES = (".txt", ".md")
_PUBLISHED = {"clinbench-hpb": of_clinbench, "ddxplus": of_ddxplus}


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
          each case is called FILE/ID, as `evaluate` calls its right answers; or the patients of DDXPlus;
    reading : which columns hold what, `{"case_id": "patient", "text": "admission note"}`; `"text"` may be several. Into `rejects` go rows
        that cannot be right, and lines of JSON that are no object; without it the first of them is an `InputError`.

    Raises
    ------
    InputError
        For a case without a text or of more than 400,000 characters, a name that stands twice, a column that is not there or of which several may be meant.
    """
    rejects = reading.rejects
    if rejects is not None:
        check_output(rejects)
    table, told = _table(source, reading)
    table = read_visible(table)
    case_id, text = columns_of(table, {**told, **(reading.columns or {})})
    ids, texts, problems = _read(table, case_id, text)
    sound = sound_rows(table, problems, rejects)
    kept = np.flatnonzero(sound).tolist()
    more, notes = carried(table.filter(sound).data, [case_id, *text])
    if case_id is None:
        notes.append(
            f"No column names the cases, so they are numbered from 1; the option 'columns' names one ({CASE_ID})."
        )
    return Cases(table, [ids[i] for i in kept], [texts[i] for i in kept], more, tuple(notes))


def _table(source: Any, reading: Reading) -> tuple[Table, Mapping[str, Any]]:
    """A row for each case, and which columns hold what, where its format tells."""
    held, place, first = source, "cases", 0
    if isinstance(source, str | os.PathLike):
        held, place, first, path = None, str(source), 1, Path(source)
        files = sorted(path.iterdir()) if path.is_dir() else [path]
        files = [file for file in files if file.name[:1] not in (".", "~")]
        if notes := [file for file in files if file.suffix.lower() in NOTES]:
            if others := [file.name for file in files if file not in notes]:
                warn(f"Not read, since they are no notes: {first_few(others, 4)}.", ReadingWarning)
            texts = [utf8_of(file, reading.encoding).decode() for file in notes]
            data = pa.table({CASE_ID: [file.stem for file in notes], TEXT: texts})
            return Table(data, place, 1, sources=[*map(str, notes)]), {}
        if (name := recognised(path)) in _PUBLISHED:
            return _PUBLISHED[name](path)
        if path.is_dir():
            allowed = f"notes that end in {' or '.join(NOTES)}, one for each case"
            raise InputError("the folder holds no note", source=place, allowed=allowed)
        if path.suffix.lower() == ".json":
            held = read_json(path, reading.encoding, []).value
    cases = held if isinstance(held, Mapping) else {}
    if cases and all(isinstance(one, str | Mapping) or is_chat(one) for one in cases.values()):
        rows = [
            {CASE_ID: str(case), **(one if isinstance(one, Mapping) else {TEXT: one})} for case, one in cases.items()
        ]
        return Table(records_as_columns(rows, place, range(first, first + len(rows))), place, first), {}
    return read_table(source, reading.encoding, set_aside=reading.rejects is not None), {}


def _read(table: Table, case_id: str | None, text: Sequence[str]) -> tuple[list[str], list[str], Problems]:
    """The name and the text of each row, and what is wrong with rows; of two faults of one row the first."""
    problems, texts, first = Problems(), list[str](), dict[str, int]()
    ids = [*map(str, range(1, len(table) + 1))] if case_id is None else [*map(cell_text, table.column(case_id))]
    for row, (name, *cells) in enumerate(zip(ids, *map(table.column, text), strict=True)):
        before = first.setdefault(name, row)
        if case_id is not None and (before != row or not name):
            where = f"a second case of this name (the first is in row {table.row_number(before)})"
            problem = where if name else "the case has no name"
            problems[row] = table.error(problem, row, case_id, allowed="a name for each case, each once", got=name)
        try:
            texts.append(text_of(dict(zip(text, cells, strict=True))))
        except ValueError as error:
            texts.append("")
            problems.setdefault(row, table.error(str(error), row, text[0], allowed=TEXT_OR_CHAT))
    return ids, texts, problems
