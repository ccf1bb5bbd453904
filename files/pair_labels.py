"""Labels as people give them: yes or no, in one column, or in one for each expert, of whom the majority decides."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from ..errors import quoted
from ..options import Between
from .table import Problems, Table

LABELLED_AT = "labelled_at"
"""The column that tells a file that answers are appended to: of several rows of a pair the last one counts."""
HUMAN = "human"
"""Who says what stands in the one column of labels."""
BLANK = -1
"""Of an expert who did not vote on a pair."""
UNSURE = "unsure"
"""What an expert says who cannot tell; it counts as a blank."""

_WORDS: dict[str, str | None] = {
    **dict.fromkeys(("0", "0.0", "no", "n", "false", "nein", "not included"), "no"),
    **dict.fromkeys(("1", "1.0", "yes", "y", "true", "ja", "included"), "yes"),
    UNSURE: UNSURE, "": None,
}  # fmt: skip
VOTES: dict[str | None, int] = {"yes": 1, "no": 0}
NO_LABEL = "a label that is not 0 or 1"
ALLOWED = "0 or 1, yes or no, true or false, ja or nein, included or not included, or blank or unsure for none"

Key = tuple[str, ...]
"""Of a pair, by which it is found again."""


def key_of(a: str, b: str) -> Key:
    """Gives the same for a pair in either order, and after what a spreadsheet may do to it."""
    return tuple(sorted(" ".join(text.split()).removeprefix("'").casefold() for text in (a, b)))


def last_words(table: Table, a: str, b: str) -> Table:
    """Of a file that answers are appended to the last row of each pair; any other table as it is."""
    if LABELLED_AT not in table.names:
        return table
    last: dict[Key, int] = {}
    for row, (first, second) in enumerate(zip(table.column(a), table.column(b), strict=True)):
        last[key_of(first or "", second or "")] = row
    return table.filter(np.isin(np.arange(len(table)), [*last.values()]))


def answer_of(value: Any) -> str | None:
    """What an expert says of a pair: "yes", "no" or "unsure"; None for a blank. Errors: `LookupError` for what is not of `ALLOWED`."""
    return _WORDS["" if value is None or value != value else str(value).strip().casefold()]


def label_of(value: Any) -> int | None:
    """1 or 0; None for a blank, and for who is unsure. Errors: `LookupError`, as `answer_of`."""
    return VOTES.get(answer_of(value))


def experts_of(table: Table, label: str) -> list[str]:
    """The columns `label_<name>`, one per expert."""
    return [name for name in table.names if name.strip().casefold().startswith(f"{label}_".casefold())]


def votes_of(table: Table, columns: Sequence[str], problems: Problems | None = None) -> NDArray[np.int8]:
    """int8[n, k]: the labels in k columns, `BLANK` for none; what is no label goes to `problems`, or is raised."""
    said = [table.parsed(name, label_of, NO_LABEL, ALLOWED, problems) for name in columns]
    return np.array([[BLANK if one is None else one for one in of] for of in said], np.int8).reshape(-1, len(table)).T


def majority_of(
    votes: NDArray[np.int8], final: NDArray[np.int8] | None = None, *, of_all: bool = True
) -> NDArray[np.int8]:
    """int8[n]: what more than half of int8[n, k] say; `final` where no such majority is, or `BLANK`.

    of_all : half of the panel, so that a blank is a vote for neither; else half of those who voted.
    """
    matches, others = (votes == 1).sum(1), (votes == 0).sum(1)
    needed = votes.shape[1] if of_all else matches + others
    undecided = np.full(len(votes), BLANK) if final is None else final
    return np.select([2 * matches > needed, 2 * others > needed], [1, 0], undecided).astype(np.int8)


def labels_of_people(table: Table, label: str) -> dict[str, NDArray[np.int8]]:
    """What is said in the column `label`, by `HUMAN`, and in `label_NAME` by each of several: int8[n] of 0, 1 and `BLANK`. Raises the first label that is none."""
    columns = [name for name in table.names if name.strip().casefold() == label] + experts_of(table, label)
    people = [name.strip()[len(label) + 1 :] or HUMAN for name in columns]
    return dict(zip(people, votes_of(table, columns).T, strict=True))


def read_labels(
    table: Table, label: str, problems: Problems, *, blank: bool = False
) -> tuple[NDArray[np.int8], NDArray[np.int8] | None]:
    """int8[n] of 0 and 1, and the panel's votes int8[n, k] where a panel decides. Rows that cannot be right go to `problems`, and are `BLANK`.

    blank : a row that none of a panel voted on is no problem.
    """
    alone = label in table.names
    experts = [label] if alone else experts_of(table, label)
    if not experts:
        table.require(label, "0 or 1", option="label")
    votes = votes_of(table, experts, problems)
    settled = "adjudicated" in table.names and not alone
    labels = majority_of(votes, votes_of(table, ["adjudicated"], problems)[:, 0] if settled else None)
    for row in np.flatnonzero(labels == BLANK).tolist():
        if row in problems or (blank and not alone and (votes[row] == BLANK).all()):
            continue
        if alone:
            problems[row] = table.error("the label is blank", row, label, allowed=ALLOWED.partition(", or blank")[0])
        else:
            problem, allowed = (
                f"no majority among {len(experts)} experts and no adjudication",
                "0 or 1 where the experts tie or are blank",
            )
            said = dict(zip(experts, [None if vote == BLANK else vote for vote in votes[row].tolist()], strict=True))
            problems[row] = table.error(problem, row, "adjudicated", allowed=allowed, got=said)
    return labels, None if alone else votes


def read_shares(
    table: Table, soft: str, label: str | None, ballots: NDArray[np.int8] | None, problems: Problems
) -> NDArray[np.float64]:
    """float64[n] in [0, 1]: the share of votes for "match", from a column of its own or from the panel's votes."""
    if soft == label and ballots is not None:
        # Where all are blank, `adjudicated` decided the label, and no share is known.
        votes, found = (ballots != BLANK).sum(axis=1), (ballots == 1).sum(axis=1)
        return np.divide(found, votes, out=np.full(len(votes), np.nan), where=votes > 0)
    table.require(soft, "the share of votes for a match")
    return numbers_of(table, soft, Between(0, 1), "a share of votes that cannot be", problems)


def numbers_of(table: Table, column: str, rule: Between, problem: str, problems: Problems) -> NDArray[np.float64]:
    """float64[n]: the numbers of a column, NaN for what breaks the rule, which goes to `problems`."""

    def parse(value: Any) -> float:
        if not rule.holds(number := float(value)):
            raise ValueError
        return number

    return np.array(table.parsed(column, parse, problem, str(rule), problems), np.float64)


def check_conflicts(
    table: Table,
    column: str,
    text: tuple[pa.ChunkedArray, pa.ChunkedArray],
    labels: NDArray[np.int8],
    problems: Problems,
    remedy: str = "",
) -> None:
    """One pair, in either order, has one label. All rows of a pair with two labels are refused.

    column : the one that errors name. text : both diagnoses. remedy : of the errors.
    """
    sides = zip(*(side.to_pylist() for side in text), labels.tolist(), strict=True)
    said = {
        row: (tuple(sorted((a.casefold(), b.casefold()))), label)
        for row, (a, b, label) in enumerate(sides) if row not in problems and label != BLANK
    }  # fmt: skip
    allowed = "one label for a pair, in either order"
    for pair, rows in conflicts(said):
        shown = ", ".join(f"row {table.row_number(row)}: {labels[row]}" for row in rows[:4])
        problem = f"the pair {quoted(pair[0])}, {quoted(pair[1])} has two labels ({shown})"
        problems |= {row: table.error(problem, row, column, allowed=allowed, remedy=remedy) for row in rows}


def conflicts(said: Mapping[int, tuple[Hashable, Any]]) -> Iterator[tuple[Any, list[int]]]:
    """Of (key, value) by row, which may say different things of one and the same: each key with two values or more, and its rows."""
    rows_of: dict[Hashable, list[int]] = {}
    for row, (key, _) in said.items():
        rows_of.setdefault(key, []).append(row)
    for key, rows in rows_of.items():
        if len({said[row][1] for row in rows}) > 1:
            yield key, rows
