"""The sheet that one expert fills: which questions in which order, written, and read back."""

# pyright: reportAttributeAccessIssue=false
# pyarrow.compute makes its functions at run time, where no type checker sees them.

from __future__ import annotations

import csv
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ..errors import InputError, quoted
from ..files.atomic import whole_file
from ..files.pair_labels import ALLOWED, BLANK, label_of
from ..files.spreadsheet import without_formulas
from ..files.tables import Table, read_table

FOLDER = "sheets"
COLUMNS = ("id", "a", "b", "answer", "comment")
UNSURE = "unsure"
INSTRUCTIONS = (Path(__file__).parent / "INSTRUCTIONS.md").read_text("utf-8")


@dataclass(frozen=True)
class Answered:
    """One expert's answers by id: 1, 0, or -1 for a blank. unsure, blank : how many said so, and how many nothing."""

    answers: Mapping[str, int]
    unsure: int
    blank: int


def questions(key: pa.Table, expert: str, seed: int) -> pa.Table:
    """id, a and b of all pairs of the key, their order and their sides shuffled for this expert."""
    own = int.from_bytes(hashlib.sha256(expert.encode()).digest()[:8], "big")
    rng = np.random.default_rng([seed, own])
    turned = pa.array(rng.random(len(key)) < 0.5)
    a, b = (pc.if_else(turned, key[one], key[other]) for one, other in (("b", "a"), ("a", "b")))
    return pa.table({"id": key["id"], "a": a, "b": b}).take(rng.permutation(len(key)))


def write(asked: pa.Table, path: Path) -> None:
    """A CSV with a byte order mark, by which spreadsheets know UTF-8, and no text that one would run as a formula."""
    with whole_file(path) as temporary, temporary.open("w", encoding="utf-8-sig", newline="") as handle:
        writer = csv.DictWriter(handle, COLUMNS, restval="")
        writer.writeheader()
        writer.writerows(without_formulas(asked).to_pylist())


def read(path: Path, key: pa.Table, *, whole: bool = True, encoding: str | None = None) -> Answered:
    """What the expert answered; an id of the key without a line, too, is blank where the sheet need not be `whole`.

    encoding : of a sheet that is not UTF-8.

    Errors: `InputError` with the row for an answer that is no label, an id that is unknown or twice, a diagnosis
    that is not the one that was asked about; for a whole sheet without a pair of the key.
    """
    table = read_table(path, encoding)
    for column in COLUMNS[:4]:
        table.require(column)
    asked = {row["id"]: row for row in key.select(["id", "a", "b"]).to_pylist()}
    answers: dict[str, int] = {}
    unsure = 0
    lines = zip(*(table.column(column) for column in COLUMNS[:4]), strict=True)
    for row, (identity, a, b, said) in enumerate(lines):
        identity = (identity or "").strip()
        if identity not in asked:
            raise table.error("an id that was not asked about", row, "id", allowed="an id of the key", got=identity)
        if identity in answers:
            raise table.error("an id twice", row, "id", allowed="each id once", got=identity)
        check_unchanged(table, row, (a, b), asked[identity])
        is_unsure = (said or "").strip().casefold() == UNSURE
        try:
            label = None if is_unsure else label_of(said)
        except LookupError:
            allowed = f"{UNSURE}, {ALLOWED}"
            raise table.error("an answer that is not known", row, "answer", allowed=allowed, got=said) from None
        answers[identity] = BLANK if label is None else label
        unsure += is_unsure
    if whole and (lost := asked.keys() - answers.keys()):
        raise InputError(
            f"{len(lost):,} of {len(asked):,} pairs are missing", source=str(path),
            allowed="every line of the sheet, without an answer where there is none", got=sorted(lost)[0],
        )  # fmt: skip
    answers = {identity: answers.get(identity, BLANK) for identity in asked}
    return Answered(answers, unsure, sum(answer == BLANK for answer in answers.values()) - unsure)


def check_unchanged(table: Table, row: int, sides: tuple[str | None, str | None], asked: Mapping[str, str]) -> None:
    """Errors: `InputError` where the two texts are not those of the key, on either side."""
    came = sorted(map(_plain, sides))
    if came != sorted(map(_plain, (asked["a"], asked["b"]))):
        raise table.error(
            "the diagnoses were changed", row, "a", allowed=f"{quoted(asked['a'])} and {quoted(asked['b'])}", got=sides
        )


def _plain(text: str | None) -> str:
    """The text without what a sheet may do to it: an apostrophe before a formula, other blanks and line breaks."""
    return " ".join((text or "").split()).removeprefix("'")
