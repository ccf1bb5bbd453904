"""Pairs of diagnoses as users hold them: validation, expert labels, rejects."""

# pyright: reportAttributeAccessIssue=false
# pyarrow.compute makes its functions at run time, where no type checker sees them.

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from .errors import InputError
from .tables import Table, read_table, write_rejects
from .text import MAX_CHARACTERS

_LABELS = {"0": 0, "1": 1, "0.0": 0, "1.0": 1, "false": 0, "true": 1}


@dataclass(frozen=True)
class Pairs:
    """n rows that passed validation.

    table : the rows as they came, refused ones taken out.
    a, b : the two diagnoses, stripped of white space, none null.
    label : int8[n] of 0 and 1, or None when no label was asked for.
    weight : float64[n], or None.
    n_rejected : rows that were set aside.
    """

    table: Table
    a: pa.ChunkedArray
    b: pa.ChunkedArray
    label: NDArray[np.int8] | None = None
    weight: NDArray[np.float64] | None = None
    n_rejected: int = 0

    def __len__(self) -> int:
        return len(self.a)


def read_pairs(
    source: Any,
    *,
    a: str = "a",
    b: str = "b",
    label: str | None = None,
    weight: str | None = None,
    rejects: str | os.PathLike[str] | None = None,
) -> Pairs:
    """Reads and checks pairs.

    Parameters
    ----------
    source : a path, a data frame, or a sequence of two-tuples of strings.
    a, b : the columns of the two diagnoses.
    label : the column of 0/1 labels. Where it is absent but columns `label_<name>` are there, each is an expert's and
        the majority of that panel decides; without one, the column `adjudicated` does. None reads no label.
    weight : a column of positive weights.
    rejects : a file for the rows that cannot be right; without it the first such row is an `InputError`.
    """
    table = read_table(_from_tuples(source))
    for column in (a, b):
        table.require(column, "a diagnosis")
    if label is not None and label not in table.names and not experts_of(table, label):
        table.require(label, "0 or 1")
    if weight is not None:
        table.require(weight, "a weight")

    problems: dict[int, InputError] = {}
    text = {column: table.text(column) for column in (a, b)}
    for column, values in text.items():
        _check_text(table, column, values, problems)
    labels = None
    if label is not None:
        labels = _plain_labels(table, label, problems) if label in table.names else _majority(table, label, problems)
        _check_conflicts(table, (a, b), text, labels, problems)
    weights = _weights(table, weight, problems) if weight is not None else None

    if not problems:
        return Pairs(table, text[a], text[b], labels, weights)
    if rejects is None:
        raise problems[min(problems)]
    write_rejects(table, {row: str(error) for row, error in problems.items()}, rejects)
    keep = np.ones(len(table), bool)
    keep[list(problems)] = False
    if not keep.any():
        raise InputError(f"all {len(table):,} rows were refused; see {os.fspath(rejects)}", source=table.source)
    mask = pa.array(keep)
    kept = Table(table.data.filter(mask), table.source, table.first_row, table.frame)
    return Pairs(
        kept,
        text[a].filter(mask),
        text[b].filter(mask),
        None if labels is None else labels[keep],
        None if weights is None else weights[keep],
        len(problems),
    )


def _from_tuples(source: Any) -> Any:
    if not isinstance(source, Sequence) or isinstance(source, str | bytes | os.PathLike):
        return source
    for row, pair in enumerate(source):
        if not (isinstance(pair, tuple | list) and len(pair) == 2 and all(isinstance(side, str) for side in pair)):
            raise InputError(
                "not a pair", source="pairs", row=row, allowed='two strings, ("heart attack", "MI")', got=pair
            )
    data = pa.table(
        {"a": pa.array([p[0] for p in source], pa.string()), "b": pa.array([p[1] for p in source], pa.string())}
    )
    if data.num_rows == 0:
        raise InputError("no pairs", source="pairs", allowed="at least one")
    return Table(data, "pairs", 0)


def experts_of(table: Table, label: str) -> list[str]:
    """The columns `label_<name>`, one per expert."""
    return [name for name in table.names if name.startswith(f"{label}_")]


def _check_text(table: Table, column: str, values: pa.ChunkedArray, problems: dict[int, InputError]) -> None:
    missing = np.asarray(values.is_null())
    too_long = np.asarray(pc.fill_null(pc.greater(pc.utf8_length(values), MAX_CHARACTERS), False))
    wordless = np.asarray(pc.fill_null(pc.invert(pc.match_substring_regex(values, r"[\pL\pN]")), False))
    for row in np.flatnonzero(missing | too_long | wordless).tolist():
        got = table.data.column(column)[row].as_py()
        if missing[row]:
            error = table.error("the diagnosis is blank", row, column, allowed="a diagnosis in words", got=got)
        elif too_long[row]:
            error = table.error(
                f"a diagnosis of {len(got):,} characters",
                row,
                column,
                allowed=f"at most {MAX_CHARACTERS:,} characters",
                got=got,
            )
        else:
            error = table.error(
                "a diagnosis without a letter or digit", row, column, allowed="a diagnosis in words", got=got
            )
        problems.setdefault(row, error)


def _parse_label(value: Any) -> int | None:
    """0 or 1; None for a blank; -1 for anything else."""
    if value is None or value == "" or value != value:
        return None
    return _LABELS.get(str(value).strip().casefold(), -1)


def _parsed(table: Table, column: str, problems: dict[int, InputError]) -> list[int | None]:
    out = []
    for row, value in enumerate(table.column(column)):
        parsed = _parse_label(value)
        if parsed == -1:
            problems.setdefault(
                row,
                table.error("a label that is not 0 or 1", row, column, allowed="0 (no match) or 1 (match)", got=value),
            )
            parsed = None
        out.append(parsed)
    return out


def _plain_labels(table: Table, column: str, problems: dict[int, InputError]) -> NDArray[np.int8]:
    out = np.zeros(len(table), np.int8)
    for row, value in enumerate(_parsed(table, column, problems)):
        if value is None:
            problems.setdefault(
                row, table.error("the label is blank", row, column, allowed="0 (no match) or 1 (match)", got=None)
            )
        else:
            out[row] = value
    return out


def _majority(table: Table, label: str, problems: dict[int, InputError]) -> NDArray[np.int8]:
    """More than half of the intended panel decides; a blank is no vote, and without a majority `adjudicated` decides."""
    experts = experts_of(table, label)
    votes = [_parsed(table, column, problems) for column in experts]
    final = _parsed(table, "adjudicated", problems) if "adjudicated" in table.names else [None] * len(table)
    out = np.zeros(len(table), np.int8)
    for row in range(len(table)):
        ballot = [column[row] for column in votes]
        for verdict in (0, 1):
            if 2 * ballot.count(verdict) > len(experts):
                out[row] = verdict
                break
        else:
            verdict = final[row]
            if verdict is None:
                problems.setdefault(
                    row,
                    table.error(
                        f"no majority among {len(experts)} experts and no adjudication", row, "adjudicated",
                        allowed="0 or 1 where the experts tie or are blank", got=dict(zip(experts, ballot, strict=True)),
                    ),
                )  # fmt: skip
            else:
                out[row] = verdict
    return out


def _check_conflicts(
    table: Table,
    columns: tuple[str, str],
    text: dict[str, pa.ChunkedArray],
    labels: NDArray[np.int8],
    problems: dict[int, InputError],
) -> None:
    """One pair, in either order, has one label. All rows of a pair with two labels are refused."""
    rows_of: dict[tuple[str, str], list[int]] = {}
    for row, (a, b) in enumerate(zip(text[columns[0]].to_pylist(), text[columns[1]].to_pylist(), strict=True)):
        if row not in problems:
            a, b = a.casefold(), b.casefold()
            rows_of.setdefault((a, b) if a <= b else (b, a), []).append(row)
    for pair, rows in rows_of.items():
        if len({int(labels[row]) for row in rows}) > 1:
            shown = ", ".join(f"row {table.row_number(row)}: {labels[row]}" for row in rows[:4])
            for row in rows:
                problems[row] = table.error(
                    f"the pair {pair[0]!r}, {pair[1]!r} has two labels ({shown})", row, columns[0],
                    allowed="one label for a pair, in either order; --rejects FILE sets such rows aside",
                )  # fmt: skip


def _weights(table: Table, column: str, problems: dict[int, InputError]) -> NDArray[np.float64]:
    out = np.ones(len(table))
    for row, value in enumerate(table.column(column)):
        try:
            number = float(value)
        except (TypeError, ValueError):
            number = float("nan")
        if not (np.isfinite(number) and number > 0):
            problems.setdefault(
                row, table.error("a weight that is no positive number", row, column, allowed="> 0", got=value)
            )
        else:
            out[row] = number
    return out
