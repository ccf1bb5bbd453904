"""Lists as Python and JSON hold them: objects by case, by model, or in order -> tables."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ...errors import InputError
from ...files.json_records import as_text, records_as_columns
from ...files.tables import Table
from .names import ANSWER, OTHER_NAMES, PREDICTIONS, ROLES_OF_COLUMNS, folded

_OBJECTS = "objects with a case each, {case: list}, {model: {case: list}}, or lists in the order of the right answers"
_HOLDS_LISTS = frozenset((PREDICTIONS, ANSWER, *OTHER_NAMES[PREDICTIONS]))
_OF_A_RECORD = frozenset(("reference", *OTHER_NAMES["reference"], *_HOLDS_LISTS))
_KNOWN = frozenset((*ROLES_OF_COLUMNS, *(name for names in OTHER_NAMES.values() for name in names)))
_OF_AN_ANSWER = re.compile(
    r"diagnos|differential|answer|text|rank|name|icd|reason|content|confidence|prob", re.IGNORECASE
)


@dataclass(frozen=True)
class Piece:
    """table : of any shape. model : who answered, where the table names none; "" where nothing says.

    given : what its columns are known to hold, as the option `columns` says it. said : what it was, where it was no table.
    """

    table: Table
    model: str = ""
    given: Mapping[str, Any] = field(default_factory=dict)
    said: str = ""


def of_objects(
    value: Any,
    source: str,
    first_row: int = 0,
    rows: Sequence[int] | None = None,
    cases: Collection[str] = (),
    in_order: bool = False,
) -> list[Piece]:
    """An object of lists as tables.

    value : a list of objects, one for each case; {case: list}; {model: {case: list}}, or {case: {model: list}} where the right answers
        tell so; {model: objects}; {column: values}; lists in the order of the right answers, of one model or of each.
    cases, in_order : of the right answers: their names, and whether they are an order.

    Raises
    ------
    InputError
        For anything else.
    """
    if isinstance(value, list | tuple) and value:
        if all(isinstance(one, Mapping) for one in value):
            return [of_records(value, source, first_row, rows)]
        if all(isinstance(one, list | tuple | str) or one is None for one in value):
            return [_in_order(value, source, "")]
    if not isinstance(value, Mapping) or not value:
        empty = ": the object is empty" if value == {} else ""
        raise InputError(
            f"no lists of diagnoses{empty}", source=source, allowed=_OBJECTS, got=value or type(value).__name__
        )
    of = {str(as_text(key)): one for key, one in value.items()}
    kinds = {type(one) if isinstance(one, Mapping | list | tuple | np.ndarray) else None for one in of.values()}
    sizes = set(map(len, of.values())) if kinds <= {list, tuple, np.ndarray} else set[int]()
    if len(sizes) == 1 and sum(folded(key) in _KNOWN for key in of) > 1:
        return [of_records([dict(zip(of, cells, strict=True)) for cells in zip(*of.values(), strict=True)], source)]
    if kinds == {list} and all(one and all(isinstance(part, Mapping) for part in one) for one in of.values()):
        return [of_records(one, source, first_row, rows, model) for model, one in of.items()]
    if all(isinstance(one, Mapping) for one in of.values()):
        return [_of_nested(of, source, set(cases))]
    if in_order and kinds <= {list, tuple}:
        return [_in_order(one, source, model) for model, one in of.items()]
    records = [{"case_id": case, PREDICTIONS: _answer(answer)} for case, answer in of.items()]
    return [_cells(records, source, "", "lists by case")]


def _of_nested(of: Mapping[str, Mapping[Any, Any]], source: str, cases: set[str]) -> Piece:
    """{case: record}, {model: {case: list}}, or {case: {model: list}}."""
    keys = dict.fromkeys(str(as_text(key)) for one in of.values() for key in one)
    if any(folded(key) in _OF_A_RECORD for key in keys):
        return of_records([{"case_id": key, **record} for key, record in of.items()], source)
    names = ("case_id", "rater") if len(cases & of.keys()) > len(cases & keys.keys()) else ("rater", "case_id")
    # a model without any answer is one that is missing everywhere
    found = [
        (outer, key, answer) for outer, one in of.items() for key, answer in (one or dict.fromkeys([*keys][:1])).items()
    ]
    records = [
        {names[0]: outer, names[1]: str(as_text(key)), PREDICTIONS: _answer(answer)} for outer, key, answer in found
    ]
    said = "lists by case and model" if names[0] == "case_id" else "lists by model and case"
    return _cells(records, source, "", said)


def _cells(records: list[dict[str, Any]], source: str, model: str, said: str) -> Piece:
    names = {name: name for name in records[0] if name != PREDICTIONS} if records else {}
    return Piece(
        Table(records_as_columns(records, source), source, 0), model, {**names, PREDICTIONS: [PREDICTIONS]}, said
    )


def of_records(
    records: Iterable[Mapping[str, Any]], source: str, first_row: int = 0, rows: Any = None, model: str = ""
) -> Piece:
    """Objects as rows; {"predictions": {model: list}} becomes a column for each model."""
    models: dict[str, None] = {}
    flat = []
    for record in records:
        out: dict[str, Any] = {}
        for key, value in record.items():
            nested = isinstance(value, Mapping) and folded(str(key)) in _HOLDS_LISTS
            if nested and not any(_OF_AN_ANSWER.search(str(one)) for one in value):
                out |= {str(name): _answer(answer) for name, answer in value.items()}
                models |= dict.fromkeys(map(str, value))
            else:
                out[str(key)] = _answer(value) if isinstance(value, Mapping) else value
        flat.append(out)
    numbers = None if rows is None else np.array(rows, np.int64)
    table = Table(records_as_columns(flat, source, first_row, numbers), source, first_row, rows=numbers)
    return Piece(table, model, {PREDICTIONS: [*models]} if models else {})


def _answer(value: Any) -> Any:
    """A list of names as it is, anything deeper as JSON."""
    if isinstance(value, list | tuple) and all(isinstance(one, str) or one is None for one in value):
        return list(value)
    return value if value is None or isinstance(value, str) else as_text(value)


def _in_order(answers: Sequence[Any], source: str, model: str) -> Piece:
    records = [{"case_id": str(at), PREDICTIONS: _answer(answer)} for at, answer in enumerate(answers, 1)]
    return _cells(records, source, model, "lists in order")
