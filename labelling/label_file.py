"""The file that takes what an expert says of pairs, from the console and from the page of `serve`: each answer is appended."""

from __future__ import annotations

import csv
import io
import os
import threading
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from ..errors import InputError
from ..files.pair_labels import ALLOWED, LABELLED_AT, NO_LABEL, Key, answer_of, key_of
from ..files.tables import check_output
from .sheets import PREFIX, read_answers
from .suggestion import check_experts

_ONE_AT_A_TIME = threading.Lock()
"""Threads; between processes the system appends each line whole."""
_KEPT = {"yes": "1", "no": "0"}


class Said(NamedTuple):
    """The last word on a pair: "yes", "no" or "unsure"; when: in UTC."""

    a: str
    b: str
    answer: str
    when: str


class LabelFile:
    """Labels of one expert, a line each in a CSV file of a, b, `label_<expert>` and labelled_at; the last word on a pair stands.

    `dxmatch train` and `labels` take it as it is. Two sessions or servers may write to it.

    Parameters
    ----------
    path : the file, made with the first answer. expert : who labels.

    Raises
    ------
    OptionError
        For a name that cannot be part of a column's.
    InputError
        For a file of another kind, or of another expert.
    """

    def __init__(self, path: str | os.PathLike[str], expert: str) -> None:
        check_experts([expert], "expert")
        self.path, self.column = Path(path), f"{PREFIX}{expert}"
        self._names = ["a", "b", self.column, LABELLED_AT]
        if check_output(self.path) != ".csv":
            raise InputError("labels are appended to text", source=str(path), allowed="a .csv file")
        self._said: dict[Key, Said] = {}
        written = self.path.read_bytes() if self.path.exists() else b""
        if written:
            self._check(written.partition(b"\n")[0])
        if len(written.splitlines()) > 1:
            table, rows = read_answers(self.path)
            answers = table.parsed(self.column, answer_of, NO_LABEL, ALLOWED)
            said = zip(*map(table.column, ("a", "b")), answers, table.column(LABELLED_AT), strict=True)
            every = [Said(*one) for one in said]
            self._said = {key: every[row] for key, row in rows.items() if answers[row] is not None}

    def of(self, a: str, b: str) -> str | None:
        """What was said of a pair, in either order, as far as this process knows: "yes", "no" or "unsure"; None where nothing was."""
        found = self._said.get(key_of(a, b))
        return None if found is None else found.answer

    def say(self, a: str, b: str, answer: str | None) -> None:
        """Appends an answer, "yes", "no" or "unsure", which is on the disk when this returns; None takes back what was said before."""
        if answer == self.of(a, b):
            return
        said = Said(a.strip(), b.strip(), answer or "", datetime.now(UTC).isoformat(timespec="seconds"))
        line = _line([said.a, said.b, _KEPT.get(said.answer, said.answer), said.when])
        with _ONE_AT_A_TIME, self.path.open("a+b") as file:
            file.seek(0)
            if header := file.readline():
                self._check(header)
            file.write(line if header else _line(self._names) + line)
            file.flush()
            os.fsync(file.fileno())
        key = key_of(a, b)
        self._said.pop(key, None)
        if answer is not None:
            self._said[key] = said

    def last(self, most: int) -> list[Said]:
        """Those said last, newest first."""
        return list(self._said.values())[: -most - 1 : -1]

    def __len__(self) -> int:
        return len(self._said)

    def _check(self, header: bytes) -> None:
        """Errors: `InputError` for the first line of another file, or of this one after a spreadsheet wrote it in its own way."""
        if header.rstrip() != _line(self._names).rstrip():
            allowed = f"the columns {', '.join(self._names)}, or a new file; dxmatch labels joins several"
            got = header.decode("utf-8", "replace").strip()
            raise InputError("not the file of these labels", source=str(self.path), allowed=allowed, got=got)


def _line(cells: list[str]) -> bytes:
    made = io.StringIO(newline="")
    csv.writer(made, lineterminator="\n").writerow(cells)
    return made.getvalue().encode()
