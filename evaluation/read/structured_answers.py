"""JSON, tags and tables in an answer, written as the headings and numbered lines that mean the same."""

from __future__ import annotations

import ast
import csv
import html
import json
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from itertools import groupby
from typing import Any

from .answer_words import ASIDE, DENIES, LEAD, Unread, kind_of, plain

_LIKELIHOOD = re.compile(r"(?i)probab|likelihood|confidence|chance|%")
_SHARE = re.compile(r"[~<>≈]?\s*(\d{1,3}(?:\.\d+)?)\s*%?")
_IN_WORDS = {"low": "1", "medium": "2", "moderate": "2", "high": "3"}
_NUMBERED = re.compile(r"(?i)(?:rank|top|differential|diagnos[ei]s|answer|d?dx|[\W_])*0*([1-9]\d?)")
_RANK = re.compile(r"(?i)rank|#|no\.?|")  # at the head of a column
_IN_BRACKETS = re.compile(r"\[(/?[A-Z_]{3,20})\]")
_BOXED = re.compile(r"\$?\\boxed\{\s*(?:\\text(?:bf)?\{)?([^{}]+)\}?\s*\}\$?\.?")
_TAG = re.compile(r"(?is)<([a-z]\w{0,40})(?:\s[^<>]{0,80})?>((?:(?!<\1\b).)*?)</\1>")
_MOST_OF_A_HEAD = 3  # words; with more it is a sentence with a comma


def listed(text: str) -> list[Any] | None:
    """Reads a list in JSON, or in Python's form as pandas writes it into a cell; None for anything else."""
    value = _value(text) if text.startswith("[") and text.endswith("]") else None
    return value if isinstance(value, list) else None


def _value(text: str) -> Any:
    for read in (json.loads, lambda python: json.loads(json.dumps(ast.literal_eval(python)))):
        with suppress(ValueError, SyntaxError, RecursionError, MemoryError, TypeError):
            return read(text)
    return None


def without_json(text: str) -> str:
    """Writes the one value of JSON in a text as lines. Errors: `Unread` for one that is no ranking, or that is not whole."""
    start = min((at for at in (text.find("{"), text.find("[")) if at >= 0), default=-1)
    end = max(text.rfind("}"), text.rfind("]")) + 1
    value = _value(text[start:end]) if 0 <= start < end else None
    if isinstance(value, dict) or (isinstance(value, list) and all(isinstance(v, str | dict | None) for v in value)):
        return "\n".join([text[:start], *_lines_of(value, "Diagnoses"), "", text[end:]])
    if "{" in text:
        raise Unread
    return text


def _lines_of(value: Any, label: str) -> list[str]:
    """A value as a heading with a name or a numbered list below."""
    if not isinstance(value, list | dict) or kind_of(label) == ASIDE:
        return [f"## {label}", " ".join(str(value or "").split())]
    if isinstance(value, dict):
        numbers = {key: found[1] for key in value if (found := _NUMBERED.fullmatch(key))}
        if not numbers or {kind_of(key) for key in value if key not in numbers} - {ASIDE}:
            return [line for key, one in value.items() for line in _lines_of(one, key)]
        value = [
            {"rank": at, **(one if isinstance(one := value[key], dict) else {"name": one})}
            for key, at in numbers.items()
        ]
    rows = [one if isinstance(one, dict) else {"name": one} for one in value if one]
    return [f"## {label}", *(_entry(at, row) for at, row in enumerate(rows, 1))]


def _entry(at: int, row: Mapping[str, Any]) -> str:
    """The line of a list, with its rank and share where they are told. Errors: `Unread` where it has not just one name."""
    rank = _NUMBERED.fullmatch(str(row.get("rank", at)).strip(" #."))
    told = [str(value).strip().casefold() for key, value in row.items() if _LIKELIHOOD.search(key)]
    share = next((found[1] if (found := _SHARE.fullmatch(one)) else _IN_WORDS.get(one) for one in told), None)
    names = [(kind_of(key), value) for key, value in row.items() if kind_of(key) != ASIDE]
    if rank is None or len(names) != 1 or names[0][0] != LEAD or not isinstance(names[0][1], str):
        raise Unread
    return f"{rank[1]}. {' '.join(names[0][1].split())}{f' ({share}%)' if share else ''}" if names[0][1] else ""


def without_tags(text: str) -> str:
    """Writes what stands in tags, also "[ANSWER]" and "\\boxed{…}", as lines: like or numbered ones as a list, a single one as a heading and what is below it."""
    text = _BOXED.sub(r"\n<answer>\1</answer>\n", _IN_BRACKETS.sub(r"<\1>", text))
    tags = [tag.casefold() for tag in re.findall(r"<(\w+)", text)]

    def line_of(found: re.Match[str]) -> str:
        tag, inside = found[1].casefold(), html.unescape(_TAG.sub(line_of, found[2])).strip()
        kind, number = kind_of(tag.strip("0123456789")), _NUMBERED.fullmatch(tag)
        if kind == ASIDE:
            return "\n"
        if number or (tags.count(tag) > 1 and not found[2].strip().startswith("<")):
            return f"\n{f'{number[1]}.' if number else '*'} {' '.join(inside.split())}\n"
        label = "diagnoses" if kind == LEAD and "\n" in inside else tag
        return f"\n{inside}\n" if kind is None else f"\n\n## {label}\n{inside}\n"

    return _TAG.sub(line_of, text)


def without_table(text: str) -> str:
    """Writes a table as a list numbered by its ranks. Errors: `Unread` where no head names its one column of diagnoses.

    A table between bars may have text around it; one of CSV is all of the answer, and has a head.
    """
    lines = text.splitlines()
    runs = [[*run] for barred, run in groupby(enumerate(lines), lambda one: "|" in one[1].strip("| ")) if barred]
    tables = [(run[0][0], run[-1][0] + 1, "|") for run in runs if len(run) > 1]
    marks = [mark for mark in "\t;," if len(lines) > 1 and not tables and _column(lines[0].split(mark)) is not None]
    for first, last, mark in [*reversed(tables), *[(0, len(lines), mark) for mark in marks[:1]]]:
        written = [line.strip().strip("|") for line in lines[first:last] if line.strip("\t |:+-")]
        quoting = csv.QUOTE_NONE if mark == "|" else csv.QUOTE_MINIMAL
        head, *rows = [
            [plain(cell) for cell in row]
            for row in csv.reader(written, delimiter=mark, skipinitialspace=True, quoting=quoting)
        ]
        at = _column(head)
        if at is None or any(len(row) != len(head) or any(map(DENIES.match, row)) for row in rows):
            raise Unread
        keys = [
            "diagnosis" if cell == at else "rank" if _RANK.fullmatch(name) else name for cell, name in enumerate(head)
        ]
        told = [{key: one for key, one in zip(keys, row, strict=True) if kind_of(key) in (LEAD, ASIDE)} for row in rows]
        lines = [*lines[:first], "", *_lines_of(told, "Diagnoses"), "", *lines[last:]]
    return "\n".join(lines)


def _column(head: Sequence[str]) -> int | None:
    """Which column of a table names the diagnoses."""
    found = [at for at, cell in enumerate(head) if kind_of(cell) not in (None, ASIDE)]
    is_head = len(head) > 1 and all(len(cell.split()) <= _MOST_OF_A_HEAD for cell in head)
    return found[0] if len(found) == 1 and is_head else None
