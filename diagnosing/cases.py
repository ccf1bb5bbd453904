"""Cases to ask about, as they are kept: a table, JSON, a folder of notes, Python objects."""

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
from ..evaluation.read.formats import clinbench_hpb
from ..evaluation.read.formats.registry import recognised
from ..evaluation.read.lists import as_text
from ..files.invisible import read_visible
from ..files.json_records import read_json
from ..files.reading import Reading
from ..files.table import records_as_columns
from ..files.tables import Table, check_output, read_table, sound_rows
from ..files.text_files import utf8_of
from ..files.wording import counted
from .case_columns import CASE_ID, TEXT, CaseColumns, carried, columns_of
from .case_text import MAX_CASE, TEXT_OR_CHAT, case_text, is_chat, texts_together

NOTES = (".txt", ".md")


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
    table = read_visible(_table(source, reading))
    chosen = columns_of(table, reading.columns)
    ids, texts, problems = _read(table, chosen)
    sound = sound_rows(table, problems, rejects)
    kept = np.flatnonzero(sound).tolist()
    more, renamed = carried(table.filter(sound).data, chosen)
    notes = [*([table.note] if table.note else []), *renamed]
    if chosen.case_id is None:
        notes.append(
            f"No column names the cases, so they are numbered from 1; the option 'columns' names one ({CASE_ID})."
        )
    if rejected := len(problems) + len(table.broken):
        notes.append(f"{counted(rejected, 'row')} set aside in {os.fspath(rejects or '')}.")
    texts = [texts[i] for i in kept]
    if again := len(texts) - len(set(texts)):
        notes.append(f"{counted(again, 'case')} with the text of another one: each text is asked about once.")
    return Cases(table, [ids[i] for i in kept], texts, more, tuple(notes))


def _table(source: Any, reading: Reading) -> Table:
    """A row for each case."""
    if isinstance(source, str | os.PathLike):
        path = Path(source)
        if not _is_published(path):
            return _file(path, reading)
        if reading.columns:
            problem = "files of ClinBench-HPB say themselves which case is which"
            raise InputError(problem, source=str(path), allowed="such files without the option 'columns'")
        return _published(path, reading.encoding)
    if isinstance(source, Mapping) and all(isinstance(one, str | Mapping) or is_chat(one) for one in source.values()):
        return replace(_by_case(source, "cases"), first_row=0)
    return read_table(source)


def _file(path: Path, reading: Reading) -> Table:
    if path.is_dir() or path.suffix.lower() in NOTES:
        return _notes(path, reading.encoding)
    set_aside = reading.rejects is not None
    if path.suffix.lower() == ".json":
        held = read_json(path, reading.encoding, [] if set_aside else None).value
        if isinstance(held, Mapping):
            return _by_case(held, str(path))
    return read_table(path, reading.encoding, set_aside=set_aside)


def _by_case(value: Mapping[Any, Any], source: str) -> Table:
    """{case: text, chat or record}."""
    rows = [{CASE_ID: str(case), **(one if isinstance(one, Mapping) else {TEXT: one})} for case, one in value.items()]
    if not rows:
        raise InputError("no cases", source=source, allowed="an object for each case with its text, or {case: text}")
    return Table(records_as_columns(rows, source), source, 1)


def _notes(place: Path, encoding: str | None) -> Table:
    """A note, or each note of a folder, named as its case; files of other kinds are told in the table's note."""
    files = [place]
    if place.is_dir():
        files = sorted(path for path in place.iterdir() if path.is_file() and not path.name.startswith((".", "~")))
    notes = [path for path in files if path.suffix.lower() in NOTES]
    if not notes:
        allowed = f"notes that end in {' or '.join(NOTES)}, one for each case"
        raise InputError("the folder holds no note", source=str(place), allowed=allowed)
    others = [path.name for path in files if path not in notes]
    told = f"Not read, since they are no notes: {', '.join(others[:4])}{', …' if len(others) > 4 else ''}."
    texts = [utf8_of(path, encoding).decode() for path in notes]
    data = pa.table({CASE_ID: [path.stem for path in notes], TEXT: texts})
    return Table(data, str(place), 1, sources=list(map(str, notes)), note=told if others else "")


def _is_published(path: Path) -> bool:
    """Whether a file, or a folder without notes, holds the cases of ClinBench-HPB."""
    if path.is_dir() and any(file.suffix.lower() in NOTES for file in path.iterdir()):
        return False
    return path.suffix.lower() in ("", ".json") and recognised(path) == "clinbench-hpb"


def _published(path: Path, encoding: str | None) -> Table:
    """Cases of ClinBench-HPB under the names that `evaluate` gives them, each with its subset. Errors: `InputError` for a file that is no list of cases."""
    found = list(clinbench_hpb.cases(path, encoding))
    records = []
    for told, item in found:
        shown = [name for name in item if name == clinbench_hpb.INFO or clinbench_hpb.TESTS.fullmatch(name)]
        text = texts_together({name: case_text(item[name]) for name in shown})
        records.append({CASE_ID: told.case_id, TEXT: text, "reference": item[clinbench_hpb.RIGHT], **told.more})
    rows, sources = np.array([told.row for told, _ in found], np.int64), [str(told.source) for told, _ in found]
    return Table(records_as_columns(records), str(path), 1, rows=rows, sources=sources)


def _read(table: Table, columns: CaseColumns) -> tuple[list[str], list[str], dict[int, InputError]]:
    """The name and the text of each row, and what is wrong with rows; of two faults of one row the first."""
    problems: dict[int, InputError] = {}
    ids = [str(i) for i in range(1, len(table) + 1)]
    if columns.case_id is not None:
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
    texts = []
    for row, cells in enumerate(zip(*map(table.column, columns.text), strict=True)):
        # A note is never quoted in an error: errors end up in logs.
        problem = ""
        try:
            parts = dict(zip(columns.text, map(case_text, cells), strict=True))
            texts.append(texts_together(parts) if len(parts) > 1 else next(iter(parts.values())))
            if not texts[-1]:
                problem = "the case has no text"
            elif len(texts[-1]) > MAX_CASE:
                problem = f"a case of {len(texts[-1]):,} characters"
        except ValueError as error:
            texts.append("")
            problem = str(error)
        if problem:
            problems.setdefault(row, table.error(problem, row, columns.text[0], allowed=TEXT_OR_CHAT))
    return ids, texts, dict(sorted(problems.items()))
