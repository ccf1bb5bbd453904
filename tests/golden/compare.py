"""What a golden run finds against what was frozen of it: tables of rows in their order, within tolerances."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

Row = dict[str, Any]
Cell = Any
Tables = Mapping[str, Sequence[Row]]
"""A cell that is absent is undefined."""
EXACT = 1e-9
PERMUTATIONS = 9_999
SEEDS = 12
P_VALUES, DRAWN = ("p", "p_holm"), "drawn"


def differences(expected: Tables, found: Tables) -> list[str]:
    """A line for each table, row or cell that is not as frozen; none where all is as it was."""
    out = [f"{name}: {'not found' if name in expected else 'new'}" for name in sorted(expected.keys() ^ found.keys())]
    for name in sorted(expected.keys() & found.keys()):
        if len(expected[name]) != len(found[name]):
            out.append(f"{name}: {len(expected[name])} rows were expected, {len(found[name])} are found")
        for was, now in zip(expected[name], found[name], strict=False):
            for column in sorted({*was, *now} - {DRAWN}):
                old, new = was.get(column), now.get(column)
                if not alike(old, new, _tolerance(was, column)):
                    out.append(f"{name} {now}, {column}: {old} was expected")
    return out


def alike(old: Cell, new: Cell, tolerance: float = 0.0) -> bool:
    """Whether a cell is as frozen. old : a range [least, most] of a number that moves with the seed."""
    if isinstance(old, list) and len(old) == 2 and isinstance(new, int | float):
        least, most = old
        return least - tolerance - EXACT <= new <= most + tolerance + EXACT
    if isinstance(old, float) and isinstance(new, int | float) and not isinstance(new, bool):
        return abs(new - old) <= tolerance + EXACT * max(1.0, abs(old))
    return type(old) is type(new) and old == new


def _tolerance(row: Row, column: str) -> float:
    """Beyond 1e-9: a tenth of an interval's width, three standard errors of a drawn p, the length of a drawn range."""
    value = row.get(column)
    if width := _width(row, column):
        return max(width / 10, _one_case(row, value))
    if column in P_VALUES and row.get(DRAWN):
        # Holm's correction multiplies p, and its error, by at most the number of comparisons
        most = row.get("n_comparisons", 1) if column == "p_holm" else 1
        least = max(value, 1 / (PERMUTATIONS + 1))
        return 3 * math.sqrt(max(least * (most - least), least) / PERMUTATIONS * (1 + 1 / SEEDS))
    return value[1] - value[0] if isinstance(value, list) and len(value) == 2 else 0.0


def _one_case(row: Row, end: Cell) -> float:
    """How far apart the ends of an interval lie that are whole numbers of cases: 0 for an end that is none."""
    n = row.get("n_cases", 0)
    whole = n and all(abs(one * n - round(one * n)) < 1e-6 for one in (end if isinstance(end, list) else [end]))
    return 1 / n if whole else 0.0


def _width(row: Row, column: str) -> float:
    """Of the interval that `column` is an end of: "low", "f1_high"; 0 for another column."""
    before, _, end = column.rpartition("_")
    if end not in ("low", "high"):
        return 0.0
    low, high = (row.get(f"{before}_{one}" if before else one) for one in ("low", "high"))
    return 0.0 if low is None or high is None else _middle(high) - _middle(low)


def _middle(cell: Cell) -> float:
    return sum(cell) / 2 if isinstance(cell, list) else float(cell)


def frozen(found: Sequence[Tables]) -> dict[str, list[Row]]:
    """What a run found under several seeds, as it is frozen: a number that moves with the seed becomes a range.

    Of a p that moves the mean is frozen and the row marked as drawn; an interval's end stays a number where it moves by less
    than a twentieth of the width.

    Errors: `ValueError` where anything but a number moves.
    """
    every = {name: zip(*(one[name] for one in found), strict=True) for name in found[0]}
    return {name: list(map(_frozen_row, rows)) for name, rows in every.items()}


def _frozen_row(rows: Sequence[Row]) -> Row:
    first, out = rows[0], dict[str, Any]()
    for column, value in first.items():
        values = [row.get(column) for row in rows]
        if all(alike(value, other) for other in values):
            out[column] = value
            continue
        if not all(isinstance(one, float) for one in values):
            raise ValueError(f"{column} moves with the seed: {values}")
        if column in P_VALUES:
            out |= {column: math.fsum(values) / len(values), DRAWN: True}
        elif max(values) - min(values) <= _width(first, column) / 20:
            out[column] = value
        else:
            out[column] = [min(values), max(values)]
    return out


def read(path: Path) -> dict[str, list[Row]]:
    """What was frozen, as `write` wrote it."""
    return {
        name: [{column: cell for column, cell in zip(columns, row, strict=True) if cell is not None} for row in rows]
        for name, (columns, *rows) in json.loads(path.read_text("utf-8")).items()
    }


def write(path: Path, tables: Tables) -> None:
    """Of each table its columns, then a row a line; numbers with 12 digits."""
    parts = []
    for name, rows in tables.items():
        columns = list(dict.fromkeys(column for row in rows for column in row))
        lines = [columns, *([_short(row.get(column)) for column in columns] for row in rows)]
        parts.append(f"{_json(name)}: [\n" + ",\n".join(map(_json, lines)) + "\n]")
    path.write_text("{\n" + ",\n".join(parts) + "\n}\n", "utf-8")


def _short(cell: Cell) -> Cell:
    if isinstance(cell, list):
        return [_short(one) for one in cell]
    return float(f"{cell:.12g}") if isinstance(cell, float) else cell


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)
