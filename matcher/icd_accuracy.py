"""How often a mapping to ICD-10 finds the right code: H-DDx, Tables 1, 4 and 5, on a user's own names and codes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Annotated, Any, NamedTuple

import pyarrow as pa

from ..files.reading import Reading
from ..files.tables import with_columns
from ..files.wording import counted
from ..options import Between, File, Serves, checked
from ..options import Table as AnyTable
from ..progress import shown
from ..terminal import print_table
from ..terms.icd.nearness import Levels, Nearness, best_levels, nearest_level
from ..terms.icd.sources import open_tree
from ..terms.icd.tree import IcdTree
from ..votes.asking_options import Asking
from .icd_gold import Gold, gold_of
from .icd_mapping import MAX_K, OF_MAPPING, IcdMapper, IcdTable, map_icd, tree_file
from .icd_presets import Preset
from .icd_strings import Diagnoses
from .match_function import MatchFunction

TOP = (1, 5, 15)
"""Places among the candidates, as H-DDx prints them (Table 4)."""
CANDIDATES, CODE, GAIN = "candidates", "code", "gain"
_WORDS = {
    CANDIDATES: "Right code among the candidates, {}", CODE: "Code that came out, {}", GAIN: "Gain of the pick over the first candidate",
}  # fmt: skip
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
    mapped : the mapping itself. settings : how it was made.
    """

    table: pa.Table
    measures: list[Measure]
    without_gold: int
    no_code: int
    mapped: IcdTable
    settings: dict[str, Any]

    @property
    def errors(self) -> list[dict[str, Any]]:
        """The strings with another code than the right one (H-DDx, Table 5), the farthest off last."""
        wanted = ("diagnosis", "gold", "gold_name", "icd10", "name", "right_at", "gold_place")
        rows = self.table.select(wanted).to_pylist()
        words = [*(level.word for level in Nearness), NO_CODE]
        wrong = [row for row in rows if row["right_at"] not in (None, Nearness.SAME.word)]
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


NO_CODE = "no code"


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
    read = Diagnoses.of(diagnoses, column, reading.encoding)
    with tree_file(tree) as file, shown("Asking") as report:
        mapper = IcdMapper(k=k, tree=file, preset=preset, pick=pick, matcher=matcher, asking=asking or Asking())
        tree = open_tree(mapper.source)
        right = gold_of(read.table, gold, column, tree, mapper.source, reading.encoding)
        mapped = map_icd(read, mapper, unique=unique, progress=report)
    right = [right[row] for row in mapped.rows]
    rows = mapped.table.to_pylist()
    shared = [_levels(tree, row["icd10"], nodes) for row, nodes in zip(rows, right, strict=True)]
    places = [_place(tree, row["candidates"], nodes) for row, nodes in zip(rows, right, strict=True)]
    known = [i for i, nodes in enumerate(right) if nodes]
    measures = _measures(
        [shared[i] for i in known], [places[i] for i in known], mapped.settings["k"], picked=pick is not None
    )
    no_code = sum(rows[i]["icd10"] is None for i in known)
    counts = len(rows) - len(known), no_code
    return IcdAccuracy(
        _with_gold(mapped.table, tree, right, shared, places), measures, *counts, mapped, mapped.settings
    )


def _levels(tree: IcdTree, code: str | None, right: Sequence[int]) -> Levels:
    return frozenset() if code is None or not right else best_levels(tree, tree.find(code), right)


def _place(tree: IcdTree, candidates: Sequence[dict[str, Any]], right: Sequence[int]) -> int | None:
    codes = {tree.code(node) for node in right}
    return next((place for place, one in enumerate(candidates, start=1) if one["code"] in codes), None)


def _measures(shared: Sequence[Levels], places: Sequence[int | None], k: int, picked: bool) -> list[Measure]:
    n = len(shared)
    first = [place == 1 for place in places]
    tops = [at for at in dict.fromkeys((*TOP, k)) if at <= k]
    out = [
        _share(CANDIDATES, f"top {at}", sum(place is not None and place <= at for place in places), n)
        for at in sorted(tops)
    ]
    out.append(_share(CODE, "top 1", sum(Nearness.SAME in one for one in shared), n))
    if picked:
        out.append(_gain([Nearness.SAME in one for one in shared], first))
    for level in (Nearness.PARENT, Nearness.CATEGORY, Nearness.SECTION, Nearness.CHAPTER):
        out.append(_share(CODE, f"right at the {level.word}", sum(level in one for one in shared), n))
    return out


def _share(of: str, name: str, right: int, n: int) -> Measure:
    from scipy.stats import binomtest

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


def _with_gold(
    mapped: pa.Table, tree: IcdTree, right: Gold, shared: Sequence[Levels], places: Sequence[int | None]
) -> pa.Table:
    def joined(of: Callable[[int], str]) -> list[str | None]:
        return ["; ".join(map(of, nodes)) if nodes else None for nodes in right]

    missing = [code is None for code in mapped.column("icd10").to_pylist()]
    at = [
        None if not nodes else NO_CODE if none else nearest_level(levels).word
        for nodes, levels, none in zip(right, shared, missing, strict=True)
    ]
    return with_columns(
        mapped,
        {
            "gold": pa.array(joined(tree.code), pa.string()),
            "gold_name": pa.array(joined(tree.name), pa.string()),
            "right_at": pa.array(at, pa.string()),
            "gold_place": pa.array(
                [place if nodes else None for place, nodes in zip(places, right, strict=True)], pa.int64()
            ),
        },
    )
