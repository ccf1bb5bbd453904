"""Cases in several files, as one table: ClinBench-HPB as it is published."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from ..evaluation.read.formats import clinbench_hpb
from ..files.json_records import records_as_columns
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
    found = list(clinbench_hpb.cases(paths, encoding))
    records = [
        {
            "case_id": one.name,
            **{name: value for name, value in one.item.items() if name not in clinbench_hpb.PATIENT},
            clinbench_hpb.SUBSET: clinbench_hpb.subset_of(one.file),
        }
        for one in found
    ]
    rows, sources = np.array([one.row for one in found], np.int64), [str(one.file) for one in found]
    return Table(records_as_columns(records), ", ".join(map(str, paths)), 1, rows=rows, sources=sources)
