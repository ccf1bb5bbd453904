"""The files of a golden run, as they are written for it, and the results of one as plain rows."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import narwhals as nw
import numpy as np

import dxmatch

from .compare import Row

EXAMPLE = Path(dxmatch.__file__ or "").parent / "example"
WORDS = {"name", "reason", "undefined_repeats", "n_pairs", "chapter_name", "says", "why", "answer", "response"}
"""Columns that are not frozen: words, and what says nothing that another column does not."""


def lay_out(files: Mapping[str, Any], folder: Path) -> None:
    """The files of a run: text or lines of it as they are, JSON by the name's end."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, list) and all(isinstance(line, str) for line in content):
            content = "\n".join(content) + "\n"
        elif name.endswith(".jsonl") and isinstance(content, list):
            content = "".join(json.dumps(one, ensure_ascii=False) + "\n" for one in content)
        path.write_text(content if isinstance(content, str) else json.dumps(content, ensure_ascii=False), "utf-8")


def resolved(value: Any, folder: Path) -> Any:
    """ "file:x" is the run's own file x, "example:x" one of the bundled example."""
    if isinstance(value, str):
        where, _, name = value.partition(":")
        return {"file": folder / name, "example": EXAMPLE / name}.get(where, value)
    if isinstance(value, list):
        return [resolved(one, folder) for one in value]
    return {key: resolved(one, folder) for key, one in value.items()} if isinstance(value, dict) else value


def tables_of(report: Any, names: Iterable[str]) -> dict[str, list[Row]]:
    """Those of `evaluate`, `reasoning` or `choice` that are named and there."""
    told, found = report.to_dict(), {}
    told |= {**told["tables"], "cases": transposed(told["per_case"])}
    for name in names:
        framed = name in ("matches", "judgements")
        found[name] = nw.from_native(getattr(report, name)).rows(named=True) if framed else told.get(name, [])
    return found


def transposed(columns: Mapping[str, Iterable[Any]]) -> list[Row]:
    return [dict(zip(columns, cells, strict=True)) for cells in zip(*columns.values(), strict=True)]


def rows_of(rows: Iterable[Row]) -> list[Row]:
    """Plain cells; what is undefined, or says nothing, is absent."""
    return [
        {column: plain for column, cell in row.items() if (plain := _plain(column, cell)) is not None} for row in rows
    ]


def _plain(column: str, cell: Any) -> Any:
    value = cell.item() if isinstance(cell, np.generic) else cell
    if column in WORDS or value is None or value == "" or value != value:
        return None
    return round(value, 6) if column == "probability" else value  # kept in single precision
