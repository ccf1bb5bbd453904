"""Multiple-choice questions out of tables and JSON: ClinBench-HPB's files, and ordinary ones."""

from __future__ import annotations

import json
import os
import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from string import ascii_uppercase
from typing import Any

from ...errors import InputError
from ...files.invisible import read_visible
from ...files.reading import Reading
from ...files.table_files import READ_SUFFIXES
from ...files.tables import Table
from ...pages.rows import Row
from ...votes.prompts.letters import letters_of

COLUMNS = {
    "question_id": "id", "question": "question", "options": "options", "answer": "right", "disease_info": "disease_info", "subset": "subset",
}  # fmt: skip
"""What is read of a question -> another name of its column."""
_MARK = r"\s*[.)、:]\s*"


@dataclass(frozen=True)
class ChoiceQuestion:
    """One question. right : the places of the right options, from 0, in order. subset : "" where there are none."""

    name: str
    text: str
    options: tuple[str, ...]
    right: tuple[int, ...]
    subset: str


def read_questions(source: Any, reading: Reading) -> list[ChoiceQuestion]:
    """Reads a table or file, or the files of a folder, each then a subset by its name.

    A row has `question`, `answer` (letters, "A" or "ABC") and `options`: a list, an object {"A": …}, one text "A. … B. …" as
    ClinBench-HPB publishes it, or columns A, B, C …; `question_id` (else its number in the table, from 1); and `subset`, if there are any.

    Raises
    ------
    InputError
        A column that is missing, fewer than two options, no right answer among them, two questions of one name.
    """
    tables = [("", source)]
    if isinstance(source, str | os.PathLike) and Path(source).is_dir():
        tables = [(file.stem, file) for file in sorted(Path(source).iterdir()) if file.suffix.lower() in READ_SUFFIXES]
        if not tables:
            raise InputError("no file of questions", source=os.fspath(source), allowed=", ".join(READ_SUFFIXES))
    found: dict[str, ChoiceQuestion] = {}
    for stem, table in tables:
        for one in _of_table(table, reading, stem):
            if found.setdefault(one.name, one) is not one:
                raise InputError("two questions of one name", source=str(table), allowed="each name once", got=one.name)
    return list(found.values())


def read_rows(
    source: Any, reading: Reading, columns: Mapping[str, str], needed: Sequence[str]
) -> tuple[Table, dict[str, Any], list[Row]]:
    """Reads a table, what its columns are called, and its rows, which have each cell also under what it is.

    columns : what is read -> another name of its column; `reading.columns` goes before both.
    """
    table, given = read_visible(source, reading.encoding), reading.columns or {}
    called = {
        what: other if what not in table.names and other in table.names else what for what, other in columns.items()
    }
    called |= {what: str(name) for what, name in given.items() if what in columns}
    for what in (*needed, *(called.keys() & given.keys())):
        table.require(called[what], what)
    rows = table.data.to_pylist()
    return table, called, [row | {what: row[name] for what, name in called.items() if name in row} for row in rows]


def _of_table(source: Any, reading: Reading, stem: str) -> Iterator[ChoiceQuestion]:
    table, called, rows = read_rows(source, reading, COLUMNS, ("question", "answer"))
    lettered = [letter for letter in ascii_uppercase if letter in table.names]
    if not lettered:
        table.require(called["options"], "options")
    for row, of in enumerate(rows):
        if not str(of["question"] or "").strip():
            raise table.error("the question is blank", row, called["question"])
        given = {letter: of[letter] for letter in lettered} if lettered else of["options"]
        options = options_of(given)
        if len(options) < 2:
            allowed = 'a list, {"A": …, "B": …}, "A. … B. …", or columns A, B, …'
            raise table.error(
                "fewer than two options", row, (lettered or [called["options"]])[0], allowed=allowed, got=given
            )
        letters = "".join(map(str, of["answer"])) if isinstance(of["answer"], list) else str(of["answer"] or "")
        places = letters_of(letters, len(options), options)
        if places is None:
            allowed = f"letters from A to {ascii_uppercase[len(options) - 1]}"
            raise table.error(
                "no right answer among the options", row, called["answer"], allowed=allowed, got=of["answer"]
            )
        name, subset = of.get("question_id"), of.get("subset")
        yield ChoiceQuestion(
            str(name) if name is not None else f"{stem}/{row + 1}" if stem else str(row + 1),
            "\n".join(str(part) for part in (of.get("disease_info"), of["question"]) if part).strip(),
            tuple(options),
            places,
            stem if subset is None else str(subset),
        )


def options_of(given: Any) -> list[str]:
    """Reads the texts of the options in their order; of an object those that are not blank. [] where none can be read."""
    if isinstance(given, str) and given.lstrip()[:1] in ("[", "{"):  # of a column with several kinds of options
        try:
            given = json.loads(given)
        except ValueError:
            return []
    if isinstance(given, dict):
        kept = {key: str(value).strip() for key, value in given.items() if value is not None and str(value).strip()}
        return list(kept.values()) if list(kept) == list(ascii_uppercase[: len(kept)]) else []
    if isinstance(given, list):
        return [str(one).strip() for one in given if one is not None]
    return _in_text(given) if isinstance(given, str) else []


def _in_text(text: str) -> list[str]:
    """Of "A. … B. …": the next letter each time, at the head of a line, else after a blank, else anywhere."""
    text = unicodedata.normalize("NFKC", text)
    marks: list[tuple[int, int]] = []
    for letter in ascii_uppercase:
        sign, start = letter + _MARK, marks[-1][1] if marks else 0
        forms = (rf"^\s*{sign}", rf"(?<=\s){sign}", rf"(?<![A-Z]){sign}") if marks else (rf"^\s*{sign}",)
        found = next((m for form in forms if (m := re.compile(form, re.MULTILINE).search(text, start))), None)
        if found is None:
            break
        marks.append(found.span())
    ends = [*(start for start, _ in marks[1:]), len(text)]
    options = [text[end:stop].strip() for (_, end), stop in zip(marks, ends, strict=False)]
    return options if all(options) else []
