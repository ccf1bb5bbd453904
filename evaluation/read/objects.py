"""Lists as Python and JSON hold them: objects by case, by model, or in order -> tables."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pyarrow as pa

from ...errors import InputError, quoted
from ...files.json_records import as_text, records_as_columns
from ...files.tables import Table
from .names import ANSWER, OTHER_NAMES, PREDICTIONS, ROLES_OF_COLUMNS, folded

_OF_AN_ANSWER = re.compile(
    r"diagnos|differential|answer|text|rank|name|icd|reason|content|confidence|prob", re.IGNORECASE
)
_HOLDS_LISTS = frozenset((PREDICTIONS, ANSWER, "models", *OTHER_NAMES[PREDICTIONS]))


@dataclass(frozen=True)
class Piece:
    """table : of any shape. model : who answered, where the table names none; "" where nothing says.

    given : what its columns are known to hold, as the option `columns` says it. said : what it was, where it was no table.
    """

    table: Table
    model: str = ""
    given: Mapping[str, Any] = field(default_factory=dict)
    said: str = ""


def pieces_of(
    value: Any,
    source: str,
    *,
    first_row: int = 0,
    rows: Sequence[int] | None = None,
    cases: Collection[str] = (),
    in_order: int | None = None,
) -> list[Piece]:
    """An object of lists as tables.

    value : a list of objects, one for each case; {case: list}; {model: {case: list}}, or {case: {model: list}} where `cases`
        tell so, or there are more than twice as many of the outer as of the inner; {model: objects}; lists in the order of the cases, of one model or of each; {column: values}. A list may also
        be an answer in words.
    cases : the names of the cases, where the right answers tell them. in_order : how many right answers there are in order.

    Raises
    ------
    InputError
        For anything else.
    """
    if isinstance(value, Mapping) and len(value) == 1:
        (inner,) = value.values()
        if isinstance(inner, list) and inner and all(isinstance(one, Mapping) for one in inner):
            key = next(iter(value))
            model = "" if folded(str(key)) in _WRAPPERS else str(key)
            return [_of_records(inner, source, first_row, rows, model)]
    if isinstance(value, Mapping):
        return _of_mapping({str(as_text(key)): one for key, one in value.items()}, source, cases, in_order)
    if isinstance(value, list | tuple) and value:
        if all(isinstance(one, Mapping) for one in value):
            return [_of_records(value, source, first_row, rows, "")]
        if all(isinstance(one, list | tuple | str) or one is None for one in value):
            return [_in_order(value, source, "", in_order)]
    raise InputError(
        "no lists of diagnoses", source=source,
        allowed="objects with a case each, {case: list}, {model: {case: list}}, or lists in the order of the right answers",
        got=type(value).__name__ if value else value,
    )  # fmt: skip


_WRAPPERS = frozenset(
    ("data", "results", "result", "cases", "records", "items", "samples", "predictions", "answers", "rows")
)


def _of_mapping(value: Mapping[str, Any], source: str, cases: Collection[str], in_order: int | None) -> list[Piece]:
    inner = list(value.values())
    if not inner:
        raise InputError(
            "no lists of diagnoses: the object is empty", source=source, allowed="{case: list}, {model: {case: list}}"
        )
    if _are_columns(value):
        return [Piece(Table(records_as_columns(_turned(value), source), source, 0))]
    if all(isinstance(one, Mapping) for one in inner):
        keys = dict.fromkeys(str(as_text(key)) for one in inner for key in one)
        if any(folded(key) in _NAMED for key in keys):
            records = [{"case_id": key, **record} for key, record in value.items()]
            return [_of_records(records, source, 0, None, "")]
        by_case = len(set(cases) & set(value)) > len(set(cases) & set(keys)) if cases else len(value) > 2 * len(keys)
        found = [
            ((outer, str(as_text(key))) if by_case else (str(as_text(key)), outer), answer)
            for outer, one in value.items()
            for key, answer in one.items()
        ]
        if not by_case and keys:
            # a model without any answer is one that is missing everywhere
            found += [((next(iter(keys)), model), None) for model, one in value.items() if not one]
        records = [{"case_id": case, "rater": model, PREDICTIONS: _answer(answer)} for (case, model), answer in found]
        given = {"case_id": "case_id", "rater": "rater", PREDICTIONS: [PREDICTIONS]}
        said = "lists by case and model" if by_case else "lists by model and case"
        return [Piece(Table(records_as_columns(records, source), source, 0), given=given, said=said)]
    if all(isinstance(one, list) and one and all(isinstance(part, Mapping) for part in one) for one in inner):
        return [_of_records(one, source, 0, None, model) for model, one in value.items()]
    are_lists = all(isinstance(one, list | tuple) for one in inner)
    of_lists = are_lists and any(isinstance(part, list | tuple) for one in inner for part in one)
    if in_order is not None and (of_lists or (are_lists and all(len(one) == in_order for one in inner))):
        return [_in_order(one, source, model, in_order) for model, one in value.items()]
    records = [{"case_id": case, PREDICTIONS: _answer(answer)} for case, answer in value.items()]
    given = {"case_id": "case_id", PREDICTIONS: [PREDICTIONS]}
    return [Piece(Table(records_as_columns(records, source), source, 0), given=given, said="lists by case")]


_NAMED = frozenset(("reference", *OTHER_NAMES["reference"], *_HOLDS_LISTS)) - {"models"}


def _are_columns(value: Mapping[str, Any]) -> bool:
    """Whether these are columns by name: two of them known, all of one length."""
    if not all(isinstance(one, list | tuple | np.ndarray) for one in value.values()):
        return False
    known = [
        key for key in value if folded(key) in ROLES_OF_COLUMNS or any(folded(key) in o for o in OTHER_NAMES.values())
    ]
    return len(known) > 1 and len({len(one) for one in value.values()}) == 1


def _turned(columns: Mapping[str, Any]) -> list[dict[str, Any]]:
    names = list(columns)
    return [dict(zip(names, values, strict=True)) for values in zip(*columns.values(), strict=True)]


def _of_records(
    records: Sequence[Mapping[str, Any]], source: str, first_row: int, rows: Sequence[int] | None, model: str
) -> Piece:
    """Objects as rows; {"predictions": {model: list}} becomes a column for each model."""
    models: dict[str, None] = {}
    flat = []
    for record in records:
        out: dict[str, Any] = {}
        for key, value in record.items():
            if (
                folded(str(key)) in _HOLDS_LISTS
                and isinstance(value, Mapping)
                and not any(map(_is_of_an_answer, value))
            ):
                out.update({str(name): _answer(answer) for name, answer in value.items()})
                models.update(dict.fromkeys(map(str, value)))
            else:
                out[str(key)] = _answer(value) if isinstance(value, Mapping) else value
        flat.append(out)
    numbers = None if rows is None else np.array(rows, np.int64)
    table = Table(records_as_columns(flat, source, first_row, numbers), source, first_row, rows=numbers)
    return Piece(table, model, {PREDICTIONS: list(models)} if models else {})


def by_model(piece: Piece) -> Piece:
    """A table with objects {model: list} in its cells as one with a column for each model."""
    table = piece.table
    nested = [f for f in table.data.schema if folded(f.name) in _HOLDS_LISTS and pa.types.is_struct(f.type)]
    if not nested or any(_is_of_an_answer(f.name) for one in nested for f in one.type.fields):
        return piece
    made = _of_records(table.data.to_pylist(), table.source, table.first_row, table.row_numbers().tolist(), piece.model)
    return replace(made, table=replace(made.table, frame=table.frame))


def _is_of_an_answer(key: Any) -> bool:
    return _OF_AN_ANSWER.search(str(key)) is not None


def _answer(value: Any) -> Any:
    """A list of names as it is, anything deeper as JSON."""
    if isinstance(value, list | tuple) and all(isinstance(one, str) or one is None for one in value):
        return list(value)
    return value if value is None or isinstance(value, str) else as_text(value)


def _in_order(answers: Sequence[Any], source: str, model: str, in_order: int | None) -> Piece:
    if in_order is not None and len(answers) != in_order:
        whose = f" of {quoted(model)}" if model else ""
        problem = f"{len(answers):,} lists{whose} beside {in_order:,} right answers in order"
        raise InputError(problem, source=source, allowed="as many of the one as of the other")
    records = [{"case_id": str(i), PREDICTIONS: _answer(answer)} for i, answer in enumerate(answers, 1)]
    given = {"case_id": "case_id", PREDICTIONS: [PREDICTIONS]}
    return Piece(Table(records_as_columns(records, source), source, 0), model, given, "lists in order")
