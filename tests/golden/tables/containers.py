"""The forms that a table comes in: made from the one declaration, and taken apart again, by other libraries than dxmatch."""

from __future__ import annotations

import csv
import json
from datetime import date, datetime
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import openpyxl
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

_DELIMITERS = {".csv": ",", ".tsv": "\t"}


class Cells(NamedTuple):
    """What stands in a container: names of columns, the kind of each, and rows of texts."""

    names: list[str]
    kinds: list[str]
    rows: list[list[str]]


def declared() -> tuple[list[str], list[list[Any]]]:
    """The columns of table.json, and its rows with real dates."""
    table = json.loads(Path(__file__).with_name("table.json").read_text("utf-8"))
    seen = table["columns"].index("seen")
    return table["columns"], [
        [date.fromisoformat(cell) if at == seen and cell else cell for at, cell in enumerate(row)]
        for row in table["rows"]
    ]


def variant(name: str) -> tuple[list[str], list[list[Any]]]:
    """The table; with a column of several kinds; a first one without a name; one that stands twice; or with the awkward texts as diagnoses."""
    names, rows = declared()
    remark, mixed = names.index("remark"), names.index("mixed")
    if name == "mixed":
        return names, rows
    rows = [[*row[:mixed], text(row[mixed]) or None, *row[mixed + 1 :]] for row in rows]
    if name == "index":
        return ["", *names], [[str(2 * at), *row] for at, row in enumerate(rows)]
    if name == "doubled":
        return [*names, "remark"], [[*row, f"again {at}"] for at, row in enumerate(rows)]
    if name == "within":
        return names, [[row[remark], *row[1:]] for row in rows]
    return names, rows


def made(form: str, names: list[str], rows: list[list[Any]], folder: Path) -> Any:
    """A file in `folder`, or a frame."""
    path = folder / f"t.{form}"
    if form in ("csv", "tsv"):
        with path.open("w", encoding="utf-8", newline="") as handle:
            csv.writer(handle, delimiter=_DELIMITERS[path.suffix]).writerows([names, *(map(text, row) for row in rows)])
    elif form == "xlsx":
        book = openpyxl.Workbook()
        for row in (names, *rows):
            book.worksheets[0].append(row)
        for cell in (cell for row in book.worksheets[0].iter_rows() for cell in row if cell.data_type == "f"):
            cell.data_type = "s"
        book.save(path)
    elif form == "jsonl":
        pairs = ([f"{json.dumps(name)}: {json.dumps(cell, default=str)}" for name, cell in zip(names, row, strict=True)] for row in rows)  # fmt: skip
        path.write_text("".join(f"{{{', '.join(row)}}}\n" for row in pairs), "utf-8")
    else:
        columns = [list(column) for column in zip(*rows, strict=True)]
        if form == "polars":
            return pl.from_arrow(pa.table(columns, names))
        frame = pd.DataFrame(dict(enumerate(columns))).set_axis(names, axis=1)
        frame = frame.set_index("").rename_axis(None) if "" in names else frame
        if form == "pandas":
            return frame
        if "" in names:
            frame.to_parquet(path)
        else:
            pq.write_table(pa.table(columns, names), path)
    return path


def taken_apart(container: Any) -> Cells:
    """A file by its suffix, a frame, an Arrow table or a list of dicts; the index of a pandas frame is a first column without a name."""
    if isinstance(container, Path) and container.suffix in _DELIMITERS:
        with container.open(encoding="utf-8", newline="") as handle:
            return _typed(csv.reader(handle, delimiter=_DELIMITERS[container.suffix]))
    if isinstance(container, Path) and container.suffix == ".xlsx":
        return _typed(openpyxl.load_workbook(container).worksheets[0].iter_rows(values_only=True))
    if isinstance(container, Path) and container.suffix == ".jsonl":
        lines = [json.loads(line, object_pairs_hook=list) for line in container.read_text("utf-8").split("\n") if line]
        return _typed([[name for name, _ in lines[0]], *([cell for _, cell in line] for line in lines)])
    if isinstance(container, pd.DataFrame):
        kinds = [str(kind) for kind in (container.index.dtype, *container.dtypes)]
        return Cells(["", *container.columns], kinds, [list(map(text, row)) for row in container.itertuples(name=None)])
    if isinstance(container, pl.DataFrame):
        kinds = [str(kind) for kind in container.dtypes]
        return Cells(container.columns, kinds, [list(map(text, row)) for row in container.rows()])
    if isinstance(container, list):
        return Cells([*container[0]], [], [list(map(text, row.values())) for row in container])
    table = pq.ParquetFile(container).read() if isinstance(container, Path) else container
    columns = [map(text, column.to_pylist()) for column in table.columns]
    return Cells(table.column_names, [str(kind) for kind in table.schema.types], list(map(list, zip(*columns, strict=True))))  # fmt: skip


def _typed(lines: Any) -> Cells:
    names, *rows = lines
    columns = zip(*rows, strict=True)
    kinds = ["/".join(sorted({type(cell).__name__ for cell in column if cell is not None})) for column in columns]
    return Cells([name or "" for name in names], kinds, [list(map(text, row)) for row in rows])


def text(cell: Any) -> str:
    """A cell as text; "" where there is nothing."""
    if isinstance(cell, list | dict | np.ndarray):
        return json.dumps(cell, default=str)
    if cell is None or cell is pd.NaT or cell is pd.NA or cell != cell:
        return ""
    if isinstance(cell, bool | np.bool_):
        return str(cell).lower()
    return cell.date().isoformat() if isinstance(cell, datetime) else str(cell)
