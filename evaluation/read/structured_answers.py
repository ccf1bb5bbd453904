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

LEAD, OTHERS, NAME, RANK, REMARK = range(5)
KEYS = {
    "": LEAD, "primary": LEAD, "mostlikely": LEAD, "final": LEAD, "top": LEAD,
    "differential": OTHERS, "other": OTHERS, "alternative": OTHERS,
    "name": NAME, "condition": NAME, "disease": NAME, "rank": RANK,
    "reasoning": REMARK, "rationale": REMARK, "explanation": REMARK, "confidence": REMARK, "probability": REMARK,
    "likelihood": REMARK, "icd10": REMARK, "recommendedtest": REMARK,
}  # fmt: skip
"""Keys of JSON, and tags, without blanks, the plural, and the words diagnosis, answer and ddx: what they hold."""
_OF_ALL_KEYS = re.compile(r"diagnos[ei]s|answer|\bd?dx|[\W_]+|s\b")
_NUMBERED_KEY = re.compile(r"(?:rank|top|differential)?0*([1-9]\d?)")
_LIKELIHOODS = ("probability", "likelihood", "confidence")
_MOST_FAILED = 50
"""Brackets of no JSON; a text with more of them is searched no further."""
_TAG = re.compile(r"<([a-z]\w{0,40})(?:\s[^<>]{0,80})?>((?:(?!<\1\b).)*?)</\1>", re.IGNORECASE | re.DOTALL)
_COLUMN = re.compile(r"(?:\w+\s+)?(?:diagnos[ei]s|differentials?|condition|disease|dx|ddx)", re.IGNORECASE)
_RANK = re.compile(r"rank|#|no\.?|number|position", re.IGNORECASE)
_RULE = re.compile(r"[\s:-]*")


def key_of(written: str) -> str:
    """Gives a key as `KEYS` has it: "Most_Likely_Diagnosis" is "mostlikely"."""
    words = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", written).replace("_", " ").casefold()
    return _OF_ALL_KEYS.sub("", words)


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

    With a key that is not in `KEYS` an object is unread: nobody knows which diagnosis goes first.
    """
    if isinstance(value, list):
        return _of_list(value)
    if not isinstance(value, dict):
        return None
    keys = {key: key_of(key) for key in value}
    kinds = {key: KEYS.get(one, KEYS.get(one.strip("0123456789") or "rank")) for key, one in keys.items()}
    numbers = {key: int(found[1]) for key in value if (found := _NUMBERED_KEY.fullmatch(keys[key]))}
    rest = {key: one for key, one in value.items() if kinds[key] != REMARK}
    if rest and numbers.keys() == rest.keys():
        order = sorted(rest, key=numbers.__getitem__)
        in_order = [numbers[key] for key in order] == [*range(1, len(order) + 1)]
        return _of_list([value[key] for key in order]) if in_order else None
    if (name := _one(value)) is not None:
        return [name]
    if not rest or any(kinds[key] not in (LEAD, OTHERS) for key in rest):
        return None
    leading = {key: one if isinstance(one, str) else _one(one) for key, one in rest.items() if kinds[key] == LEAD}
    lead = [one for one in leading.values() if one is not None]
    lists = [one for key, one in rest.items() if isinstance(one, list | dict) and leading.get(key) is None]
    if len(lists) > 1 or len(lead) > 1 or len(lists) + len(lead) < len(rest):
        return None
    others = of_json(lists[0]) if lists else []
    return None if others is None else led_by(lead, others)


def led_by(first: Sequence[str], others: Sequence[str]) -> list[str]:
    """Puts a leading diagnosis before a list, which may name it again."""
    said = {name.casefold() for name in first}
    return [*first, *(name for name in others if name.casefold() not in said)]


def _of_list(values: Sequence[Any]) -> list[str] | None:
    """The names in their order, or in that of their ranks; unread where what is said of their likelihood has another order."""
    known = [one for one in values if one is not None]
    names = [one if isinstance(one, str) else _one(one) for one in known]
    if any(name is None for name in names):
        return None
    objects = [{key_of(key): said for key, said in one.items()} for one in known if isinstance(one, dict)]
    ranks = [one.get("rank") for one in objects]
    if objects and len(objects) == len(known) and all(isinstance(rank, int) for rank in ranks):
        if len({*ranks}) < len(ranks):
            return None
        names = [names[place] for _, place in sorted((rank, place) for place, rank in enumerate(ranks))]
    for key in _LIKELIHOODS if not any(ranks) else ():
        numbers = [one[key] for one in objects if isinstance(one.get(key), int | float)]
        if any(later > earlier for earlier, later in pairwise(numbers)):
            return None
    return [name for name in names if name is not None]


def _one(value: Any) -> str | None:
    """The name in an object that is one diagnosis, with remarks and a rank perhaps."""
    if not isinstance(value, Mapping):
        return None
    kinds = [(KEYS.get(key_of(key)), key_of(key), one) for key, one in value.items()]
    names = [one for kind, key, one in kinds if (kind == NAME or not key) and isinstance(one, str)]
    known = all(kind in (NAME, RANK, REMARK) or not key for kind, key, _ in kinds)
    return names[0] if len(names) == 1 and known else None


def tagged(text: str) -> list[str] | str | None:
    """Gives the names in several like or numbered tags, or what the one tag of an answer holds; a leading one before others; None for no tags.

    Tags of remarks are passed over, and those that are not in `KEYS`.
    """
    found = [(key_of(tag), html.unescape(inside).strip()) for tag, inside in _TAG.findall(text)]
    numbers = [int(one[1]) for key, _ in found if (one := _NUMBERED_KEY.fullmatch(key))]
    if len(numbers) > 1:
        inside = [inside for key, inside in found if _NUMBERED_KEY.fullmatch(key)]
        return inside if numbers == [*range(1, len(numbers) + 1)] else None
    found = [(key, inside) for key, inside in found if KEYS.get(key) in (LEAD, OTHERS, NAME)]
    if len({key for key, _ in found}) < 2:
        return None if not found else found[0][1] if len(found) == 1 else [inside for _, inside in found]
    if len(found) == 2 and [KEYS[key] for key, _ in found] == [LEAD, OTHERS]:
        return f"Diagnosis: {found[0][1]}\n\nOther diagnoses:\n{found[1][1]}"
    return None


def column_mark(head: str) -> str | None:
    """The mark between the columns of a CSV table, by its head, which names one column of diagnoses beside others; None for no such head."""
    for mark in "\t;,":
        cells = [cell.strip(' "') for cell in head.split(mark)]
        if len(cells) > 1 and sum(_COLUMN.fullmatch(cell) is not None for cell in cells) == 1:
            return mark
    return None


def of_table(lines: Sequence[str]) -> list[str] | None:
    """Gives the column of diagnoses of the one table, in the order of its ranks; None where it has no such column, or lines stand around it."""
    rows = [line.strip() for line in lines if line.strip()]
    if rows[0].startswith("|"):
        cells = [[plain(cell) for cell in row.strip("|").split("|")] for row in rows if not _RULE.fullmatch(row.replace("|", ""))]  # fmt: skip
    else:
        read = csv.reader(rows, delimiter=column_mark(rows[0]) or ",", skipinitialspace=True)
        cells = [[cell.strip() for cell in row] for row in read]
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
