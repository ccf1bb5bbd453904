"""Whether a vote store holds what was put into it; and a copy of what proves right."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, suppress
from dataclasses import dataclass, field
from itertools import islice, product
from pathlib import Path
from typing import Any

from ...errors import DxmatchError, quoted
from ...files.atomic import only_for_me, whole_file
from .file import KEYS, StoreError, connected, damages, with_checksum
from .store import VoteStore


@dataclass
class StoreCheck:
    """What was found.

    damages : what is wrong, the first twenty; empty for a store that is whole.
    repaired : the copy; None where none was asked for. answers : in the copy; without one in the store, 0 where they cannot be counted.
    lost : how many more the store says that it holds than the copy; None where that cannot be read.
    """

    path: Path
    damages: list[str] = field(default_factory=list)
    repaired: Path | None = None
    answers: int = 0
    lost: int | None = None

    @property
    def whole(self) -> bool:
        return not self.damages

    def lines(self) -> list[str]:
        """For the user to read."""
        said = [f"{self.path}: {damage}" for damage in self.damages]
        said.append(f"{self.path} is {'whole' if self.whole else 'damaged'}: {self.answers:,} answers.")
        if self.repaired:
            lost = "how many are lost cannot be read" if self.lost is None else f"{self.lost:,} lost"
            again = "asked again by the command that asked it; tables of votes are to be imported again"
            said.append(f"Written: {self.repaired} ({lost}). What it lacks is {again}.")
        return said


def check_votes(path: str | os.PathLike[str], *, repair: str | os.PathLike[str] | None = None) -> StoreCheck:
    """Reads all of a vote store, which is left as it is, and says what is wrong with it.

    Parameters
    ----------
    repair
        A file, absent yet, for a copy with every row that can be read and proves right.

    Raises
    ------
    StoreError
        There is no such file, or it is no vote store at all.
    DxmatchError
        The copy is there already or cannot be written.
    """
    found, copy = StoreCheck(Path(path)), None if repair is None else Path(repair)
    if copy is not None and copy.exists():
        raise DxmatchError(f"{copy} is there already; a repaired copy takes a new name.")
    if not found.path.is_file():
        instead = "The option 'store' names one; the option 'features' asks its models."
        raise StoreError(f"{found.path}: no such vote store. {instead}")
    with closing(connected(found.path, 0.0, write=False)) as db:
        try:
            found.damages = list(islice(damages(db), 20))
            found.answers = db.execute("SELECT count(*) FROM answer").fetchone()[0]
        except (sqlite3.Error, UnicodeDecodeError) as error:
            if "not a database" in str(error) or "no such table" in str(error):
                raise StoreError(f"{found.path}: not a vote store of dxmatch. It was left as it is.") from error
            found.damages.append(f"file: {quoted(str(error))}")
        if copy is not None:
            _repair(db, found, copy)
    return found


@only_for_me()
def _repair(db: sqlite3.Connection, found: StoreCheck, copy: Path) -> None:
    """Reads each table from both ends, as far as SQLite comes."""
    with whole_file(copy) as temporary, VoteStore(temporary) as store, store.writing() as made:
        for table, way in product(KEYS, ("ASC", "DESC")):
            for row in _sound(db, table, ", ".join(f"{column} {way}" for column in range(1, KEYS[table] + 1))):
                made.execute(f"INSERT INTO {table} VALUES ({', '.join('?' * len(row))}) ON CONFLICT DO NOTHING", row)
        # nobody finds what a lost respondent answered
        made.execute("DELETE FROM answer WHERE respondent NOT IN (SELECT id FROM respondent)")
        found.repaired, found.answers = copy, made.execute("SELECT count(*) FROM answer").fetchone()[0]
    with suppress(sqlite3.Error, TypeError):
        found.lost = max(0, db.execute("SELECT total FROM tally WHERE name = 'answer'").fetchone()[0] - found.answers)


def _sound(db: sqlite3.Connection, table: str, order: str) -> Iterator[tuple[Any, ...]]:
    """The rows that prove right, up to the first that cannot be read."""
    with suppress(sqlite3.Error, UnicodeDecodeError):
        yield from (
            row for row in db.execute(f"SELECT * FROM {table} ORDER BY {order}") if with_checksum(row[:-1]) == row
        )
