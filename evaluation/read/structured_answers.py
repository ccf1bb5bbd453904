"""Answers in JSON, in tags, and in tables, in the forms that models are asked for -> the diagnoses; None for any other."""

from __future__ import annotations

import ast
import csv
import html
import json
import re
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from .entry_names import plain

UNREAD = None
_MOST_FAILED = 50
"""Brackets of no JSON; a text with more of them is searched no further."""
LEAD = frozenset(
    ("", "primary", "leading", "main", "top", "mostlikely", "final", "principal", "working", "answer", "finalanswer")
)
"""Keys of the likeliest diagnosis, without blanks and without the word diagnosis."""
OTHERS = frozenset(
    (
        "differential",
        "differentials",
        "ddx",
        "alternative",
        "alternatives",
        "other",
        "others",
        "otherconsiderations",
        "ranked",
        "possible",
    )
)
"""Keys of a list of diagnoses, likewise."""
REMARKS = frozenset(
    ("reasoning", "reason", "reasons", "rationale", "explanation", "justification", "evidence", "confidence", "probability", "likelihood",
     "score", "code", "icd", "icd10", "icd10code", "icdcode", "tests", "recommendedtests", "diagnostictests", "nextsteps", "treatment", "urgency", "summary", "patientsummary", "casesummary",
     "keyfindings", "findings", "supportingevidence")
)  # fmt: skip
"""Keys of what is said of diagnoses."""
_NAMES = frozenset(("", "name", "condition", "disease"))
"""Keys of the name in an object that is one diagnosis."""
_WORD = re.compile(r"diagnos[ie]s|\bdx\b")
_NUMBERED_KEY = re.compile(r"(?:diagnosis|differential|rank|dx|ddx|top|choice)?[\s_-]*(\d{1,2})", re.IGNORECASE)
_LIKELY = {"high": 3, "medium": 2, "moderate": 2, "low": 1}
_TAG = re.compile(
    r"<(final_answer|answer|final_diagnosis|primary_diagnosis|most_likely_diagnosis|diagnosis|diagnoses|differential|differential_diagnosis|ddx|output|response|result|li)"
    r"(?:\s[^<>]{0,80})?>((?:(?!<\1\b).)*?)</\1>",
    re.IGNORECASE | re.DOTALL,
)
_NUMBERED_TAG = re.compile(r"<(?:top|diagnosis|dx|rank)_?(\d{1,2})>([^<>]*)</", re.IGNORECASE)
_COLUMN = re.compile(r"(?:\w+\s+)?(?:diagnos[ei]s|differentials?|condition|disease|dx|ddx)", re.IGNORECASE)
_RANK = re.compile(r"rank|#|no\.?|number|position", re.IGNORECASE)
_RULE = re.compile(r"[\s:-]*")


def tagged(text: str) -> list[str] | str | None:
    """Gives the names in several like tags, or what the one tag of an answer holds; None where there are none, or unlike ones."""
    found = [(tag.casefold(), html.unescape(inside).strip()) for tag, inside in _TAG.findall(text)]
    numbered = [(int(number), html.unescape(inside).strip()) for number, inside in _NUMBERED_TAG.findall(text)]
    if len(numbered) > 1 and [number for number, _ in numbered] == [*range(1, len(numbered) + 1)]:
        return [inside for _, inside in numbered]
    if not found or len({tag for tag, _ in found}) > 1:
        return None
    return found[0][1] if len(found) == 1 else [inside for _, inside in found]


def json_in(text: str) -> tuple[Any, str] | None:
    """Finds the one JSON value in a text: itself, and the text around it; None where there is none, or more than one."""
    decoder, found, around, at, failed = json.JSONDecoder(), [], "", 0, 0
    while (start := min((i for i in (text.find("{", at), text.find("[", at)) if i >= 0), default=-1)) >= 0:
        try:
            value, length = decoder.raw_decode(text[start:])
        except (ValueError, RecursionError):
            around, at, failed = around + text[at : start + 1], start + 1, failed + 1
            if failed > _MOST_FAILED:
                return None
            continue
        is_answer = isinstance(value, dict) or any(isinstance(one, str | dict) for one in value)
        found += [value] if is_answer else []
        around, at = around + text[at:start], start + length
    return (found[0], f"{around}{text[at:]}") if len(found) == 1 else None


def listed(text: str) -> list[Any] | None:
    """Reads a list in JSON, or in Python's form as pandas writes it into a cell; None for anything else."""
    if not (text.startswith("[") and text.endswith("]")):
        return None
    for read in (json.loads, ast.literal_eval):
        try:
            value = read(text)
        except (ValueError, SyntaxError, RecursionError, MemoryError, TypeError):
            continue
        return value if isinstance(value, list) else None
    return None


def of_json(value: Any) -> list[str] | None:
    """Gives the diagnoses of a JSON value: a list of names or objects; a lead, others, or both; numbered keys.

    An object may hold remarks beside these (`REMARKS`); with any other key it is unread: nobody knows which diagnosis goes first.
    """
    if isinstance(value, str):
        return UNREAD if value.count(",") > 1 else [value]
    if value is None:
        return []
    if isinstance(value, list):
        return _of_list(value)
    if not isinstance(value, dict):
        return UNREAD
    if (
        len(value) == 1
        and isinstance(inside := next(iter(value.values())), dict | list)
        and _key(*value) in ("result", "output", "response")
    ):
        return of_json(inside)
    shares = [one for one in value.values() if isinstance(one, int | float) and not isinstance(one, bool)]
    if 1 < len(value) == len(shares) and not any(
        _key(key) in LEAD | OTHERS | REMARKS or _NUMBERED_KEY.fullmatch(key) for key in value
    ):
        likelihoods = max(shares) <= 1 or 90 <= sum(shares) <= 101
        return UNREAD if _rises(shares) or not likelihoods else list(value)
    value = {key: one for key, one in value.items() if not _is_numbered_remark(key)}
    numbers = [_NUMBERED_KEY.fullmatch(key) for key in value]
    if value and all(numbers):
        order = sorted(
            zip((int(found[1]) for found in numbers if found), value.values(), strict=True), key=lambda one: one[0]
        )
        return _of_list([one for _, one in order]) if [at for at, _ in order] == [*range(1, len(order) + 1)] else UNREAD
    value = {
        key: list(one.values()) if isinstance(one, dict) and [*one] == [str(n) for n in range(1, len(one) + 1)] else one
        for key, one in value.items()
    }
    keys = {key: _key(key) for key in value}
    lead = [one for key, one in value.items() if keys[key] in LEAD and not isinstance(one, list)]
    lists = [one for key, one in value.items() if keys[key] in LEAD | OTHERS and isinstance(one, list)]
    rest = [
        key
        for key, one in value.items()
        if keys[key] not in LEAD | OTHERS | REMARKS or (keys[key] in OTHERS and not isinstance(one, list))
    ]
    if rest or len(lead) > 1 or len(lists) > 1 or not lead + lists:
        name = _one(value)
        return UNREAD if name is None else [name]
    first, others = (
        (of_json(lead[0]) if lead and isinstance(lead[0], str) else _of_list(lead)),
        _of_list([one for some in lists for one in some]),
    )
    if first is None or others is None:
        return UNREAD
    return led_by(first, others)


def led_by(first: Sequence[str], others: Sequence[str]) -> list[str]:
    """Puts a leading diagnosis before a list, which may name it again."""
    said = {name.casefold() for name in first}
    return [*first, *(name for name in others if name.casefold() not in said)]


def _key(key: str) -> str:
    return re.sub(r"[\W_]+", "", _WORD.sub("", re.sub(r"(?<=[a-z])(?=[A-Z])", " ", key).replace("_", " ").casefold()))


def _is_numbered_remark(key: str) -> bool:
    """Whether a key holds what is said of one of several: "Confidence_1", "dx1_reasoning"."""
    without = re.sub(r"^(?:dx|diagnosis)_?(?=\d)|\d+", "", key)
    return without != key and _key(without) in REMARKS


def _of_list(values: Sequence[Any]) -> list[str] | None:
    """The names in their order, or in that of their ranks; unread where what is said of their likelihood has another order."""
    known = [one for one in values if one is not None]
    names = [one if isinstance(one, str) else _one(one) for one in known]
    if any(name is None for name in names):
        return UNREAD
    objects = [one for one in known if isinstance(one, dict)]
    ranks = [one.get("rank") for one in objects]
    if objects and len(objects) == len(known) and all(isinstance(rank, int) for rank in ranks):
        if len({*ranks}) < len(ranks):
            return UNREAD
        names = [names[place] for _, place in sorted((rank, place) for place, rank in enumerate(ranks))]
    elif _rises([_likelihood(one) for one in objects]):
        return UNREAD
    return [name for name in names if name is not None]


def _one(value: Any) -> str | None:
    """The name in an object that is one diagnosis, with remarks and a rank perhaps."""
    if not isinstance(value, Mapping):
        return None
    names = [one for key, one in value.items() if _key(key) in _NAMES and isinstance(one, str)]
    others = [key for key in value if _key(key) not in _NAMES | REMARKS | {"rank", "id"}]
    return names[0] if len(names) == 1 and not others else None


def _likelihood(value: Mapping[str, Any]) -> float | None:
    said = next(
        (one for key, one in value.items() if _key(key) in ("probability", "likelihood", "confidence", "score")), None
    )
    if isinstance(said, str):
        said = _LIKELY.get(said.casefold(), said.strip(" %"))
    try:
        return float(said)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return None


def _rises(values: Sequence[float | None]) -> bool:
    known = [value for value in values if value is not None]
    return any(later > earlier for earlier, later in pairwise(known))


def of_table(lines: Sequence[str]) -> list[str] | None:
    """Gives the column of diagnoses of the one table, in the order of its ranks; None where it has no such column, or lines stand around it."""
    rows = [line.strip() for line in lines if line.strip()]
    piped = [row for row in rows if row.startswith("|") and row.count("|") > 2]
    if piped:
        cells = [
            [plain(cell) for cell in row.strip("|").split("|")]
            for row in piped
            if not _RULE.fullmatch(row.replace("|", ""))
        ]
    else:
        cells = [
            [cell.strip() for cell in row]
            for row in csv.reader(rows, delimiter="\t" if "\t" in rows[0] else ",", skipinitialspace=True)
        ]
    head = cells[0] if cells else []
    at = [i for i, cell in enumerate(head) if _COLUMN.fullmatch(cell)]
    if len(at) != 1 or len(head) < 2 or len(cells) < 2 or any(len(row) != len(head) for row in cells):
        return None
    body, rank = cells[1:], next((i for i, cell in enumerate(head) if _RANK.fullmatch(cell)), None)
    if rank is not None:
        numbers = [row[rank].strip("#. ") for row in body]
        if not all(number.isdecimal() for number in numbers) or len({*numbers}) < len(numbers):
            return None
        body = [row for _, row in sorted(zip(map(int, numbers), body, strict=True), key=lambda one: one[0])]
    return [row[at[0]] for row in body]
