"""Multiple-choice questions out of tables and JSON: ClinBench-HPB's files, and ordinary ones."""

from __future__ import annotations

import json
import os
import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from string import ascii_uppercase
from typing import Any

from ...errors import InputError
from ...files.invisible import read_visible
from ...files.table_files import READ_SUFFIXES
from ...files.tables import Table
from ...votes.prompts.letters import letters_of

ID = ("question_id", "id")
_RIGHT = ("answer", "right")
_OPTIONS, _QUESTION, _CONTEXT, _SUBSET = "options", "question", "disease_info", "subset"
_MARK = r"\s*[.)、:]\s*"


@dataclass(frozen=True)
class ChoiceQuestion:
    """One question. right : the places of the right options, from 0, in order. subset : "" where there are none."""

    name: str
    text: str
    options: tuple[str, ...]
    right: tuple[int, ...]
    subset: str


def read_questions(source: Any, subset: str = _SUBSET) -> list[ChoiceQuestion]:
    """Reads a table or file, or the files of a folder, each then a subset by its name.

    A row has `question`, `answer` (letters, "A" or "ABC") and `options`: a list, an object {"A": …}, one text "A. … B. …" as
    ClinBench-HPB publishes it, or columns A, B, C …; `question_id` (else its number in the table, from 1); and a column of subsets, if there are any.

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
        for one in _of_table(read_visible(table), subset, stem):
            if found.setdefault(one.name, one) is not one:
                raise InputError("two questions of one name", source=str(table), allowed="each name once", got=one.name)
    return list(found.values())


def first_of(table: Table, names: Sequence[str], purpose: str) -> str:
    """Finds the first of these columns that a table has. Errors: `InputError` where it has none."""
    name = next((name for name in names if name in table.names), names[0])
    table.require(name, purpose)
    return name


def _of_table(table: Table, subset: str, stem: str) -> Iterator[ChoiceQuestion]:
    right = first_of(table, _RIGHT, "the letters of the right options")
    lettered = [letter for letter in ascii_uppercase if letter in table.names]
    for name, wanted in ((_QUESTION, True), (_OPTIONS, not lettered), (subset, subset != _SUBSET)):
        if wanted:
            table.require(name, "of the questions")
    named = next((name for name in ID if name in table.names), None)
    for row, of in enumerate(table.data.to_pylist()):
        if not str(of[_QUESTION] or "").strip():
            raise table.error("the question is blank", row, _QUESTION)
        given = {letter: of[letter] for letter in lettered} if lettered else of[_OPTIONS]
        options = options_of(given)
        if len(options) < 2:
            allowed = 'a list, {"A": …, "B": …}, "A. … B. …", or columns A, B, …'
            raise table.error("fewer than two options", row, (lettered or [_OPTIONS])[0], allowed=allowed, got=given)
        letters = "".join(map(str, of[right])) if isinstance(of[right], list) else str(of[right] or "")
        places = letters_of(letters, len(options), options)
        if places is None:
            allowed = f"letters from A to {ascii_uppercase[len(options) - 1]}"
            raise table.error("no right answer among the options", row, right, allowed=allowed, got=of[right])
        name = str(row + 1 if named is None or of[named] is None else of[named])
        yield ChoiceQuestion(
            f"{stem}/{name}" if stem and not named else name,
            "\n".join(str(part) for part in (of.get(_CONTEXT), of[_QUESTION]) if part).strip(),
            tuple(options),
            places,
            stem if of.get(subset) is None else str(of[subset]),
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
