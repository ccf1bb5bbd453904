"""Kernel29's table: one row for each predicted diagnosis, with its relation and severity as a language model judged them.

Its ranks may skip; NULL stands for a blank. Where there are several prompts, each is a rater of its own, "model [prompt]".
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from ....files.table import Table, records_as_columns
from .answer import objects_below, told_by

TITLE = "Kernel29"
_OURS = {
    "case_id": "patient_id", "rater": "model_name", "reference": "golden_diagnosis", "rank": "rank", "diagnosis": "predicted_diagnosis",
    "reference_severity": "golden_diagnosis_severity", "relation": "differential_diagnosis_semantic_relationship_name",
    "severity": "differential_diagnosis_severity_name", "prompt": "prompt_name",
}  # fmt: skip
_NEEDED = [*_OURS.values()][:5]
reads = told_by([_NEEDED])


def read(path: Path) -> Table:
    """A list for each patient, model and prompt, by rank. Errors: `InputError` for a missing column."""
    found = [(row, item) for _, row, item in objects_below(path, [_NEEDED])]
    cells = [{ours: str(item.get(name) or "").strip() for ours, name in _OURS.items()} for _, item in found]
    told = [{name: cell for name, cell in one.items() if cell.upper() not in ("", "NULL", "NAN")} for one in cells]
    several = len({one.get("prompt") for one in told}) > 1
    for one in told:
        prompt, rater = one.pop("prompt", None), one.get("rater")
        one |= {"rater": f"{rater} [{prompt}]"} if several and rater else {}
        one |= {} if "diagnosis" in one else {"rank": None}
    return Table(records_as_columns(told), str(path), 1, rows=np.array([row for row, _ in found], np.int64))
