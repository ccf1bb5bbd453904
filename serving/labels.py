"""What people say of pairs, in a CSV file that `dxmatch train` takes as it is: the last word on a pair stands."""

from __future__ import annotations

import getpass
import os
import re
import threading
from datetime import UTC, datetime
from pathlib import Path

import pyarrow as pa

from ..errors import InputError, Open, OptionError, Remedy
from ..files.atomic import alone
from ..files.tables import check_output, read_table, write_table
from .messages import Labelled

_NAME = re.compile(r"\w[\w.-]*")
_Rows = dict[tuple[str, ...], Labelled]


def user_name() -> str:
    """The name that this user is logged in by, as part of a column's name; "me" where there is none."""
    try:
        return re.sub(r"[^\w.-]", "_", getpass.getuser()) or "me"
    except (OSError, KeyError, ImportError):  # no entry for the user, as in some containers; Windows without USERNAME
        return "me"


class LabelFile:
    """Labels of one person. The file is read before each word and written whole after it, under a lock: two servers may share it.

    Parameters
    ----------
    path : a CSV file, made with the first label; its owner alone can read it.
    expert : who labels; their column is `label_<expert>`.

    Raises
    ------
    OptionError
        For a name that is none.
    InputError
        For a file that is no such file, or holds another's labels.
    """

    def __init__(self, path: str | os.PathLike[str], expert: str) -> None:
        self.path = Path(path)
        if not _NAME.fullmatch(expert):
            raise OptionError("expert", "a name of letters, digits, '_', '.' and '-'", expert)
        if check_output(self.path) != ".csv":
            raise OptionError("labels", "a .csv file", str(path))
        self.column = f"label_{expert}"
        self._mutex = threading.Lock()
        self._rows = self._read()

    def label(self, a: str, b: str) -> int | None:
        """What was said of a pair, in either order, as far as this process knows."""
        found = self._rows.get(_key(a, b))
        return None if found is None else found.label

    def say(self, a: str, b: str, label: int | None) -> None:
        """Takes the label of a pair in place of any that it had; None takes that back."""
        with self._mutex, alone(self.path.with_name(f".{self.path.name}.lock"), f"a label in {self.path.name}"):
            rows = self._read()
            key = _key(a, b)
            before = rows.pop(key, None)
            if before is not None and before.label == label:
                rows[key] = before
            elif label is not None:
                rows[key] = Labelled(a.strip(), b.strip(), label, datetime.now(UTC).isoformat(timespec="seconds"))
            if rows:
                self._write(rows)
            else:  # a table without a row is none that training takes
                self.path.unlink(missing_ok=True)
            self._rows = rows

    def last(self, most: int) -> list[Labelled]:
        """Those said last, newest first."""
        return list(self._rows.values())[: -most - 1 : -1]

    def __len__(self) -> int:
        return len(self._rows)

    def _columns(self) -> list[str]:
        return ["a", "b", self.column, "when"]

    def _read(self) -> _Rows:
        if not self.path.is_file() or not self.path.stat().st_size:
            return {}
        table = read_table(self.path)
        if sorted(table.names) != sorted(self._columns()):
            raise InputError(
                "not the file of these labels", source=str(self.path),
                allowed=f"the columns {', '.join(self._columns())}, or a new file; dxmatch train takes several", got=table.names,
                remedy=Remedy("keeps them elsewhere", labels=Open("FILE")),
            )  # fmt: skip
        rows: _Rows = {}
        values = zip(*(table.column(name) for name in self._columns()), strict=True)
        for place, (a, b, label, when) in enumerate(values):
            if not (a and b) or label not in ("0", "1"):
                raise table.error(
                    "a row that holds no label", place, self.column, allowed="a, b, and 0 or 1", got=label
                )
            rows.pop(_key(a, b), None)
            rows[_key(a, b)] = Labelled(a, b, int(label), when or "")
        return rows

    def _write(self, rows: _Rows) -> None:
        kept = list(rows.values())
        columns = [[each.a for each in kept], [each.b for each in kept], [str(each.label) for each in kept]]
        table = pa.table([*columns, [each.when for each in kept]], names=self._columns())
        write_table(
            table.cast(pa.schema([(name, pa.string()) for name in table.column_names])), self.path, spreadsheet=False
        )


def _key(a: str, b: str) -> tuple[str, ...]:
    """What training takes for one pair."""
    return tuple(sorted((a.strip().casefold(), b.strip().casefold())))
