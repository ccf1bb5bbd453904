"""Multiple-choice questions out of tables and JSON: ClinBench-HPB's files, and ordinary ones."""

from __future__ import annotations

import json
import os
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from string import ascii_uppercase
from typing import Any

from ...errors import InputError
from ...files.invisible import read_visible
from ...files.tables import Table
from ...votes.prompts.letters import letters_of

_ID = ("question_id", "id", "qid")
_RIGHT = ("answer", "right", "correct", "gold", "label", "answers")
_OPTIONS, _QUESTION, _CONTEXT, _SUBSET = "options", "question", "disease_info", "subset"
_SUFFIXES = {".json", ".jsonl", ".csv", ".tsv", ".parquet", ".xlsx"}


@dataclass(frozen=True)
class ChoiceQuestion:
    """One question. right : the places of the right options, from 0, in order. subset : "" where there are none."""

    name: str
    text: str
    options: tuple[str, ...]
    right: tuple[int, ...]
    subset: str


def read_questions(source: Any, subset: str = _SUBSET) -> list[ChoiceQuestion]:
    """The questions of a table or file, or of the files of a folder, each then a subset by its name.

    A row has `question`, `answer` (letters, "A" or "ABC") and `options`: a list, an object {"A": …}, one text "A. … B. …" as
    ClinBench-HPB publishes it, or columns A, B, C …; `question_id` (else its number in the table, from 1); and a column of subsets, if there are any.

    Raises
    ------
    InputError
        A column that is missing, fewer than two options, no right answer among them, two questions of one name.
    """
    if isinstance(source, str | os.PathLike) and Path(source).is_dir():
        files = sorted(file for file in Path(source).iterdir() if file.suffix.lower() in _SUFFIXES)
        if not files:
            raise InputError("no file of questions", source=os.fspath(source), allowed=", ".join(sorted(_SUFFIXES)))
        found = [one for file in files for one in _of_table(read_visible(file), subset, file.stem)]
    else:
        found = _of_table(read_visible(source), subset, "")
    names: set[str] = set()
    for one in found:
        if one.name in names:
            raise InputError("two questions of one name", source=str(source), allowed="each name once", got=one.name)
        names.add(one.name)
    return found


def _of_table(table: Table, subset: str, stem: str) -> list[ChoiceQuestion]:
    table.require(_QUESTION, "a question")
    right = first_of(table, _RIGHT) or _RIGHT[0]
    table.require(right, "the letters of the right options")
    lettered = [letter for letter in ascii_uppercase if letter in table.names]
    if not lettered:
        table.require(_OPTIONS, "the options")
    if subset != _SUBSET:
        table.require(subset, "the subset of a question")
    columns = {name: table.column(name) for name in table.names}
    texts, rights, name = table.column(_QUESTION), table.column(right), first_of(table, _ID)
    out = []
    for row, (text, letters) in enumerate(zip(texts, rights, strict=True)):
        if text is None or not str(text).strip():
            raise table.error("the question is blank", row, _QUESTION)
        given = {letter: columns[letter][row] for letter in lettered} if lettered else columns[_OPTIONS][row]
        options = options_of(given)
        if len(options) < 2:
            got = {letter: one for letter, one in given.items() if one is not None} if lettered else given
            raise table.error(
                "fewer than two options", row, lettered[0] if lettered else _OPTIONS,
                allowed='a list, {"A": …, "B": …}, "A. … B. …", or columns A, B, …', got=got,
            )  # fmt: skip
        said = "" if letters is None else "".join(map(str, letters)) if isinstance(letters, list) else str(letters)
        places = letters_of(said, len(options), options)
        if places is None:
            allowed = f"letters from A to {ascii_uppercase[len(options) - 1]}"
            raise table.error("no right answer among the options", row, right, allowed=allowed, got=letters)
        named = str(columns[name][row]) if name and columns[name][row] is not None else str(row + 1)
        before = f"{columns[_CONTEXT][row]}\n" if columns.get(_CONTEXT, {}) and columns[_CONTEXT][row] else ""
        of = columns[subset][row] if subset in columns else None
        out.append(
            ChoiceQuestion(
                f"{stem}/{named}" if stem and not name else named,
                f"{before}{text}".strip(),
                tuple(options),
                places,
                stem if of is None else str(of),
            )
        )
    return out


def first_of(table: Table, names: Sequence[str]) -> str | None:
    return next((name for name in names if name in table.names), None)


def options_of(given: Any) -> list[str]:
    """The texts of the options in their order; of an object those that are not blank. [] where none can be read."""
    if isinstance(given, str) and given.lstrip()[:1] in ("[", "{"):
        try:
            given = json.loads(given)
        except ValueError:
            return []
    if isinstance(given, dict):
        kept = {key: value for key, value in given.items() if value is not None and str(value).strip()}
        letters = [key.strip().upper().strip(".)") for key in kept]
        in_order = letters == list(ascii_uppercase[: len(letters)])
        return [str(value).strip() for value in kept.values()] if in_order else []
    if isinstance(given, list):
        texts = [str(one).strip() for one in given if one is not None]
        lettered = [
            re.match(rf"{letter}\s*[.)、:]\s*", text) for letter, text in zip(ascii_uppercase, texts, strict=False)
        ]
        return [
            text[mark.end() :] if all(lettered) and mark else text for text, mark in zip(texts, lettered, strict=True)
        ]
    return _in_text(given) if isinstance(given, str) else []


def _in_text(text: str) -> list[str]:
    """Of "A. … B. …": the next letter each time, at the head of a line, else after a blank, else anywhere."""
    text = unicodedata.normalize("NFKC", text)
    marks: list[tuple[int, int]] = []
    for letter in ascii_uppercase:
        start = marks[-1][1] if marks else 0
        sign = rf"{letter}\s*[.)、:]"
        forms = (rf"^\s*{sign}", rf"(?<=\s){sign}", rf"(?<![A-Z]){sign}") if marks else (rf"^\s*{sign}",)
        found = next((m for form in forms if (m := re.compile(form, re.MULTILINE).search(text, start))), None)
        if found is None:
            break
        marks.append(found.span())
    if not marks:
        return []
    ends = [start for start, _ in marks[1:]] + [len(text)]
    options = [text[end:stop].strip() for (_, end), stop in zip(marks, ends, strict=True)]
    return options if all(options) else []
