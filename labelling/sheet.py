"""The sheet that one expert fills: which questions in which order, written, and read back."""

from __future__ import annotations

import csv
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa

from ..errors import InputError
from ..files.atomic import whole_file
from ..files.pair_labels import BLANK
from ..files.spreadsheet import without_formulas
from ..files.tables import Table, read_table

FOLDER = "sheets"
COLUMNS = ("id", "a", "b", "answer", "comment")
ANSWERS = {"yes": 1, "1": 1, "no": 0, "0": 0, "unsure": BLANK}
ALLOWED = "yes or 1, no or 0, unsure, or nothing"
INSTRUCTIONS = """\
# Do two diagnoses name the same disease?

Each line of your sheet holds two diagnoses, `a` and `b`. Which of them stands first means nothing.
Write your answer into the column `answer`:

| write | where |
| --- | --- |
| `yes` (or `1`) | at least one of the six criteria below is met |
| `no` (or `0`) | none is met |
| `unsure`, or nothing | you cannot tell; better than a guess |

## The six criteria

1. **Identical.** Both say the same, word for word.
2. **Identical but for spelling.** They differ by a typing error, a hyphen, a variant ("haemorrhage", "hemorrhage").
3. **Synonyms.** Two names for one disease ("heart attack", "myocardial infarction"), an abbreviation included.
4. **One specifies the other.** One is a form, a site or a cause of the other ("pneumonia", "pneumococcal pneumonia");
   it does not matter which side is the narrower one.
5. **One gives the stage of the other.** The same disease with a stage, a grade or a phase ("cirrhosis", "cirrhosis,
   Child-Pugh B").
6. **One is the laboratory sign of the other.** A finding that stands for the disease ("hyperglycaemia", "diabetes
   mellitus").

Diseases that are merely alike, have one cause or often come together are a `no`; so are two different forms of one
disease ("type 1 diabetes", "type 2 diabetes"; "acute" and "chronic" pancreatitis).

## Please

- Work alone, and do not compare answers until all sheets are returned.
- Leave the columns `id`, `a` and `b` as they are. You may sort the lines. Remarks go into `comment`.
- Save the sheet under its name as CSV (in a spreadsheet: "CSV UTF-8").
"""


@dataclass(frozen=True)
class Question:
    id: str
    a: str
    b: str


@dataclass(frozen=True)
class Answered:
    """One expert's answers by id: 1, 0, or -1 for a blank. unsure, blank : how many said so, and how many nothing."""

    answers: Mapping[str, int]
    unsure: int
    blank: int


def questions(key: pa.Table, expert: str, seed: int) -> list[Question]:
    """All pairs of the key, their order and their sides shuffled for this expert."""
    own = int.from_bytes(hashlib.sha256(expert.encode()).digest()[:8], "big")
    rng = np.random.default_rng([seed, own])
    rows = key.select(["id", "a", "b"]).to_pylist()
    turned = rng.random(len(rows)) < 0.5
    shuffled = []
    for index in rng.permutation(len(rows)).tolist():
        row = rows[index]
        a, b = (row["b"], row["a"]) if turned[index] else (row["a"], row["b"])
        shuffled.append(Question(row["id"], a, b))
    return shuffled


def write(asked: list[Question], path: Path) -> None:
    """A CSV with a byte order mark, by which spreadsheets know UTF-8, and no text that one would run as a formula."""
    sides = pa.table({"a": [q.a for q in asked], "b": [q.b for q in asked]})
    safe = without_formulas(sides).to_pylist() if asked else []
    with whole_file(path) as temporary, temporary.open("w", encoding="utf-8-sig", newline="") as handle:
        writer = csv.writer(handle)
        writer.writerow(COLUMNS)
        writer.writerows((q.id, row["a"], row["b"], "", "") for q, row in zip(asked, safe, strict=True))


def read(path: Path, key: pa.Table, *, whole: bool = True) -> Answered:
    """What the expert answered; an id of the key without a line, too, is blank where the sheet need not be `whole`.

    Errors: `InputError` with the row for an answer that is none of `ANSWERS`, an id that is unknown or twice, a diagnosis
    that is not the one that was asked about; for a whole sheet without a pair of the key.
    """
    table = read_table(path)
    for column in COLUMNS[:4]:
        table.require(column)
    asked = {row["id"]: row for row in key.select(["id", "a", "b"]).to_pylist()}
    answers: dict[str, int] = {}
    unsure = 0
    lines = zip(*(table.column(column) for column in COLUMNS[:4]), strict=True)
    for row, (identity, a, b, said) in enumerate(lines):
        identity = (identity or "").strip()
        check_known(table, row, identity, asked, answers)
        check_unchanged(table, row, (a, b), asked[identity])
        word = (said or "").strip().casefold()
        if word and word not in ANSWERS:
            raise table.error("an answer that is not known", row, "answer", allowed=ALLOWED, got=said)
        answers[identity] = ANSWERS[word] if word else BLANK
        unsure += word == "unsure"
    if whole and (lost := asked.keys() - answers.keys()):
        raise InputError(
            f"{len(lost):,} of {len(asked):,} pairs are missing", source=str(path),
            allowed="every line of the sheet, without an answer where there is none", got=sorted(lost)[0],
        )  # fmt: skip
    answers = {identity: answers.get(identity, BLANK) for identity in asked}
    return Answered(answers, unsure, sum(answer == BLANK for answer in answers.values()) - unsure)


def check_known(table: Table, row: int, identity: str, asked: Mapping[str, object], seen: Mapping[str, object]) -> None:
    if identity not in asked:
        raise table.error("an id that was not asked about", row, "id", allowed="an id of the key", got=identity)
    if identity in seen:
        raise table.error("an id twice", row, "id", allowed="each id once", got=identity)


def check_unchanged(table: Table, row: int, sides: tuple[str | None, str | None], asked: Mapping[str, str]) -> None:
    """Errors: `InputError` where the two texts are not those of the key, on either side."""
    came = sorted(map(_plain, sides))
    if came != sorted(map(_plain, (asked["a"], asked["b"]))):
        raise table.error(
            "the diagnoses were changed", row, "a", allowed=f"{asked['a']!r} and {asked['b']!r}", got=sides
        )


def _plain(text: str | None) -> str:
    """The text without what a sheet may do to it: an apostrophe before a formula, other blanks and line breaks."""
    return " ".join((text or "").split()).removeprefix("'")
