"""The table that a console session fills: one row a pair, one column an expert, whole after every answer."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol

import pyarrow as pa

from ..errors import InputError
from ..files.pair_labels import parsed_labels
from ..files.tables import check_output, read_table, write_table
from ..settings import for_spreadsheets

UNSURE = "unsure"
"""The column that names the experts who were unsure of a pair."""
_VALUES = {"yes": 1, "no": 0}


class Pair(Protocol):
    """identity : an id, or None. a, b : two diagnoses."""

    @property
    def identity(self) -> str | None: ...
    @property
    def a(self) -> str: ...
    @property
    def b(self) -> str: ...


def key_of(a: str, b: str) -> tuple[str, ...]:
    """The same for a pair in either order, and after what a spreadsheet may do to it."""
    return tuple(sorted(" ".join(text.split()).removeprefix("'").casefold() for text in (a, b)))


class AnswerFile:
    """What is answered in the table at `path`, which need not be there yet, by `expert`.

    Raises
    ------
    InputError
        For a table that holds something else: without a and b, with labels that are none, a pair twice, or with a column `label`, which would go before
        what the experts say.
    """

    def __init__(self, path: Path, expert: str) -> None:
        check_output(path)
        self._path, self._expert, self._column = path, expert, f"label_{expert}"
        self._own: dict[tuple[str, ...], tuple[Pair, str]] = {}
        self._seen: tuple[int, int] | None = None
        self._rows: dict[tuple[str, ...], dict[str, Any]] = {}
        self._read()

    def of(self, pair: Pair) -> str | None:
        """The expert's answer: "yes", "no" or "unsure"; None where there is none."""
        row = self._rows.get(key_of(pair.a, pair.b), {})
        said = row.get(self._column)
        if said is None:
            return "unsure" if self._expert in _names(row) else None
        return "yes" if said else "no"

    def put(self, pair: Pair, answer: str) -> None:
        """Writes an answer: the table on disk is the one before it or the one with it."""
        self._own[key_of(pair.a, pair.b)] = pair, answer
        if self._stamp() != self._seen:
            # Another expert's session, or a spreadsheet, has written it meanwhile.
            self._read()
            for one, said in self._own.values():
                self._set(one, said)
        self._set(pair, answer)
        write_table(self._table(), self._path, spreadsheet=for_spreadsheets())
        self._seen = self._stamp()

    def _set(self, pair: Pair, answer: str) -> None:
        row = self._rows.setdefault(key_of(pair.a, pair.b), {"id": pair.identity, "a": pair.a, "b": pair.b})
        row[self._column] = _VALUES.get(answer)
        others = [name for name in _names(row) if name != self._expert]
        row[UNSURE] = ", ".join([*others, self._expert] if answer == "unsure" else others) or None

    def _stamp(self) -> tuple[int, int] | None:
        if not self._path.exists():
            return None
        known = self._path.stat()
        return known.st_mtime_ns, known.st_size

    def _read(self) -> None:
        self._seen, self._rows = self._stamp(), {}
        if self._seen is None:
            return
        table = read_table(self._path)
        for name in ("a", "b"):
            table.required_text(name) if name in table.names else table.require(name, "a diagnosis")
        if "label" in table.names:
            raise InputError(
                "a column 'label' is there, which goes before what the experts say", source=str(self._path),
                allowed="a new file, or a table of a, b and label_<expert>", got=table.names,
            )  # fmt: skip
        problems: dict[int, InputError] = {}
        columns = {
            name: parsed_labels(table, name, problems) if name.startswith("label_") else table.column(name)
            for name in table.names
        }
        if problems:
            raise problems[min(problems)]
        for index, values in enumerate(zip(*columns.values(), strict=True)):
            row = dict(zip(columns, values, strict=True))
            if self._rows.setdefault(key_of(row["a"], row["b"]), row) is not row:
                raise table.error("a pair twice", index, "a", allowed="each pair once, in either order", got=row["a"])

    def _table(self) -> pa.Table:
        names = dict.fromkeys(["id", "a", "b", *(name for row in self._rows.values() for name in row)])
        columns: dict[str, pa.Array] = {}
        for name in [*(name for name in names if name != UNSURE), UNSURE]:
            values = [row.get(name) for row in self._rows.values()]
            if name not in ("id", UNSURE) or any(values):
                columns[name] = pa.array(values, _type_of(name))
        return pa.table(columns)


def _type_of(name: str) -> pa.DataType | None:
    if name.startswith("label_"):
        return pa.int8()
    return pa.string() if name in ("id", "a", "b", UNSURE) else None


def _names(row: dict[str, Any]) -> Sequence[str]:
    return [name for name in (row.get(UNSURE) or "").split(", ") if name]
