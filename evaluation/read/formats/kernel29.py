"""Kernel29's table: one row for each predicted diagnosis, with its relation and severity as a language model judged them.

Its ranks may skip; NULL stands for a blank. Where there are several prompts, each is a rater of its own, "model [prompt]".
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa

from ....files.tables import Table, read_table
from .answer import Head

TITLE = "Kernel29"
_OURS = {
    "case_id": "patient_id", "rater": "model_name", "reference": "golden_diagnosis", "rank": "rank", "diagnosis": "predicted_diagnosis",
    "reference_severity": "golden_diagnosis_severity", "relation": "differential_diagnosis_semantic_relationship_name",
    "severity": "differential_diagnosis_severity_name", "prompt": "prompt_name",
}  # fmt: skip
_NEEDED = [*_OURS.values()][:5]


def reads(head: Head) -> bool:
    """A CSV with its columns."""
    return {*_NEEDED} <= head.keys


def read(path: Path) -> Table:
    """A list for each patient, model and prompt, by rank. Errors: `InputError` for a missing column."""
    table = read_table(path)
    for name in _NEEDED:
        table.require(name, "of Kernel29")
    told = {ours: [_cell(value) for value in table.column(name)] for ours, name in _OURS.items() if name in table.names}
    told["rank"] = [rank if name else None for rank, name in zip(told["rank"], told["diagnosis"], strict=True)]
    prompts = told.pop("prompt", [])
    if len({*prompts}) > 1:
        told["rater"] = [who and f"{who} [{prompt}]" for who, prompt in zip(told["rater"], prompts, strict=True)]
    return replace(table, data=pa.table({ours: pa.array(cells, pa.string()) for ours, cells in told.items()}))


def _cell(value: Any) -> str | None:
    text = "" if value is None else str(value).strip()
    return None if text.upper() in ("", "NULL", "NAN") else text
