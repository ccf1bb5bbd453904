"""Proof that a vote store holds what was put into it: every row as it was, none lost, each where it is looked for."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Generator, Iterator
from dataclasses import dataclass
from sqlite3 import Connection
from typing import Any

import msgspec

from .rows import COLUMNS, KEY_LENGTH, KINDS, SCHEMA, checksum, problem_of

_PAGE = 10_000
_ROWS = {
    (table, summed): list[tuple[(*kinds, int)] if summed else tuple[kinds]]
    for table, kinds in KINDS.items()
    for summed in (False, True)
}
TALLIED = [
    f"""CREATE TEMP TRIGGER {table}_{deed} AFTER {deed} ON main.{table} BEGIN
        UPDATE tally SET total = total {sign} 1, checksums = (checksums | {row}.checksum) & ~(checksums & {row}.checksum)
        WHERE name = '{table}'; END"""
    for table in COLUMNS
    for deed, row, sign in (("INSERT", "NEW", "+"), ("DELETE", "OLD", "-"))
]
"""The tally of each table, kept in the transaction of the row itself, by this connection alone: what another program changes
in the store is found to be missing from it."""


@dataclass(frozen=True)
class Damage:
    """One thing wrong with a store.

    table : "file" for what is of no one row. row : its number in the order of the table, from 1; None for none.
    question : 32 hexadecimal digits that tell one question from another; None where it cannot be read.
    why : what is wrong.
    """

    table: str
    row: int | None
    question: str | None
    why: str

    def __str__(self) -> str:
        place = self.table if self.row is None else f"table {self.table}, row {self.row:,}"
        return f"{place}{f' (question {self.question})' if self.question else ''}: {self.why}"


def damages(db: Connection, *, summed: bool) -> Iterator[Damage]:
    """All that is wrong, of one moment. summed : whether rows have checksums (format 2).

    Errors of SQLite where the file cannot be read on.
    """
    db.execute("BEGIN")
    try:
        for check in ("quick_check", "integrity_check(respondent)"):
            for (line,) in db.execute(f"PRAGMA {check}"):
                if line != "ok":
                    yield Damage("file", None, None, " ".join(str(line).split()))
        if summed:
            there = {" ".join(sql.split()) for (sql,) in db.execute("SELECT sql FROM sqlite_schema WHERE sql NOT NULL")}
            for statement in SCHEMA:
                if " ".join(statement.split()) not in there:
                    yield Damage(
                        "file", None, None, f"the table is not as it was made: {' '.join(statement.split()[:3])}"
                    )
        tallies = {name: sums for name, *sums in db.execute("SELECT * FROM tally")} if summed else {}
        for table in COLUMNS:
            counted = yield from _of_table(db, table, summed)
            if summed and (why := _not_tallied(tallies.get(table), *counted)):
                yield Damage(table, None, None, why)
    finally:
        if db.in_transaction:
            db.execute("ROLLBACK")


def _not_tallied(told: Any, rows: int, sums: int, damaged: int) -> str | None:
    """What the tally of a table says against what was read of it; None where that is nothing, or what its damaged rows say."""
    if told is None:
        return f"it holds {rows:,} rows; how many were kept cannot be read"
    if told[0] != rows:
        return f"it holds {rows:,} rows, but {told[0]:,} were kept"
    if told[1] != sums and not damaged:
        return "the checksums of its rows do not add up: a row was exchanged for another"
    return None


def _of_table(db: Connection, table: str, summed: bool) -> Generator[Damage, None, tuple[int, int, int]]:
    """Returns (rows, the xor of the sound ones' checksums, damaged rows). A row out of order is not found where it is looked for."""
    columns = (*COLUMNS[table], "checksum") if summed else COLUMNS[table]
    rows = db.execute(f"SELECT {', '.join(columns)} FROM {table} NOT INDEXED")
    number, sums, damaged, last, key = 0, 0, 0, None, KEY_LENGTH[table]
    while page := rows.fetchmany(_PAGE):
        sound = _sound(page, table, summed)
        for row in page:
            number += 1
            suspect = not sound or (summed and checksum(row[:-1]) != row[-1])
            if suspect and (why := problem_of(table, row, summed=summed)):
                yield Damage(table, number, question_hash(db, table, row), why)
                last = None
                damaged += 1
                continue
            if summed:
                sums ^= row[-1]
            if last is not None and row[:key] <= last:
                yield Damage(table, number, question_hash(db, table, row), "it is out of order, and so cannot be found")
            last = row[:key]
    return number, sums, damaged


def _sound(page: list[Any], table: str, summed: bool) -> bool:
    """Whether all cells are of their kinds. Of an answer without checksum, more is looked at."""
    if table == "answer" and not summed:
        return False
    try:
        msgspec.convert(page, _ROWS[table, summed])
    except msgspec.ValidationError:
        return False
    return True


def question_hash(db: Connection, table: str, row: tuple[Any, ...]) -> str | None:
    """As the custom id of a batch file, for a row that names a question which can be read."""
    if table == "respondent":
        return None
    respondent, *rest = row[:4] if table == "answer" else row[1:5]
    who = db.execute("SELECT model, prompt, parameters FROM respondent WHERE id = ?", (respondent,)).fetchone()
    if who is None or any(isinstance(cell, bytes) for cell in (*who, *rest)):
        return None
    return hash_of([*who, *rest])


def hash_of(question: list[Any]) -> str:
    """Of model, prompt, parameters, first, second, repeat: 32 hexadecimal digits."""
    return hashlib.sha256(json.dumps(question).encode()).hexdigest()[:32]
