"""What a golden run finds against what was frozen of it: tables of rows, each row by its key, within tolerances."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

Row = dict[str, Any]
Cell = Any
EXACT = 1e-9
PERMUTATIONS = 9_999
SEEDS = 12
P_VALUES, DRAWN = ("p", "p_corrected"), "drawn"


class Table(NamedTuple):
    """key : the columns that tell a row from all others. A cell that is absent is undefined."""

    key: tuple[str, ...]
    rows: list[Row]

    def by_key(self) -> dict[tuple[Cell, ...], Row]:
        found: dict[tuple[Cell, ...], Row] = {}
        for row in self.rows:
            cells = (row.get(column) for column in self.key)
            name = tuple(round(cell, 9) if isinstance(cell, float) else cell for cell in cells)
            if name in found:
                raise ValueError(f"two rows have the key {name}")
            found[name] = row
        return found


Tables = Mapping[str, Table]


def differences(expected: Tables, found: Tables) -> list[str]:
    """A line for each table, row or cell that is not as frozen; none where all is as it was."""
    out = [f"{name}: {'not found' if name in expected else 'new'}" for name in sorted(expected.keys() ^ found.keys())]
    for name in sorted(expected.keys() & found.keys()):
        was, now = expected[name].by_key(), Table(expected[name].key, found[name].rows).by_key()
        out += [f"{name} {key}: {'gone' if key in was else 'new'}" for key in [*(was.keys() ^ now.keys())]]
        for key in was.keys() & now.keys():
            for column in sorted({*was[key], *now[key]} - {DRAWN}):
                old, new = was[key].get(column), now[key].get(column)
                if not alike(old, new, _tolerance(was[key], column)):
                    out.append(f"{name} {key}, {column}: {old} was expected, {new} is found")
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
        most = row.get("comparisons", 1) if column == "p_corrected" else 1
        least = max(value, 1 / (PERMUTATIONS + 1))
        return 3 * math.sqrt(max(least * (most - least), least) / PERMUTATIONS * (1 + 1 / SEEDS))
    return value[1] - value[0] if isinstance(value, list) and len(value) == 2 else 0.0


def _one_case(row: Row, end: Cell) -> float:
    """How far apart the ends of an interval lie that are whole numbers of cases: 0 for an end that is none."""
    n = row.get("n", 0)
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


def frozen(found: Sequence[Tables]) -> dict[str, Table]:
    """What a run found under several seeds, as it is frozen: a number that moves with the seed becomes a range.

    Of a p that moves the mean is frozen and the row marked as drawn; an interval's end stays a number where it moves by less
    than a twentieth of the width.

    Errors: `ValueError` where anything but a number moves.
    """
    out: dict[str, Table] = {}
    for name, table in found[0].items():
        each = [one[name].by_key() for one in found]
        if any(one.keys() != each[0].keys() for one in each):
            raise ValueError(f"{name}: rows come and go with the seed")
        out[name] = Table(table.key, [_frozen_row([one[key] for one in each]) for key in each[0]])
    return out


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


def read(path: Path) -> dict[str, Table]:
    """What was frozen, as `write` wrote it."""
    return {
        name: Table(
            tuple(table["key"]),
            [
                {column: cell for column, cell in zip(table["columns"], row, strict=True) if cell is not None}
                for row in table["rows"]
            ],
        )
        for name, table in json.loads(path.read_text("utf-8")).items()
    }


def write(path: Path, tables: Tables) -> None:
    """A row a line; numbers with 12 digits."""
    parts = []
    for name, table in tables.items():
        columns = list(dict.fromkeys([*table.key, *(column for row in table.rows for column in row)]))
        rows = ",\n".join(_json([_short(row.get(column)) for column in columns]) for row in table.rows)
        head = f'"key": {_json(table.key)},\n"columns": {_json(columns)}'
        parts.append(f'{_json(name)}: {{\n{head},\n"rows": [\n{rows}\n]}}')
    path.write_text("{\n" + ",\n".join(parts) + "\n}\n", "utf-8")


def _short(cell: Cell) -> Cell:
    if isinstance(cell, list):
        return [_short(one) for one in cell]
    return float(f"{cell:.12g}") if isinstance(cell, float) else cell


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)
