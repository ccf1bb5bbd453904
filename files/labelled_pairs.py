"""Labelled pairs of one file or of several, as a training takes them: each file with its own columns of labels."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import accumulate
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from ..errors import InputError, Remedy
from .invisible import read_visible
from .pair_labels import BLANK, check_conflicts, experts_of
from .pairs import Pairs, checked_pairs, sound_pairs
from .tables import Table, check_keeps_input, with_columns

REFUSE = "refuse"
_MAJORITY = Remedy("keeps the rows that say what most do", on_conflict="majority")


def read_labelled(
    pairs: Any,
    *,
    a: str = "a",
    b: str = "b",
    label: str = "label",
    soft: str | None = None,
    weight: str | None = None,
    group: str | None = None,
    on_conflict: str = REFUSE,
    rejects: str | os.PathLike[str] | None = None,
) -> tuple[Pairs, int]:
    """The labelled pairs, and how many rows are left out since none of a panel voted on them.

    Parameters
    ----------
    pairs : what `read_table` takes, or several of them in a list, a tuple or an iterator. A column `label` of one and columns
        `label_<name>` of another, or the same name for two columns of labels, are each read as in a file alone. The table that comes
        of several has all their columns, and in the column `label` what was decided.
    on_conflict : "refuse" makes an `InputError` of a pair with two labels; otherwise they are let through.

    The others are those of `read_pairs`, and so are the errors; also `InputError` for one file twice.
    """
    sources = sources_of(pairs)
    for source in sources:
        if isinstance(source, str | os.PathLike):
            check_keeps_input(source, rejects)
    tables = [read_visible(source, set_aside=rejects is not None) for source in sources]
    if len(tables) > 1:
        tables = [
            replace(table, source=f"{table.source} {number}") if _unnamed(source) else table
            for number, (source, table) in enumerate(zip(sources, tables, strict=True), start=1)
        ]
        _check_once(tables)
    problems: dict[int, InputError] = {}
    parts: list[Pairs] = []
    for start, table in zip(accumulate(map(len, tables), initial=0), tables, strict=False):
        own: dict[int, InputError] = {}
        parts.append(
            checked_pairs(table, own, a=a, b=b, label=label, soft=soft, weight=weight, group=group, blank=True)
        )
        problems.update({start + row: error for row, error in own.items()})
    read = parts[0] if len(parts) == 1 else _together(parts, label)
    assert read.label is not None
    unlabelled = read.label == BLANK
    unlabelled[list(problems)] = False
    if unlabelled.all():
        raise InputError("no row has a label", source=read.source, allowed="0 or 1 in a column of labels")
    if unlabelled.any():
        place = np.cumsum(~unlabelled) - 1
        read, problems = read.take(~unlabelled), {int(place[row]): error for row, error in problems.items()}
        assert read.label is not None
    if on_conflict == REFUSE:
        check_conflicts(read.table, a, (read.a, read.b), read.label, problems, _MAJORITY)
    return sound_pairs(read, problems, rejects), int(unlabelled.sum())


def sources_of(pairs: Any) -> Sequence[Any]:
    """Each table of several; a table alone, a list of dicts among them, is the only one."""
    if isinstance(pairs, Iterator):
        pairs = list(pairs)
    if isinstance(pairs, list | tuple) and pairs and not isinstance(pairs[0], Mapping | list | tuple):
        return pairs
    return [pairs]


def _unnamed(source: Any) -> bool:
    """Whether errors need a number to tell a table from others: it is no file."""
    return not isinstance(source, str | os.PathLike | Table)


def _check_once(tables: Sequence[Table]) -> None:
    seen: set[str] = set()
    for table in tables:
        place = str(Path(table.source).resolve())
        if place in seen:
            raise InputError("a file is given twice", source=table.source, allowed="each file once")
        seen.add(place)


def _together(parts: Sequence[Pairs], label: str) -> Pairs:
    """The rows of all parts, one after another. Experts are told apart by the names of their columns."""
    tables = [part.table for part in parts]
    labels = np.concatenate([part.label for part in parts if part.label is not None])
    joined = Table(
        with_columns(
            pa.table({name: _column(tables, name) for name in dict.fromkeys(n for t in tables for n in t.names)}),
            {label: pa.array(labels, mask=labels == BLANK)},
        ),
        ", ".join(table.source for table in tables),
        1,
        rows=np.concatenate([table.row_numbers() for table in tables]),
        sources=[table.source for table in tables for _ in range(len(table))],
        broken=tuple(error for table in tables for error in table.broken),
    )
    return Pairs(
        joined,
        _texts([part.a for part in parts]),
        _texts([part.b for part in parts]),
        joined.row_numbers(),
        labels,
        _numbers([part.weight for part in parts]),
        0,
        _ballots(parts, label),
        _numbers([part.soft for part in parts]),
        _texts([part.group for part in parts if part.group is not None]) if parts[0].group is not None else None,
    )


def _column(tables: Sequence[Table], name: str) -> pa.ChunkedArray:
    """A column of all tables, null where one lacks it; as text where they do not agree on what it holds."""
    kinds = {table.data.schema.field(name).type for table in tables if name in table.names}
    kind = kinds.pop() if len(kinds) == 1 else pa.string()
    chunks: list[pa.Array] = []
    for table in tables:
        if name not in table.names:
            chunks.append(pa.nulls(len(table), kind))
        elif table.data.schema.field(name).type == kind:
            chunks += table.data.column(name).chunks
        else:
            values = (None if value is None else str(value) for value in table.column(name))
            chunks.append(pa.array(values, kind))
    return pa.chunked_array(chunks, kind)


def _texts(columns: Sequence[pa.ChunkedArray]) -> pa.ChunkedArray:
    return pa.chunked_array([chunk.cast(pa.large_string()) for column in columns for chunk in column.chunks])


def _numbers(columns: Sequence[NDArray[np.float64] | None]) -> NDArray[np.float64] | None:
    known = [column for column in columns if column is not None]
    return np.concatenate(known) if known else None


def _ballots(parts: Sequence[Pairs], label: str) -> NDArray[np.int8] | None:
    experts = {}
    for part in parts:
        if part.ballots is not None:
            for name in experts_of(part.table, label):
                experts.setdefault(name, len(experts))
    if not experts:
        return None
    rows = [np.full((len(part), len(experts)), BLANK, np.int8) for part in parts]
    for part, votes in zip(parts, rows, strict=True):
        if part.ballots is not None:
            votes[:, [experts[name] for name in experts_of(part.table, label)]] = part.ballots
    return np.concatenate(rows)
