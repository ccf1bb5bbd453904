"""Cases in several files, as one table: ClinBench-HPB as it is published."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from ..errors import InputError
from ..evaluation.lists.formats import clinbench_hpb
from ..evaluation.lists.formats.files_of import files_below
from ..files.json_records import read_json, records_as_columns
from ..files.tables import Table
from .notes import NOTES


def is_published(path: Path) -> bool:
    """Whether a file, or a folder without notes, holds the cases of ClinBench-HPB."""
    if path.is_dir() and any(file.suffix.lower() in NOTES for file in path.iterdir()):
        return False
    return path.suffix.lower() in ("", ".json") and clinbench_hpb.reads(path)


def read_published(paths: Sequence[Path], encoding: str | None) -> Table:
    """The cases under the names that `evaluate` gives them, FILE/ID where there are several files, each with its subset.

    Errors: `InputError` for a file that is no list of cases.
    """
    files = [file for path in paths for file in files_below(path, "*.json")]
    records, rows, sources = [], [], []
    for file in files:
        items = read_json(file, encoding).value
        if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
            raise InputError("no list of cases", source=str(file), allowed="[{…}, {…}]")
        for row, item in enumerate(items, 1):
            own = {name: value for name, value in item.items() if name not in clinbench_hpb.PATIENT}
            case = clinbench_hpb.case_name(file, item, row, several=len(files) > 1)
            records.append({"case_id": case, **own, clinbench_hpb.SUBSET: clinbench_hpb.subset_of(file)})
            rows.append(row)
            sources.append(str(file))
    return Table(
        records_as_columns(records), ", ".join(map(str, paths)), 1, rows=np.array(rows, np.int64), sources=sources,
    )  # fmt: skip
