"""How often a mapping to ICD-10 finds the right code: H-DDx, Tables 1, 4 and 5, on a user's own names and codes."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Annotated, Any, NamedTuple

import pyarrow as pa

from ..errors import InputError, plain
from ..files.pair_labels import conflicts
from ..files.reading import Reading
from ..files.tables import Table, read_table, with_columns
from ..files.wording import counted, hint
from ..options import Between, File, Serves, checked
from ..options import Table as AnyTable
from ..progress import shown
from ..terminal import print_table
from ..terms.icd.codes import Place, nodes_of_cells
from ..terms.icd.sources import open_tree
from ..terms.icd.tree import BLOCK, IcdTree
from ..votes.asking_options import Asking
from .icd_mapper import IcdMapper
from .icd_mapping import MAX_K, OF_MAPPING, is_path, map_table, read_diagnoses, tree_file
from .icd_presets import Preset
from .match_function import MatchFunction

TOP = (1, 5, 15)
"""Places among the candidates, as H-DDx prints them (Table 4)."""
LEVELS = ("code", "parent", "category", "section", "chapter")
NO_LEVEL, NO_CODE = "no level", "no code"
CANDIDATES, CODE, GAIN = "candidates", "code", "gain"
_WORDS = {
    CANDIDATES: "Right code among the candidates, {}", CODE: "Code that came out, {}", GAIN: "Gain of the pick over the first candidate",
}  # fmt: skip
_OF_ERRORS = ("diagnosis", "gold", "gold_name", "icd10", "name", "right_at", "gold_place")
_SHOWN = 20
"""Errors that are printed; a file has all."""
_CONFIDENCE, _Z = 0.95, 1.959963984540054


class Measure(NamedTuple):
    """One figure.

    of : "candidates" (the order in which the encoder found them), "code" (what came out), "gain" (of the language model's pick over the
        first candidate).
    name : "top 1", "top 5", …; for "code" also the level at which it is right.
    value : a share, or for "gain" a difference of two shares. low, high : its 95 % interval: Wilson's, or for "gain" that of Bonett and
        Price (2012, "Adjusted Wald confidence interval for a difference of binomial proportions based on paired data").
    right, cases : the share's numerator and denominator; for "gain", the cases that the pick mended less those that it spoilt.
    """

    of: str
    name: str
    value: float
    low: float
    high: float
    right: int
    cases: int

    @property
    def cells(self) -> tuple[str, str, str, str]:
        """As a row to read: the name in words, the value, its interval, the fraction."""
        name = "right" if (self.of, self.name) == (CODE, "top 1") else self.name
        sign = "+" if self.of == GAIN else ""
        interval = f"{self.low:{sign}.3f} to {self.high:{sign}.3f}"
        return (
            _WORDS[self.of].format(name),
            f"{self.value:{sign}.4f}",
            interval,
            f"{self.right:{sign}} of {self.cases:,}",
        )


@dataclass(frozen=True)
class IcdAccuracy:
    """What `icd_accuracy` found.

    Attributes
    ----------
    table : one row per string: the mapping, and gold (the right codes), gold_name, right_at ("code", "parent", "category",
        "section", "chapter", "no level", or "no code" where none was found), gold_place (of the first right code among the
        candidates, from 1). The last four are null where no right code is given.
    measures : the figures.
    without_gold : strings without a right code: they count nowhere. no_code : strings with a right code for which none was
        found: they count as wrong.
    settings : how the mapping was made.
    """

    table: pa.Table
    measures: list[Measure]
    without_gold: int
    no_code: int
    settings: dict[str, Any]

    @property
    def errors(self) -> list[dict[str, Any]]:
        """The strings with another code than the right one (H-DDx, Table 5), the farthest off last."""
        rows = self.table.select(_OF_ERRORS).to_pylist()
        words = (*LEVELS, NO_LEVEL, NO_CODE)
        wrong = [row for row in rows if row["right_at"] not in (None, LEVELS[0])]
        return sorted(wrong, key=lambda row: words.index(row["right_at"]))

    def __getitem__(self, of_and_name: tuple[str, str]) -> Measure:
        """`accuracy["code", "top 1"]`. Raises `KeyError` for a figure that is not there."""
        found = {(one.of, one.name): one for one in self.measures}
        return found[of_and_name]

    def to_dict(self) -> dict[str, Any]:
        """All but the table, for JSON."""
        counts = {"strings": self.table.num_rows, "without_gold": self.without_gold, "no_code": self.no_code}
        accuracy = [one._asdict() for one in self.measures]
        return {"settings": self.settings, **counts, "accuracy": accuracy, "errors": self.errors}

    def print(self) -> None:
        """Prints the figures and the first errors, with what counts nowhere or as wrong above them."""
        if self.without_gold:
            print(f"Left out: {counted(self.without_gold, 'diagnosis', 'diagnoses')} without a right code.")
        if self.no_code:
            print(f"Wrong since no code came out: {counted(self.no_code, 'diagnosis', 'diagnoses')}.")
        print_table(("", "Share", "95 % interval", "Of"), (one.cells for one in self.measures))
        if not (errors := self.errors):
            return
        rows = []
        for row in errors[:_SHOWN]:
            codes = (
                " ".join(row[part] or "" for part in parts) for parts in (("gold", "gold_name"), ("icd10", "name"))
            )
            rows.append((row["diagnosis"], *codes, row["right_at"], str(row["gold_place"] or "")))
        print_table(("Diagnosis", "Right code", "Code that came out", "Right at", "Place"), rows)
        print("Place: of the right code among the candidates.")
        if len(errors) > _SHOWN:
            print(f"{len(errors) - _SHOWN:,} more errors are in the table and the JSON.")


@checked
def icd_accuracy(
    diagnoses: AnyTable,
    gold: AnyTable,
    *,
    column: str = "diagnosis",
    unique: bool = False,
    k: Annotated[int, Between(1, MAX_K)] | None = None,
    tree: AnyTable = None,
    preset: Preset = "default",
    pick: str | None = None,
    matcher: MatchFunction | File | None = None,
    reading: Annotated[Reading, Serves("encoding")] = Reading(),
    asking: Annotated[Asking, OF_MAPPING] | None = None,
) -> IcdAccuracy:
    """Maps diagnoses to ICD-10 and compares their codes with the right ones: H-DDx (3.2, A.3).

    What is not named below is as of `dxmatch.icd`.

    Parameters
    ----------
    gold
        The column of `diagnoses` that holds the right codes; or a table (file, frame, list of dicts or dict of columns) with
        the diagnoses in `column` and their codes in "icd10". Several codes apart by ; or | are all right. A code is read as it is
        given: J01.9 is no J01.90. Whoever has no code counts nowhere.
    unique
        Each string counts once, with the code of its first row; else each row counts,
        as in the paper.

    Returns
    -------
    The figures: how often the right code stands among the first 1, 5 and 15 candidates; how often it is the code that came out,
    and how often that is right at the parent, the category, the section and the chapter; with `pick`, what the language model's
    choice gains over the first candidate. A string without a code counts as wrong.

    Raises
    ------
    InputError
        For a right code that the tree lacks, with its row, before anything is mapped or asked; else as `icd`.
    """
    read = read_diagnoses(diagnoses, column, reading.encoding)
    read.required_text(column)
    with tree_file(tree) as file, shown("Asking") as report:
        mapper = IcdMapper(k=k, tree=file, preset=preset, pick=pick, matcher=matcher, asking=asking or Asking())
        tree = open_tree(mapper.source)
        of_row = _gold_of(read, gold, column, tree, mapper.source, reading.encoding)
        mapped, rows = map_table(read, column, mapper, unique=unique, progress=report)
    right = [of_row[row] for row in rows]
    codes = mapped["icd10"].to_pylist()
    levels = [_best_levels(tree, code, nodes) for code, nodes in zip(codes, right, strict=True)]
    places = [_place(tree, row, nodes) for row, nodes in zip(mapped["candidates"].to_pylist(), right, strict=True)]
    known = [i for i, nodes in enumerate(right) if nodes]
    measures = _measures([levels[i] for i in known], [places[i] for i in known], mapper.chosen["k"], pick is not None)
    right_at = [
        None if not nodes else NO_CODE if code is None else (*shared, NO_LEVEL)[0]
        for code, nodes, shared in zip(codes, right, levels, strict=True)
    ]
    joined = [["; ".join(map(of, nodes)) if nodes else None for nodes in right] for of in (tree.code, tree.name)]
    of_gold = {"gold": joined[0], "gold_name": joined[1], "right_at": right_at}
    columns = {name: pa.array(values, pa.string()) for name, values in of_gold.items()}
    table = with_columns(mapped, {**columns, "gold_place": pa.array(places, pa.int64())})
    return IcdAccuracy(table, measures, len(right) - len(known), right_at.count(NO_CODE), mapper.settings)


def _gold_of(
    table: Table, gold: Any, column: str, tree: IcdTree, icd_source: str, encoding: str | None
) -> list[tuple[int, ...]]:
    """The right nodes of each row of `table`; empty where none is given.

    Raises
    ------
    InputError
        For a code that the tree lacks, with its row; for a diagnosis with two different codes in a table of its own; where no
        diagnosis has a code; for neither a column nor a table.
    """
    if is_column := isinstance(gold, str) and gold in table.names:
        right = _cells(table, gold, tree, icd_source)
    elif isinstance(gold, str) and not is_path(gold):
        problem = f"no such column of right codes{hint(gold, table.names)}"
        allowed = f"one of {', '.join(map(plain, table.names))}, or a table"
        raise InputError(problem, source=table.source, allowed=allowed, got=gold)
    else:
        by_text = _by_text(read_table(gold, encoding), column, tree, icd_source)
        right = [by_text.get(text, ()) for text in table.text(column).to_pylist()]
    if not any(right):
        own = os.fspath(gold) if isinstance(gold, str | os.PathLike) else "gold"
        source = table.source if is_column else own
        raise InputError("no diagnosis has a right code", source=source, allowed="codes such as I21.9")
    return right


def _cells(table: Table, column: str, tree: IcdTree, icd_source: str) -> list[tuple[int, ...]]:
    cells = table.text(column).to_pylist()
    places: dict[str, Place] = {}
    for row, cell in enumerate(cells):
        if cell is not None:
            places.setdefault(cell, Place(table.row_number(row), column))
    nodes = nodes_of_cells(places, tree, icd_source, table.source)
    return [nodes.get(cell, ()) for cell in cells]


def _by_text(table: Table, column: str, tree: IcdTree, icd_source: str) -> dict[str, tuple[int, ...]]:
    table.require(column, "a diagnosis", option="column")
    table.require("icd10", "its right code")
    texts, right = table.required_text(column).to_pylist(), _cells(table, "icd10", tree, icd_source)
    said = {row: (text, nodes) for row, (text, nodes) in enumerate(zip(texts, right, strict=True)) if nodes}
    for text, (row, *others) in conflicts(said):
        other = next(each for each in others if said[each][1] != said[row][1])
        problem = f"a diagnosis with two right codes, the first in row {table.row_number(row)}"
        allowed = "one cell for each diagnosis; several codes in it apart by ; or |"
        raise table.error(problem, other, "icd10", allowed=allowed, got=text)
    return dict(said.values())


def levels_shared(tree: IcdTree, found: int, right: int) -> list[str]:
    """The `LEVELS` at which a node that was found is right, the nearest first.

    code : the same code, and so all. parent : the right code's parent is the other, or stands above it: K70.1 for K70.0, G47 for G47.9,
    S32.000 for S32.0. category : the same first three characters as a node of the tree. section : the innermost section of the right
    code is the other, or stands above it. chapter : the same chapter. A right category's parent is its section, and a right section's
    its chapter, so that "parent" may hold without "category"; otherwise a level holds whatever a nearer one says.
    """
    if tree.code(found) == tree.code(right):  # also a section of one category, which has its code
        return list(LEVELS)
    path, above = {found, *tree.ancestors(found)}, [right, *tree.ancestors(right)]
    section = next((node for node in above if tree.kinds[node] == BLOCK), -1)
    shared = (tree.parent(right), int(tree.categories[right]), section, above[-1])
    return [level for level, node in zip(LEVELS[1:], shared, strict=True) if node in path]


def _best_levels(tree: IcdTree, code: str | None, right: Sequence[int]) -> list[str]:
    """Of the nearest of several right codes."""
    found = [] if code is None else [levels_shared(tree, tree.find(code), one) for one in right]
    return min(found, key=lambda levels: (*map(LEVELS.index, levels), len(LEVELS))[0], default=[])


def _place(tree: IcdTree, candidates: Sequence[dict[str, Any]], right: Sequence[int]) -> int | None:
    codes = {tree.code(node) for node in right}
    return next((place for place, one in enumerate(candidates, start=1) if one["code"] in codes), None)


def _measures(levels: Sequence[list[str]], places: Sequence[int | None], k: int, picked: bool) -> list[Measure]:
    tops = sorted({at for at in (*TOP, k) if at <= k})
    out = [_share(CANDIDATES, f"top {at}", (place is not None and place <= at for place in places)) for at in tops]
    right = [LEVELS[0] in one for one in levels]
    out.append(_share(CODE, "top 1", right))
    if picked:
        out.append(_gain(right, [place == 1 for place in places]))
    return [*out, *(_share(CODE, f"right at the {level}", (level in one for one in levels)) for level in LEVELS[1:])]


def _share(of: str, name: str, holds: Iterable[bool]) -> Measure:
    from scipy.stats import binomtest

    right, n = sum(each := list(holds)), len(each)
    low, high = binomtest(right, n).proportion_ci(_CONFIDENCE, "wilson")
    return Measure(of, name, right / n, float(low), float(high), right, n)


def _gain(now: Sequence[bool], before: Sequence[bool]) -> Measure:
    n = len(now)
    mended = sum(a and not b for a, b in zip(now, before, strict=True))
    spoilt = sum(b and not a for a, b in zip(now, before, strict=True))
    more, less = (mended + 1) / (n + 2), (spoilt + 1) / (n + 2)
    half = _Z * sqrt((more + less - (more - less) ** 2) / (n + 2))
    low, high = max(more - less - half, -1.0), min(more - less + half, 1.0)
    return Measure(GAIN, "top 1", (mended - spoilt) / n, low, high, mended - spoilt, n)
