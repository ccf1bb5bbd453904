"""Answers -> the long form: one row for each diagnosis."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from ...errors import InputError, plain, quoted
from ...files.tables import Table
from .formats.answer import Answer
from .raw_answers import ranked_diagnoses, says_more

REFERENCE = "reference"
_EACH = ("relation", "severity")
_OF_THE_REFERENCE = "reference_severity"
_COLUMNS = ("case_id", "rater", "role", "rank", "diagnosis")


def names_in(answer: Answer) -> list[str] | None:
    """The diagnoses of an answer, likeliest first; [] where it names none, None where none can be read from its text."""
    if answer.diagnoses is not None:
        return list(answer.diagnoses)
    return [] if answer.text is None else ranked_diagnoses(answer.text)


def table_of_answers(answers: Iterable[Answer], source: str = "") -> Table:
    """The long form: case_id, rater, role, rank, diagnosis, then relation and severity where told, then what is told of the case.

    The right answers of a case are rows of the rater "reference", whose role that is; models have the role "algorithm". An
    answer without a diagnosis, or that none can be read from, is one row of rank 1 whose diagnosis is blank; `unread` is the
    text of the latter. `in_words` is the text of an answer in words, in the first row of its list.

    Raises
    ------
    InputError
        Where a model answers a case twice, or the right answers of a case are told in two ways.
    """
    rows: list[dict[str, Any]] = []
    at: list[tuple[str, int]] = []
    right: dict[str, Answer] = {}
    seen: dict[tuple[str, str], Answer] = {}
    groups: dict[str, dict[str, Any]] = {}

    def add(answer: Answer, rater: str, role: str, rank: Any, diagnosis: str | None, **more: Any) -> None:
        told = {"case_id": answer.case_id, "rater": rater, "role": role, "rank": rank, "diagnosis": diagnosis}
        rows.append({**told, **more})
        at.append((str(answer.source), answer.row))

    for answer in answers:
        groups.setdefault(answer.case_id, {}).update({k: v for k, v in answer.more.items() if k != _OF_THE_REFERENCE})
        if answer.references:
            first = right.setdefault(answer.case_id, answer)
            if first is answer:
                severity = answer.more.get(_OF_THE_REFERENCE)
                for rank, name in enumerate(answer.references, 1):
                    add(answer, REFERENCE, REFERENCE, rank, name, severity=severity)
            elif set(first.references) != set(answer.references):
                raise InputError(
                    f"the right answers of case {quoted(answer.case_id)} differ from those in {first.source}",
                    source=str(answer.source), row=answer.row or None,
                    allowed="; ".join(map(plain, first.references)), got="; ".join(answer.references),
                )  # fmt: skip
        if answer.model is None:
            continue
        twice = seen.setdefault((answer.case_id, answer.model), answer)
        if twice is not answer:
            raise InputError(
                f"the case {quoted(answer.case_id)} is answered twice by {quoted(answer.model)}, first in {twice.source}",
                source=str(answer.source), row=answer.row or None, allowed="one answer of a model to a case",
            )  # fmt: skip
        names = names_in(answer)
        ranks: Sequence[Any] = answer.each.get("rank", range(1, len(names or []) + 1))
        if not names:
            add(answer, answer.model, "algorithm", 1, None, unread=answer.text if names is None else None)
        for i, (rank, name) in enumerate(zip(ranks, names or [], strict=True)):
            each = {column: answer.each[column][i] for column in _EACH if column in answer.each}
            if i == 0 and answer.text is not None and says_more(answer.text, names or []):
                each["in_words"] = answer.text
            add(answer, answer.model, "algorithm", rank, name, **each)
    for row in rows:
        row.update({name: value for name, value in groups[row["case_id"]].items() if name not in _COLUMNS})
    columns = dict.fromkeys([*_COLUMNS, *(name for row in rows for name in row)])
    data = {name: pa.array([_as_text(row.get(name)) for row in rows], pa.string()) for name in columns}
    told = {name: column for name, column in data.items() if name in _COLUMNS or column.null_count < len(column)}
    return Table(
        pa.table(told), source or (at[0][0] if at else ""), 1,
        rows=np.array([row for _, row in at], np.int64), sources=[file for file, _ in at],
    )  # fmt: skip


def table_of_references(answers: Iterable[Answer], source: str = "") -> Table:
    """The right answers alone: case_id, reference (a new line between several), then what is told of the case.

    Errors: `InputError` where no answer tells any.
    """
    told = list({answer.case_id: answer for answer in reversed(list(answers)) if answer.references}.values())[::-1]
    if not told:
        raise InputError("no right answers in it", source=source)
    rows = [{"case_id": a.case_id, "reference": "\n".join(a.references), **a.more} for a in told]
    columns = dict.fromkeys(name for row in rows for name in row)
    data = {name: pa.array([_as_text(row.get(name)) for row in rows], pa.string()) for name in columns}
    return Table(pa.table(data), source, 1, rows=np.array([a.row for a in told], np.int64))


def _as_text(value: Any) -> str | None:
    return None if value is None else str(value)
