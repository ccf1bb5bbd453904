"""Whether a vote store holds what was put into it; a repaired copy, and what is to be asked again."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing, suppress
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

import msgspec
import pyarrow as pa

from ...errors import DxmatchError, quoted
from ...files.atomic import only_for_me, whole_file
from ...files.tables import write_table
from ..prompts.questions import IMPORTED
from .file import FORMAT, WITHOUT_CHECKSUMS, StoreError, StoreFile, transaction
from .pages import records
from .proof import Damage, damages, hash_of
from .rows import COLUMNS, KEY, KEY_LENGTH, KINDS, problem_of, with_checksum

_MOST_SHOWN = 1_000
_KEPT_AWAY = (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_BUSY)
"""Errors that say nothing of what the store holds."""
_OF_PAIRS = ("vote-", "relation-")


@dataclass
class StoreCheck:
    """What was found.

    format : 2, or 1 for a store without checksums; None where it cannot be read.
    damages : what is wrong, the first 1,000; empty for a store that is whole (of format 1: whose cells are of their kinds).
    repaired : the copy; None where none was asked for.
    answers : in the copy; without one in the store, 0 where they cannot be counted.
    lost : how many more the store held than the copy, by its own count; None where that cannot be read.
    lost_asked, lost_imported : of these, the ones that can still be named: asked of a model, or imported as a table of votes.
    imports : whether imported votes are among what the store held.
    ask_again : a table of the pairs (a, b) whose answers are lost and can still be named; None where there is none.
    """

    path: Path
    format: int | None
    damages: list[Damage] = field(default_factory=list)
    repaired: Path | None = None
    answers: int = 0
    lost: int | None = None
    lost_asked: int = 0
    lost_imported: int = 0
    imports: bool = False
    ask_again: Path | None = None

    @property
    def whole(self) -> bool:
        return not self.damages

    def lines(self) -> list[str]:
        """For the user to read."""
        said = [f"{self.path}: {damage}" for damage in self.damages[:20]]
        if len(self.damages) > 20:
            said.append(
                f"and {len(self.damages) - 20:,}{' or more' if len(self.damages) == _MOST_SHOWN else ''} others."
            )
        if self.whole:
            without = f" It is of format {self.format}, which has no checksums: changed answers cannot be told."
            said.append(f"{self.path} is whole.{without if self.format == WITHOUT_CHECKSUMS else ''}")
        else:
            said.append(f"{self.path} is damaged.")
        if self.repaired:
            lost = "how many are lost cannot be read" if self.lost is None else f"{self.lost:,} lost"
            said.append(f"Written: {self.repaired} ({self.answers:,} answers; {lost}). {self.path} was left as it is.")
            said += self._what_to_do()
        if self.ask_again:
            said.append(f"Written: {self.ask_again}, the pairs to ask again, for `dxmatch votes ask`.")
        return said

    def _what_to_do(self) -> list[str]:
        """About the lost answers."""
        if self.lost == 0:
            return []
        unnamed = None if self.lost is None else max(0, self.lost - self.lost_asked - self.lost_imported)
        said = []
        if unnamed != 0:
            said.append(f"Which they are cannot be told{'' if unnamed is None else f' of {unnamed:,}'}.")
        if self.lost_asked or unnamed != 0:
            said.append("What a command asked it asks again where the copy lacks it, and nothing else.")
        if self.lost_imported or (self.imports and unnamed != 0):
            many = f" ({self.lost_imported:,} of the lost)" if self.lost_imported else ""
            said.append(
                f"Imported votes{many} are not asked again: import their tables again, which adds what the copy lacks."
            )
        return said


def check_votes(path: str | os.PathLike[str], *, repair: str | os.PathLike[str] | None = None) -> StoreCheck:
    """Reads all of a vote store, which is left as it is, and says what is wrong with it.

    With `repair` the whole of it is held in memory once.

    Parameters
    ----------
    repair
        A file, absent yet, for a copy of format 2 with every row that proves right. Pairs whose answers are lost, as far
        as they can be named, come into a table beside it, `COPY.ask-again.csv`. Of a store of format 1, which has no checksums,
        every row that can be read counts as right.

    Raises
    ------
    StoreError
        There is no such file, or it is no vote store at all.
    DxmatchError
        The copy is there already or cannot be written.
    """
    source = Path(path)
    copy = None if repair is None else Path(repair)
    if copy is not None and copy.exists():
        raise DxmatchError(f"{copy} is there already; a repaired copy takes a new name.")
    if not source.is_file():
        raise StoreError(f"{source}: no such vote store.")
    found = StoreCheck(source, None)
    file = StoreFile(source, 0)
    try:
        with closing(file.reading()) as db:
            found.format = file.format_of(db)
            found.damages = list(islice(damages(db, summed=found.format == FORMAT), _MOST_SHOWN))
            found.answers = db.execute("SELECT count(*) FROM answer").fetchone()[0]
    except (sqlite3.Error, UnicodeDecodeError, OverflowError) as error:
        if isinstance(error, sqlite3.Error) and getattr(error, "sqlite_errorcode", 0) & 0xFF in _KEPT_AWAY:
            raise file.explained(error) from error
        found.damages.append(Damage("file", None, None, quoted(str(error))))
    except StoreError as error:  # of another kind, or with a damaged head
        if copy is None:
            raise
        found.damages.append(Damage("file", None, None, str(error).removeprefix(f"{source}: ")))
    if copy is not None:
        _repair(found, copy)
    return found


def _content(path: Path) -> bytes:
    try:
        with closing(StoreFile(path, 0).reading()) as db:
            return db.serialize()
    except (sqlite3.Error, MemoryError):
        return path.read_bytes()


class _Salvaged:
    """What can be read of the pages of a store: rows that prove right, by table and key, and answers that do not."""

    def __init__(self, data: bytes) -> None:
        self.summed = b"checksum INTEGER NOT NULL" in data or data[60:64] == FORMAT.to_bytes(4, "big")
        self.rows: dict[str, dict[Any, tuple[Any, ...]]] = {table: {} for table in COLUMNS}
        self.doubtful: list[tuple[Any, ...]] = []
        self.tallied: int | None = None
        tables = {len(columns) + self.summed: table for table, columns in COLUMNS.items()}
        for row in records(data):
            if self.summed and len(row) == 3 and row[0] == "answer" and isinstance(row[1], int):
                self.tallied = row[1]
            elif (table := tables.get(len(row))) is not None:
                self._take(table, row)

    def _take(self, table: str, row: tuple[Any, ...]) -> None:
        if (
            table != "exported"
            and self.summed
            and len(row) == 5
            and isinstance(row[0], str)
            and isinstance(row[4], int)
        ):
            row = (row[4], *row[:4])  # of the index, the second copy
        cells: Any = row[: len(COLUMNS[table])]
        with suppress(msgspec.ValidationError):
            cells = msgspec.convert(cells, tuple[KINDS[table]])  # a REAL that is whole is kept as an integer
        if problem_of(table, (*cells, *row[len(cells) :]), summed=self.summed):
            if table == "answer":
                self.doubtful.append(row)
            return
        key = cells[: KEY_LENGTH[table]]
        there = self.rows[table].get(key)
        # Of two, one was deleted, and asked again since.
        if there is None or table != "answer" or there[-2] < cells[-2]:
            self.rows[table][key] = cells


@only_for_me()
def _repair(found: StoreCheck, copy: Path) -> None:
    salvaged = _Salvaged(_content(found.path))
    who = {id: words for id, *words in salvaged.rows["respondent"].values()}
    answers = {key: row for key, row in salvaged.rows["answer"].items() if row[0] in who}
    with whole_file(copy) as temporary:
        file = StoreFile(temporary, 0)
        with closing(file.open(create=True)) as db, file.translated_errors():
            with transaction(db):
                for table, rows in {**salvaged.rows, "answer": answers}.items():
                    kept = (
                        with_checksum(row) for _, row in sorted(rows.items()) if table != "exported" or row[1] in who
                    )
                    places = ", ".join("?" * (len(COLUMNS[table]) + 1))
                    db.executemany(f"INSERT INTO {table} VALUES ({places})", kept)
            db.execute("PRAGMA journal_mode = DELETE")  # one file, which can be renamed
    found.repaired, found.answers = copy, len(answers)
    told = salvaged.tallied if salvaged.summed else len(answers) if found.whole else None
    found.lost = None if told is None else max(0, told - len(answers))
    lost = {row[: len(KEY)] for row in salvaged.doubtful if row[0] in who} - answers.keys()
    found.lost_imported = sum(who[key[0]][1] == IMPORTED for key in lost)
    found.lost_asked = len(lost) - found.lost_imported
    found.imports = not who or any(prompt == IMPORTED for _, prompt, _ in who.values())
    if again := _pairs(salvaged, who, answers):
        found.ask_again = write_table(
            pa.Table.from_pylist(again), copy.with_name(f"{copy.name}.ask-again.csv"), spreadsheet=False
        )


def _pairs(salvaged: _Salvaged, who: dict[int, list[str]], kept: dict[Any, Any]) -> list[dict[str, Any]]:
    """Of the votes on pairs that cannot be proved, those whose names can be read."""
    again: dict[tuple[str, str, str], dict[str, Any]] = {}
    for row in salvaged.doubtful:
        respondent, first, second, repeat = row[: len(KEY)]
        if row[: len(KEY)] in kept or not (
            isinstance(respondent, int) and isinstance(first, str) and isinstance(second, str)
        ):
            continue
        model, prompt, parameters = who.get(respondent, ("", "", ""))
        if prompt.startswith(_OF_PAIRS) and first.strip() and second.strip():
            question = hash_of([model, prompt, parameters, first, second, repeat])
            again[model, first, second] = {
                "a": first,
                "b": second,
                "model": model,
                "prompt": prompt,
                "question": question,
            }
    return list(again.values())
