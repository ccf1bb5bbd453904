"""JSON, tags and tables in an answer, written as the headings and numbered lines that mean the same."""

from __future__ import annotations

import ast
import csv
import html
import json
import re
from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any

from .answer_words import ASIDE, DENIES, LEAD, LIST, OTHERS, Unread, kind_of, plain

_LIKELIHOOD = re.compile(r"(?i)probab|likelihood|confidence|chance|%")
_NUMBERED = re.compile(r"(?i)(?:rank|top|differential|diagnos[ei]s|answer|d?dx|[\W_])*0*([1-9]\d?)")
_IN_BRACKETS = re.compile(r"\[(/?[A-Z_]{3,20})\]")
_BOXED = re.compile(r"\$?\\boxed\{\s*(?:\\text(?:bf)?\{)?([^{}]+)\}?\s*\}\$?\.?")
_TAG = re.compile(r"(?is)<([a-z]\w{0,40})(?:\s[^<>]{0,80})?>((?:(?!<\1\b).)*?)</\1>")
_RANK = re.compile(r"(?i)rank|#|no\.?|number|position")
_MOST_OF_A_HEAD = 3  # words; with more it is a sentence with a comma
_RULE = re.compile(r"[\s|:+-]*")
_IN_WORDS = {"low": 1.0, "medium": 2.0, "moderate": 2.0, "high": 3.0}
_SHARE = re.compile(r"[~<>≈]?\s*(\d{1,3}(?:\.\d+)?)\s*%?(?:\s*[-–]\s*\d{1,3}\s*%)?")


def listed(text: str) -> list[Any] | None:
    """Reads a list in JSON, or in Python's form as pandas writes it into a cell; None for anything else."""
    value = _value(text) if text.startswith("[") and text.endswith("]") else None
    return value if isinstance(value, list) else None


def _value(text: str) -> Any:
    for read in (json.loads, lambda python: json.loads(json.dumps(ast.literal_eval(python)))):
        try:
            return read(text)
        except (ValueError, SyntaxError, RecursionError, MemoryError, TypeError):
            continue
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
            if (name := _name_in(value)) is not None:
                return [f"## {label if kind_of(label) == LEAD else 'Diagnosis'}", name]
            return [line for key, one in value.items() for line in _lines_of(one, key)]
        value = [{"rank": at, **_object(value[key])} for key, at in numbers.items()]
    return [f"## {label}", *_numbered([_object(one) for one in value if one is not None])]


def _object(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {"diagnosis": value}


def _name_in(value: Mapping[str, Any]) -> str | None:
    """The name in an object that is one diagnosis, with remarks and a rank perhaps."""
    kinds = {key: kind_of(key) for key in value}
    names = [value[key] for key, kind in kinds.items() if kind == LEAD]
    return names[0] if len(names) == 1 and {*kinds.values()} <= {LEAD, ASIDE} and isinstance(names[0], str) else None


def _numbered(rows: Sequence[Any]) -> list[str]:
    """The lines of a list, numbered by the ranks that are told, or else by likelihoods. Errors: `Unread` where these have another order, or one has no name."""
    names = [_name_in(row) for row in rows]
    if None in names:
        raise Unread
    said = [{key.casefold(): str(said).strip(" #.").casefold() for key, said in row.items()} for row in rows]
    ranks = [row["rank"] for row in said if "rank" in row]
    shares = [next((_share_of(value) for key, value in row.items() if _LIKELIHOOD.search(key)), None) for row in said]
    known = [share for share in shares if share is not None]
    if len(ranks) not in (0, len(rows)) or not all(map(_NUMBERED.fullmatch, ranks)):
        raise Unread
    if known != sorted(known, reverse=True):
        if ranks or len(known) < len(rows):
            raise Unread
        names = [names[i] for i in sorted(range(len(rows)), key=lambda i: -known[i])]
    order = ranks or range(1, len(names) + 1)
    return [f"{rank}. {' '.join(str(name).split())}" for rank, name in zip(order, names, strict=True) if name]


def _share_of(said: str) -> float | None:
    """A likelihood: 0.65, "65%", "~60-70 %"; or a word for one."""
    found = _SHARE.fullmatch(said)
    return float(found[1]) if found else _IN_WORDS.get(said)


def without_tags(text: str) -> str:
    """Writes what stands in tags, also "[ANSWER]" and "\\boxed{…}", as lines: like or numbered ones as a list, a single one as a heading and what is below it."""
    text = _BOXED.sub(r"\n<answer>\1</answer>\n", _IN_BRACKETS.sub(r"<\1>", text))
    tags = [tag.casefold() for tag in re.findall(r"<(\w+)", text)]

    def line_of(found: re.Match[str]) -> str:
        tag, inside = found[1].casefold(), _TAG.sub(line_of, found[2]).strip()
        kind, number = kind_of(tag.strip("0123456789")), _NUMBERED.fullmatch(tag)
        if kind == ASIDE or (kind is None and (found[2].strip().startswith("<") or found[0] == text.strip())):
            return "\n" if kind == ASIDE else f"\n{inside}\n"
        if number is None and tags.count(tag) == 1:
            label = "diagnoses" if tag == "answer" and "\n" in inside else tag
            return f"\n\n## {label}\n{html.unescape(inside)}\n"
        mark = f"{number[1]}." if number else "*"
        return f"\n{mark} {' '.join(html.unescape(inside).split())}\n"

    return _TAG.sub(line_of, text)


def without_table(text: str) -> str:
    """Writes a table as a list numbered by its ranks; one of findings or tests goes.

    A table between bars may have text around it; one of CSV is all of the answer, and has a head.
    """
    lines = text.splitlines()
    runs = [[*run] for barred, run in groupby(enumerate(lines), lambda one: "|" in one[1].strip("| ")) if barred]
    tables = [(run[0][0], run[-1][0] + 1, "|") for run in runs if len(run) > 1]
    if not tables and len(lines) > 1:
        marks = [mark for mark in "\t;," if _names_a_column(lines[0].split(mark))]
        tables = [(0, len(lines), mark) for mark in marks[:1]]
    for first, last, mark in reversed(tables):
        written = [line.strip().strip("|") for line in lines[first:last] if not _RULE.fullmatch(line)]
        quoting = csv.QUOTE_NONE if mark == "|" else csv.QUOTE_MINIMAL
        read = csv.reader(written, delimiter=mark, skipinitialspace=True, quoting=quoting)
        lines = [*lines[:first], "", *_of_table([[plain(cell) for cell in row] for row in read]), "", *lines[last:]]
    return "\n".join(lines)


def _of_table(rows: list[list[str]]) -> list[str]:
    """The lines of a list. Errors: `Unread` where no head names its one column of diagnoses."""
    head, *rows = rows
    kinds = [kind_of(cell) for cell in head]
    if kinds[0] == ASIDE and {*kinds} <= {ASIDE, None}:
        return []
    if len(rows) == 1 and {*kinds} <= {LEAD, OTHERS}:  # its columns are the ranks
        return _lines_of(rows[0], "Diagnoses")
    whole = all(len(row) == len(head) and not any(re.match(DENIES, cell) for cell in row) for row in rows)
    if not whole or not _names_a_column(head):
        raise Unread
    of = {at: "diagnosis" if kind != ASIDE else head[at] for at, kind in enumerate(kinds) if kind is not None}
    of |= {at: "rank" for at, cell in enumerate(head) if _RANK.fullmatch(cell)}
    return _lines_of([{key: row[at] for at, key in of.items()} for row in rows], "Diagnoses")


def _names_a_column(head: Sequence[str]) -> bool:
    kinds = [kind_of(cell) for cell in head]
    of_diagnoses = sum(kind in (LEAD, LIST, OTHERS) for kind in kinds)
    return len(head) > 1 and of_diagnoses == 1 and all(len(cell.split()) <= _MOST_OF_A_HEAD for cell in head)
