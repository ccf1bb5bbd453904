"""Objects of Python and JSON, and answers of published formats, as tables."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ...errors import InputError
from ...files.table import as_text, records_as_columns
from ...files.tables import Table
from .formats.answer import Answer
from .names import ANSWER, PREDICTIONS, REFERENCE, folded, known_as, says

_OBJECTS = "objects with a case each, {case: list}, {model: {case: list}}, or lists in the order of the right answers"
_OF_AN_ANSWER = re.compile(r"(?i)diagnos|differential|answer|text|rank|name|icd|reason|content|confidence|prob")


def _holds_lists(key: Any) -> bool:
    return says(str(key), PREDICTIONS) or folded(str(key)) == ANSWER


def records_in(value: Any, source: str) -> Sequence[Mapping[str, Any]]:
    """Objects, one a row, of a list of them; {case: list}; {model: {case: list}}; {model: objects}; {column: values}; lists in an order, of one model or of each.

    Raises
    ------
    InputError
        For anything else.
    """
    if isinstance(value, list | tuple) and value:
        if all(isinstance(one, Mapping) for one in value):
            return value
        if all(isinstance(one, list | tuple | str | None) for one in value):
            return [{"": str(at), PREDICTIONS: one} for at, one in enumerate(value, 1)]
    if not isinstance(value, Mapping) or not value:
        empty, got = ": the object is empty" if value == {} else "", value or type(value).__name__
        raise InputError(f"no lists of diagnoses{empty}", source=source, allowed=_OBJECTS, got=got)
    of: Any = {str(as_text(key)): [*v] if isinstance(v, np.ndarray | tuple) else v for key, v in value.items()}
    case = "case_id"
    if all(isinstance(one, list) for one in of.values()):
        parts = [part for one in of.values() for part in one]
        if len({*map(len, of.values())}) == 1 and sum(map(bool, map(known_as, of))) > 1:
            return [dict(zip(of, cells, strict=True)) for cells in zip(*of.values(), strict=True)]
        if all(of.values()) and all(isinstance(part, Mapping) for part in parts):
            return [{"rater": key, **record} for key, one in of.items() for record in one]
        if all(isinstance(part, list | tuple) for part in parts):  # in the order of the right answers
            of, case = {key: {str(at): part for at, part in enumerate(one, 1)} for key, one in of.items()}, ""
    if not all(isinstance(one, Mapping) for one in of.values()):
        return [{case: key, PREDICTIONS: one} for key, one in of.items()]
    keys = [str(as_text(key)) for one in of.values() for key in one]
    if any(_holds_lists(key) or says(key, REFERENCE) for key in keys):
        return [{case: key, **record} for key, record in of.items()]
    # a model without any answer is one that is missing everywhere
    said = [(who, key, one) for who, held in of.items() for key, one in (held or dict.fromkeys(keys[:1])).items()]
    return [{case: str(as_text(key)), "rater": who, PREDICTIONS: one} for who, key, one in said]


def of_records(records: Iterable[Mapping[str, Any]], source: str, rows: Iterable[int]) -> Table:
    """Objects as rows; one with {"predictions": {model: list}} becomes a row for each model. rows : the number of each object."""
    flat, numbers = list[dict[str, Any]](), list[int]()
    for record, row in zip(records, rows, strict=False):
        nested = [key for key, one in record.items() if isinstance(one, Mapping) and one and _holds_lists(key)]
        of_models = [key for key in nested if not any(_OF_AN_ANSWER.search(str(name)) for name in record[key])][:1]
        cells = {str(key): _answer(one) for key, one in record.items() if key not in of_models}
        models = [(who, one) for key in of_models for who, one in record[key].items()]
        flat += [cells | {"rater": str(who), PREDICTIONS: _answer(one)} for who, one in models] or [cells]
        numbers += [row] * max(len(models), 1)
    data = records_as_columns(flat, source, numbers)
    return Table(data, source, min(numbers, default=0), rows=np.array(numbers, np.int64))


def _answer(value: Any) -> Any:
    """A list of names as it is, anything deeper as JSON."""
    if isinstance(value, list | tuple) and all(isinstance(one, str | None) for one in value):
        return list(value)
    return as_text(value) if isinstance(value, Mapping | list | tuple) else value


def of_answers(answers: Sequence[Answer], source: str, by: Collection[str]) -> Table:
    """Answers of a published format, or of the user's own function; without lists what else is told of the cases stands beside their right answers."""
    records, of_lists = list[dict[str, Any]](), any(one.model is not None for one in answers)
    for one in answers:
        more = {name: value for name, value in one.more.items() if name in by or not of_lists}
        records.append({**more, "case_id": one.case_id, REFERENCE: one.references or None})
        if of_lists:  # an answer that says nothing came, and is an empty list
            said = None if one.model is None else [] if one.text == "" else one.text or one.diagnoses
            records[-1] |= {"rater": one.model, PREDICTIONS: said}
    table = of_records(records, source, [one.row for one in answers])
    doubts = dict.fromkeys(one.doubt for one in answers if one.doubt)
    return replace(table, sources=[str(one.source) for one in answers], warnings=tuple(doubts))
