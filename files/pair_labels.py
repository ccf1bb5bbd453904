"""Labels as users hold them: one column of 0/1, or one column per expert, of which the majority decides."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from ..errors import InputError, Remedy, quoted
from .conflicts import conflicts
from .tables import Table

BLANK = -1
"""An expert who did not vote on a pair."""

_LABELS = {
    **dict.fromkeys(("0", "0.0", "no", "n", "false", "nein", "not included"), 0),
    **dict.fromkeys(("1", "1.0", "yes", "y", "true", "ja", "included"), 1),
}
LABELS_ALLOWED = "0 or 1, yes or no, true or false, ja or nein, included or not included, or blank for none"
_ALLOWED = "0 (no match) or 1 (match)"


def experts_of(table: Table, label: str) -> list[str]:
    """The columns `label_<name>`, one per expert."""
    return [name for name in table.names if name.strip().casefold().startswith(f"{label}_".casefold())]


def read_labels(
    table: Table, label: str, problems: dict[int, InputError], *, blank: bool = False
) -> tuple[NDArray[np.int8], NDArray[np.int8] | None]:
    """int8[n] of 0 and 1, and the panel's votes int8[n, k] where a panel decides. Rows that cannot be right go to `problems`.

    blank : a row that none of a panel voted on is no problem, and `BLANK`.
    """
    if label in table.names:
        return _plain_labels(table, label, problems), None
    votes = [parsed_labels(table, column, problems) for column in experts_of(table, label)]
    ballots = [[BLANK if vote is None else vote for vote in column] for column in votes]
    return _majority(table, label, votes, problems, blank), np.array(ballots, np.int8).T


def read_shares(
    table: Table,
    soft: str,
    label: str | None,
    ballots: NDArray[np.int8] | None,
    problems: dict[int, InputError],
) -> NDArray[np.float64]:
    """float64[n] in [0, 1]: the share of votes for "match", from a column of its own or from the panel's votes."""
    if soft == label and ballots is not None:
        # Where all are blank, `adjudicated` decided the label, and no share is known.
        votes, found = (ballots != BLANK).sum(axis=1), (ballots == 1).sum(axis=1)
        return np.divide(found, votes, out=np.full(len(votes), np.nan), where=votes > 0)
    table.require(soft, "the share of votes for a match")
    return np.array(table.parsed(soft, _share, "a share of votes that cannot be", "0 to 1", problems), np.float64)


def _share(value: Any) -> float:
    if not 0 <= float(value) <= 1:
        raise ValueError
    return float(value)


def label_of(value: Any) -> int | None:
    """1 or 0; None for a blank. Errors: `LookupError` for what is not of LABELS_ALLOWED."""
    return None if is_blank(value) else _LABELS[str(value).strip().casefold()]


def is_blank(value: Any) -> bool:
    return value is None or value != value or (isinstance(value, str) and not value.strip())


def parsed_labels(table: Table, column: str, problems: dict[int, InputError]) -> list[int | None]:
    return table.parsed(column, label_of, "a label that is not 0 or 1", _ALLOWED, problems)


def labels_of_people(table: Table, label: str) -> dict[str, NDArray[np.int8]]:
    """What is said in the column `label`, or in those of several people: int8[n] of 0, 1 and `BLANK`. Raises the first label that is none."""
    problems: dict[int, InputError] = {}
    columns = [name for name in table.names if name.strip().casefold() == label] + experts_of(table, label)
    parsed = {column: parsed_labels(table, column, problems) for column in columns}
    if problems:
        raise problems[min(problems)]
    return {column: np.array([BLANK if one is None else one for one in of], np.int8) for column, of in parsed.items()}


def _plain_labels(table: Table, column: str, problems: dict[int, InputError]) -> NDArray[np.int8]:
    labels = parsed_labels(table, column, problems)
    for row, value in enumerate(labels):
        if value is None:
            problems.setdefault(row, table.error("the label is blank", row, column, allowed=_ALLOWED, got=None))
    return np.array([value or 0 for value in labels], np.int8)


def _majority(
    table: Table, label: str, votes: list[list[int | None]], problems: dict[int, InputError], blank: bool
) -> NDArray[np.int8]:
    """More than half of the intended panel decides; a blank is no vote, and without a majority `adjudicated` decides.

    blank : a row that nobody voted on is `BLANK`; else it is a problem, as every other that is undecided.
    """
    experts = experts_of(table, label)
    final = parsed_labels(table, "adjudicated", problems) if "adjudicated" in table.names else [None] * len(table)
    out = np.zeros(len(table), np.int8)
    for row, (adjudicated, *ballot) in enumerate(zip(final, *votes, strict=True)):
        decided = next((verdict for verdict in (0, 1) if 2 * ballot.count(verdict) > len(experts)), adjudicated)
        if decided is None and blank and ballot.count(None) == len(ballot) and row not in problems:
            decided = BLANK
        if decided is None:
            undecided = table.error(
                f"no majority among {len(experts)} experts and no adjudication", row, "adjudicated",
                allowed="0 or 1 where the experts tie or are blank", got=dict(zip(experts, ballot, strict=True)),
            )  # fmt: skip
            problems.setdefault(row, undecided)
        out[row] = decided or 0
    return out


def check_conflicts(
    table: Table,
    column: str,
    text: tuple[pa.ChunkedArray, pa.ChunkedArray],
    labels: NDArray[np.int8],
    problems: dict[int, InputError],
    remedy: Remedy | None = None,
) -> None:
    """One pair, in either order, has one label. All rows of a pair with two labels are refused.

    column : the one that errors name. text : both diagnoses. remedy : of the errors.
    """
    said = {
        row: (tuple(sorted((a.casefold(), b.casefold()))), label)
        for row, (a, b, label) in enumerate(zip(*(side.to_pylist() for side in text), labels.tolist(), strict=True))
        if row not in problems
    }
    for pair, rows in conflicts(said):
        shown = ", ".join(f"{_place(table, row)}: {labels[row]}" for row in rows[:4])
        for row in rows:
            problems[row] = table.error(
                f"the pair {quoted(pair[0])}, {quoted(pair[1])} has two labels ({shown})", row, column,
                allowed="one label for a pair, in either order", remedy=remedy,
            )  # fmt: skip


def _place(table: Table, row: int) -> str:
    file = "" if table.sources is None else f"{table.source_of(row)}, "
    return f"{file}row {table.row_number(row)}"
