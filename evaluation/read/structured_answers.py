"""JSON, tags and tables in an answer, written as the headings and numbered lines that mean the same."""

from __future__ import annotations

import ast
import csv
import html
import json
import re
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from .answer_labels import ASIDE, LEAD, LIST, OTHERS, kind_of, plain
from .entry_names import DENIES

_LIKELIHOOD = re.compile(r"probab|likelihood|confidence|chance|%", re.IGNORECASE)
_NUMBERED = re.compile(r"(?:rank|top|differential|diagnos[ei]s|answer|d?dx|[\W_])*0*([1-9]\d?)", re.IGNORECASE)
_TAG = re.compile(r"<([a-z]\w{0,40})(?:\s[^<>]{0,80})?>((?:(?!<\1\b).)*?)</\1>", re.IGNORECASE | re.DOTALL)
_RANK = re.compile(r"rank|#|no\.?|number|position", re.IGNORECASE)
_MOST_OF_A_HEAD = 3
"""Words; with more it is a sentence with a comma."""
_RULE = re.compile(r"[\s|:+-]*")
_IN_WORDS = {"low": -3.0, "medium": -2.0, "moderate": -2.0, "high": -1.0}
_SHARE = re.compile(r"[~<>≈]?\s*(\d{1,3}(?:\.\d+)?)\s*%?(?:\s*[-–]\s*\d{1,3}\s*%)?")


def listed(text: str) -> list[Any] | None:
    """Reads a list in JSON, or in Python's form as pandas writes it into a cell; None for anything else."""
    value = _value(text) if text.startswith("[") and text.endswith("]") else None
    return value if isinstance(value, list) else None


def _value(text: str) -> Any:
    """What JSON says; or Python, where a text comes first."""
    for read in (json.loads, _of_python) if re.match(r"[\[{]\s*(?:['\"]|None)", text) else (json.loads,):
        try:
            return read(text)
        except (ValueError, SyntaxError, RecursionError, MemoryError, TypeError):
            continue
    return None


def _of_python(text: str) -> Any:
    return json.loads(json.dumps(ast.literal_eval(text)))


def without_json(text: str) -> str | None:
    """Writes the one value of JSON in a text as lines; None for one that is no ranking, or that is not whole."""
    start = min((at for at in (text.find("{"), text.find("[")) if at >= 0), default=-1)
    end = max(text.rfind("}"), text.rfind("]")) + 1
    value = _value(text[start:end]) if 0 <= start < end else None
    if isinstance(value, dict) or (
        isinstance(value, list) and all(isinstance(one, str | dict | None) for one in value)
    ):
        lines = _lines_of(value, "Diagnoses")
        return None if lines is None else "\n".join([text[:start], *lines, "", text[end:]])
    return None if "{" in text else text


def _lines_of(value: Any, label: str) -> list[str] | None:
    """A value as a heading with a name or a numbered list below; None where it is neither."""
    if value is None or isinstance(value, str | int | float) or kind_of(label) == ASIDE:
        return [f"## {label}", " ".join(str(value or "").split())]
    if isinstance(value, list):
        return _list_of(value, label)
    numbered = {int(found[1]): one for key, one in value.items() if (found := _NUMBERED.fullmatch(key))}
    rest = [key for key in value if not _NUMBERED.fullmatch(key) and kind_of(key) != ASIDE]
    if not rest and [*numbered] == [*range(1, len(numbered) + 1)]:
        return _list_of([*numbered.values()], label)
    if (name := _name_in(value)) is not None:
        return [f"## {label if kind_of(label) == LEAD else 'Diagnosis'}", name]
    if len(value) > 1 and all(kind_of(key) is None and str(one).endswith("%") for key, one in value.items()):
        return _list_of([{"name": key, "probability": one} for key, one in value.items()], label)
    parts = [_lines_of(one, key) for key, one in value.items()]
    return None if None in parts else [line for part in parts for line in part or []]


def _list_of(values: Sequence[Any], label: str) -> list[str] | None:
    """Numbered by their ranks where they have such; else in the order of what is said of their likelihoods."""
    known = [one for one in values if one is not None]
    names = [one if isinstance(one, str) else _name_in(one) for one in known]
    objects = [{key.casefold(): said for key, said in one.items()} for one in known if isinstance(one, dict)]
    ranks = [one["rank"] for one in objects if "rank" in one]
    if None in names or not all(_NUMBERED.fullmatch(str(rank)) for rank in ranks) or len(ranks) not in (0, len(names)):
        return None
    lines = _numbered([" ".join(str(name).split()) for name in names], ranks, [_share_of(one) for one in objects])
    return None if lines is None else [f"## {label}", *lines]


def _numbered(names: Sequence[str], ranks: Sequence[Any], shares: Sequence[float | None]) -> list[str] | None:
    """Lines of a list; None where ranks and likelihoods, or only some of the latter, have another order."""
    known = [share for share in shares if share is not None]
    if any(later > earlier for earlier, later in pairwise(known)):
        if ranks or len(known) < len(names) or known[0] < 0:
            return None
        names = [names[i] for i in sorted(range(len(names)), key=lambda i: -known[i])]
    order = ranks or range(1, len(names) + 1)
    return [f"{rank}. {name}" for rank, name in zip(order, names, strict=True) if name]


def _share_of(said: Mapping[str, Any]) -> float | None:
    """The first likelihood in what is said of a diagnosis: 0.65, "65%", "~60-70 %"; below 0 for a word."""
    values = [value for key, value in said.items() if _LIKELIHOOD.search(key)]
    word = str(values[0]).strip().casefold() if values else ""
    found = _SHARE.fullmatch(word)
    return float(found[1]) if found else _IN_WORDS.get(word)


def _name_in(value: Any) -> str | None:
    """The name in an object that is one diagnosis, with remarks and a rank perhaps."""
    if not isinstance(value, Mapping):
        return None
    kinds = {key: kind_of(key) for key in value}
    names = [value[key] for key, kind in kinds.items() if kind == LEAD]
    known = all(kind in (LEAD, ASIDE) for kind in kinds.values())
    return names[0] if len(names) == 1 and known and isinstance(names[0], str) else None


def without_tags(text: str) -> str:
    """Writes what stands in tags as lines: like or numbered ones as a list, a single one as a heading and what is below it."""
    tags = [tag.casefold() for tag in re.findall(r"<(\w+)", text)]

    def line_of(found: re.Match[str]) -> str:
        tag, inside = found[1].casefold(), _TAG.sub(line_of, found[2]).strip()
        kind, number = kind_of(tag.strip("0123456789")), _NUMBERED.fullmatch(tag)
        if kind == ASIDE or (kind is None and found[2].strip().startswith("<")):
            return "\n" if kind == ASIDE else f"\n{inside}\n"
        if number is None and tags.count(tag) == 1:
            label = "diagnoses" if tag == "answer" and "\n" in inside else tag
            return f"\n\n## {label}\n{html.unescape(inside)}\n"
        mark = f"{number[1]}." if number else "*"
        return f"\n{mark} {' '.join(html.unescape(inside).split())}\n"

    return _TAG.sub(line_of, text)


def without_table(lines: list[str]) -> list[str] | None:
    """Writes the one table as a list numbered by its ranks; None where no head names its one column of diagnoses.

    A table between bars may have text around it; one of CSV is all of the answer, and has a head.
    """
    barred = [i for i, line in enumerate(lines) if "|" in line.strip("| ")]
    mark, first, last = "|", barred[0] if barred else 0, barred[-1] + 1 if barred else 0
    if len(barred) < 2:
        mark = next((mark for mark in "\t;," if len(lines) > 1 and _names_a_column(lines[0].split(mark))), "")
        first, last = 0, len(lines)
    if not mark:
        return lines
    written = [line.strip().strip("|") for line in lines[first:last] if not _RULE.fullmatch(line)]
    quoting = csv.QUOTE_NONE if mark == "|" else csv.QUOTE_MINIMAL
    head, *rows = ([plain(cell) for cell in row] for row in csv.reader(written, delimiter=mark, skipinitialspace=True, quoting=quoting))  # fmt: skip
    if len(head) == 2 and head[0].strip(" .#") == "1":
        head, rows = ["Rank", "Diagnosis"], [head, *rows]
    if len(rows) == 1 and all(kind_of(cell) in (LEAD, OTHERS) for cell in head) and len(rows[0]) == len(head):
        head, rows = ["Diagnosis"], [[cell] for cell in rows[0]]  # its columns are the ranks
    elif not _names_a_column(head) or any(len(row) != len(head) for row in rows):
        return None
    at = next(i for i, cell in enumerate(head) if kind_of(cell) in (LEAD, LIST))
    rank = next((i for i, cell in enumerate(head) if _RANK.fullmatch(cell)), None)
    ranks = [] if rank is None else [row[rank].strip("#. ") for row in rows]
    shares = [_share_of(dict(zip(head, row, strict=True))) for row in rows]
    names = _numbered([row[at] for row in rows], ranks, shares)
    if names is None or any(DENIES.match(cell) for row in rows for cell in row):
        return None
    return [*lines[:first], "", "Differential diagnoses:", *names, "", *lines[last:]]


def _names_a_column(head: Sequence[str]) -> bool:
    kinds = [kind_of(cell) for cell in head]
    of_diagnoses = sum(kind in (LEAD, LIST) for kind in kinds) + kinds.count(OTHERS)
    return len(head) > 1 and of_diagnoses == 1 and all(len(cell.split()) <= _MOST_OF_A_HEAD for cell in head)
