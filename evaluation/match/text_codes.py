"""Where the ICD-10 codes of diagnoses come from, before M's own mapping: one reference table for all models, a language model's picks."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from ...errors import quoted
from ...files.invisible import read_visible
from ...files.tables import Table
from ...terms.icd.codes import Place

DIAGNOSIS, CODE = "diagnosis", "icd10"
TABLE = "the table of codes"


class Mapped(NamedTuple):
    """icd10 : a code of the tree; None for none. how : "direct", "code", "nearest", "picked", "unmapped", "unscored" or "none"."""

    icd10: str | None
    how: str


Mapping_ = Callable[[Sequence[str]], Sequence[Mapped]]


@dataclass(frozen=True)
class CodeTable:
    """Diagnoses with their codes, the same for all models: H-DDx's canonical reference table (3.2).

    cells : each diagnosis -> its codes as written, apart by ; or |; "" where the table says that it has none. places : of each.
    source : for errors and sentences.
    """

    source: str
    cells: Mapping[str, str]
    places: Mapping[str, Place] = field(repr=False)
    _folded: Mapping[str, str | None] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        folded: dict[str, str | None] = {}
        for text, cell in self.cells.items():
            key = _key(text)
            folded[key] = cell if folded.get(key, cell) == cell else None
        object.__setattr__(self, "_folded", folded)

    def cell(self, text: str) -> str | None:
        """The codes of a diagnosis as it is written, else as one that differs in nothing but capitals and blanks; None where it is not there.

        Of several that differ in no more, and in their codes, none stands for another.
        """
        found = self.cells.get(text)
        return self._folded.get(_key(text)) if found is None else found


@dataclass(frozen=True)
class TextCodes:
    """table : looked in first. mapping : what maps the others; None for M's own. by : how that is called, "picks of gpt-4o". tree : of the codes."""

    table: CodeTable | None = None
    mapping: Mapping_ | None = None
    by: str = ""
    tree: str = "icd10cm"

    @property
    def told(self) -> str:
        """The ways from text to code that were asked for, in words; "" for M's own mapping alone."""
        table = [] if self.table is None else [f"the table {self.table.source}"]
        return ", then ".join([*table, *([self.by] if self.by else [])])


def read_codes(codes: Any, encoding: str | None = None) -> CodeTable:
    """The table that `dxmatch icd --unique` writes, or any with its columns diagnosis and icd10; or {diagnosis: code}.

    Raises
    ------
    InputError
        For a missing column, a blank diagnosis, or a diagnosis that stands there twice with different codes.
    """
    if isinstance(codes, Mapping) and DIAGNOSIS not in codes:
        codes = [{DIAGNOSIS: text, CODE: code} for text, code in codes.items()]
    table = read_visible(codes, encoding)
    table.require(DIAGNOSIS, "as the models write it")
    table.require(CODE, "its code")
    texts, written = table.required_text(DIAGNOSIS).to_pylist(), table.text(CODE).to_pylist()
    cells: dict[str, str] = {}
    first: dict[str, int] = {}
    for row, (text, cell) in enumerate(zip(texts, written, strict=True)):
        cell = cell or ""
        if cells.setdefault(text, cell) != cell:
            raise _twice(table, text, first[text], row)
        first.setdefault(text, row)
    return CodeTable(table.source, cells, {text: Place(table.row_number(row), CODE) for text, row in first.items()})


def _twice(table: Table, text: str, first: int, row: int) -> Exception:
    return table.error(
        f"{quoted(text)} has other codes here than in row {table.row_number(first)}", row, CODE,
        allowed="one row for each diagnosis, or the same codes in all of its rows",
    )  # fmt: skip


def _key(text: str) -> str:
    return " ".join(text.split()).casefold()
