"""Kernel29's table: one row for each predicted diagnosis, with its relation and severity as a language model judged them.

Its ranks may skip; NULL stands for a blank. Where there are several prompts, each is a rater of its own, "model [prompt]".
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ....errors import InputError
from ....files.tables import Table, read_table
from .answer import Answer
from .files_of import head

_CASE, _MODEL, _PROMPT, _RIGHT = "patient_id", "model_name", "prompt_name", "golden_diagnosis"
_RIGHT_SEVERITY = "golden_diagnosis_severity"
_RELATION = "differential_diagnosis_semantic_relationship_name"
_SEVERITY = "differential_diagnosis_severity_name"
_PREDICTED = ("predicted_diagnosis", "differential_diagnosis", "differential_diagnosis_name", "diagnosis")
_RANK = "rank"


def reads(path: Path) -> bool:
    """A CSV with its columns."""
    if not path.is_file() or path.suffix not in (".csv", ".tsv"):
        return False
    return {_CASE, _MODEL, _RIGHT, _RANK} <= set(
        re.split(r"[,;\t]", head(path).partition("\n")[0].replace('"', "").strip())
    )


def read(path: Path) -> Iterator[Answer]:
    """A list for each patient, model and prompt, by rank. Errors: `InputError` for a missing column."""
    table = read_table(path)
    for name in (_CASE, _MODEL, _RIGHT, _RANK):
        table.require(name)
    predicted = next((name for name in _PREDICTED if name in table.names), None)
    if predicted is None:
        raise InputError(
            "no column with the predicted diagnosis", source=str(path), allowed=", ".join(_PREDICTED), got=table.names
        )
    case, model, right, rank, said = (_cells(table, name) for name in (_CASE, _MODEL, _RIGHT, _RANK, predicted))
    prompt, relation, severity, true = (_cells(table, n) for n in (_PROMPT, _RELATION, _SEVERITY, _RIGHT_SEVERITY))
    several = len({*prompt}) > 1
    lists: dict[tuple[str, str], list[int]] = {}
    for i, (one, who) in enumerate(zip(case, model, strict=True)):
        if one is None or who is None:
            raise table.error("a blank", i, _CASE if one is None else _MODEL, allowed="a name")
        lists.setdefault((one, f"{who} [{prompt[i]}]" if several else who), []).append(i)
    for (one, who), rows in lists.items():
        named = [i for i in rows if said[i] is not None]
        yield Answer(
            one,
            who,
            diagnoses=[str(said[i]) for i in named],
            references=() if right[rows[0]] is None else (str(right[rows[0]]),),
            more={} if true[rows[0]] is None else {"reference_severity": true[rows[0]]},
            each={
                "rank": [rank[i] for i in named],
                "relation": [relation[i] for i in named],
                "severity": [severity[i] for i in named],
            },
            source=str(path),
            row=table.row_number(rows[0]),
        )


def _cells(table: Table, name: str) -> list[Any]:
    """The texts of a column; None for a blank, for NULL, and where there is no such column."""
    if name not in table.names:
        return [None] * len(table)
    texts = [None if value is None else str(value).strip() for value in table.column(name)]
    return [None if not text or text.upper() in ("NULL", "NAN") else text for text in texts]
