"""Free text to ICD-10 with the encoder of a model, and a language model's picks, and how often that is right: H-DDx, Tables 1, 4 and 5."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from math import sqrt
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import pyarrow as pa

from ..errors import InputError, OptionError, quoted, warn
from ..files.limits import MAX_CHARACTERS
from ..files.pairs import why_refused
from ..files.reading import Reading
from ..files.tables import read_table, with_columns, write_table
from ..files.wording import is_file_name
from ..files.workbook import split_sheet
from ..options import Between, File, Table, checked
from ..pages.encodings import shown as in_a_cell
from ..pages.terminal import print_table
from ..progress import Progress, shown
from ..terms.icd.codes import Place, nodes_of_cells
from ..terms.icd.index import Candidate, IcdAnswer
from ..terms.icd.sources import open_tree
from ..terms.icd.tree import BLOCK, IcdTree
from ..votes.asking_options import Asking
from .icd_mapper import IcdMapper, Preset
from .match_function import MatchFunction
from .terms import BLANK, Terms, has_columns, read_terms

EDITION = "icd10"
"""The key of the schema's metadata that holds package and version, or file and hash, of the ICD-10 that the codes are of."""
MAX_K = 1000
"""Candidates of one diagnosis: what a language model or a reader can look at, and a machine can hold for a long table."""
OF_MAPPING = "endpoints", "store", "max_calls", "max_cost"
"""What serves the asking of picks."""
TOP = (1, 5, 15)
"""Places among the candidates, as H-DDx prints them (Table 4)."""
LEVELS = ("code", "parent", "category", "section", "chapter")
NO_LEVEL, NO_CODE = "no level", "no code"
WORDS = (*LEVELS, NO_LEVEL, NO_CODE)
_OF_ERRORS = ("diagnosis", "gold", "gold_name", "icd10", "name", "right_at", "gold_place")
_SHOWN = 20
"""Errors that are printed; a file has all."""


@checked
def icd(
    diagnoses: Table,
    *,
    column: str | None = None,
    unique: bool = False,
    k: Annotated[int, Between(1, MAX_K)] | None = None,
    tree: Table = None,
    preset: Preset = "default",
    pick: str | None = None,
    matcher: MatchFunction | File | None = None,
    reading: Annotated[Reading, "encoding"] = Reading(),
    asking: Annotated[Asking, *OF_MAPPING] | None = None,
) -> Any:
    """Maps diagnoses to ICD-10 entries.

    Parameters
    ----------
    diagnoses
        One diagnosis as written, or a list or series of them; or the path of a file, a data frame, a list of dicts or a dict of
        columns, with them in `column`. A text is a path if such a file is there or it ends in .csv, .tsv, .jsonl, .json, .xlsx or
        .parquet, else a diagnosis.
    column
        That holds the diagnoses; by default "diagnosis", "term", "name", … or the only one.
    unique
        One row for each different string, in order of first appearance: a table to look up every algorithm's in.
    k
        How many candidates to keep for each, at most 1,000; as the pick says, or 15, if not given.
    tree
        "icd10cm" (if neither this nor the pick says another), "icd10" (WHO), the path of a CSV with `code, name, parent`, or a code
        system of your own: a file, frame or list of terms, with a column `code` (else each term is its own; several rows of one code are
        synonyms) and `parent` where it has them.
    preset
        How the nearest names are found and picked from. Allowed are "default", as the pick and `IcdPreset` have it; "h-ddx", as H-DDx does: of
        each text the 15 names nearest by text-embedding-3-large, which [endpoint.openai] serves, of which `pick` chooses one by its name;
        "how-to-evaluate-medical-ai", as that paper does: a text that is a name has its code at once, of others the 15 names nearest by
        BERGAMOT and the Euclidean distance (FAISS), of which `pick` chooses; or an `IcdPreset` of your own, also as a TOML file.
    pick
        The language model that picks among the candidates: "ENDPOINT:MODEL", or a feature of the kind "icd_pick" of the preset's
        feature set, by its name, which also says k, tree, encoder, distance and entries where these are not given.
    matcher
        A match function, its folder or its name on the hub, whose normaliser and encoder are used; the shipped one if not given.
    reading
        The encoding of a text file.
    asking
        Where language models and encoders are served, the store that keeps the picks, so that nothing is asked twice, and what may
        be spent; what is left then is unscored.

    Returns
    -------
    A frame or series gives a frame of its kind; a file, a list and a string give an Arrow table. In
    a pandas frame, `attrs["icd10"]` is the edition of ICD-10. One row per string: diagnosis, icd10, name, how ("direct", "code", "nearest", "unmapped" where no name is near
    enough, or "none" where nothing was found), score (1 for direct and code; else the cosine less what the name says beyond the
    diagnosis, at most 1; the cosine alone with entries="names" or a pick; a distance with a minus sign with distance="euclidean"),
    candidates (list of code, name, score and the name that it was found by, best first, also for "unmapped"). With `pick`, how is
    "picked" instead of "nearest", or "unscored" where the model named no candidate, and a column `reason` says why. The schema's metadata name the edition of ICD-10 under `icd10`.

    Rows without a diagnosis keep their place: no code, how "blank", and a warning that counts them (with `unique` they are left out).

    Errors: `InputError` where no row has a diagnosis, and for one that is too long, with its place.
    """
    read = read_diagnoses(diagnoses, column, reading)
    with mapper_of(k=k, tree=tree, preset=preset, pick=pick, matcher=matcher, asking=asking) as (mapper, report):
        mapped, rows = map_terms(read, mapper, unique=unique, progress=report)
    made = read.native(mapped, rows)
    if hasattr(made, "attrs"):
        made.attrs[EDITION] = mapped.schema.metadata[EDITION.encode()].decode()
    return made


@contextmanager
def mapper_of(
    *, tree: Any, pick: str | None, asking: Asking | None, **how: Any
) -> Iterator[tuple[IcdMapper, Progress]]:
    """The mapper of these options, while the file stands that a code system is in which came as a list of terms, a series or a table.

    Errors: `OptionError` for what serves the asking of a language model, where none is named.
    """
    asking = asking or Asking()
    if pick is None and (idle := sorted(asking.given - {"endpoints"})):
        raise OptionError(idle[0], "left out without pick, for nobody is asked", getattr(asking, idle[0]))
    with tempfile.TemporaryDirectory() as folder, shown("Asking") as report:
        if tree is not None and not isinstance(tree, str | os.PathLike):
            table = read_table(tree) if has_columns(tree) else read_terms(tree).table
            tree = write_table(table.data, Path(folder, "terms.parquet"))
        yield IcdMapper(tree=tree, pick=pick, asking=asking, **how), report


def read_diagnoses(given: Any, column: str | None, reading: Reading) -> Terms:
    """One diagnosis, a list, a series, or a table with diagnoses in a column. Errors: as of `read_terms`."""
    if isinstance(given, str) and not is_file_name(given):
        # unlike Path's, these say of a text that is too long for a path, or has a character that none has, that it is none
        is_path = os.path.isfile(split_sheet(Path(given))[0]) or ("/" in given and os.path.isdir(given))  # noqa: PTH112, PTH113
        given = given if is_path else [given]
    return read_terms(given, column, "column", reading)


def map_terms(
    read: Terms, mapper: IcdMapper, *, unique: bool = False, progress: Progress | None = None
) -> tuple[pa.Table, Sequence[int]]:
    """`icd` of terms that were read, and the row of them that each row of the mapping is of."""
    table, column, first = read.table, read.column, dict[str, int]()
    texts = table.text(column).to_pylist()
    for row, text in enumerate(texts):
        if text is not None and len(text) > MAX_CHARACTERS:
            problem, allowed = why_refused(text)
            raise table.error(problem, row, column, allowed=allowed)
        if text is not None and any(map(str.isalnum, text)):
            first.setdefault(text, row)
    if not first:
        raise table.error("the diagnosis is blank", 0, column, allowed="a diagnosis in words")
    if blank := [row for row, text in enumerate(texts) if text not in first]:
        kept = "are left out" if unique else f"keep their place, with {BLANK!r} in the column 'how'"
        warn(
            f"{table.source}: {len(blank):,} of {len(table):,} rows have no diagnosis in {quoted(column)}, the first is row "
            f"{table.row_number(blank[0])}. They {kept}."
        )
    answers = {None: IcdAnswer(how=BLANK), **mapper.answers(first, progress)}
    records = {text: {"diagnosis": text, **answer._asdict()} for text, answer in answers.items()}
    for record in records.values():
        record["candidates"] = [one._asdict() for one in record["candidates"]]
    rows = list(first.values()) if unique else range(len(texts))
    names = [name for name in ("diagnosis", *IcdAnswer._fields) if name != "reason" or mapper.pick is not None]
    schema = pa.schema(map(_field, names), {EDITION: mapper.index.tree.source})
    return pa.Table.from_pylist([records[texts[row] if texts[row] in first else None] for row in rows], schema), rows


def _field(name: str) -> pa.Field[Any]:
    """A column of the mapping, or what it holds of a candidate."""
    if name == "candidates":
        return pa.field(name, pa.list_(pa.struct(list(map(_field, Candidate._fields)))))
    return pa.field(name, pa.float64() if name == "score" else pa.string())


def flat_candidates(mapped: pa.Table) -> pa.Table:
    """The same table for CSV, TSV and workbooks: the candidates as one text, `code name (score); …`."""
    text = [
        "; ".join(f"{c['code']} {c['name']} ({c['score']:.3f})" for c in row)
        for row in mapped.column("candidates").to_pylist()
    ]
    return with_columns(mapped, {"candidates": pa.array(text, pa.string())})


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
        wrong = [row for row in rows if row["right_at"] not in (None, LEVELS[0])]
        return sorted(wrong, key=lambda row: WORDS.index(row["right_at"]))

    def __getitem__(self, of_and_name: tuple[str, str]) -> Measure:
        """`accuracy["code", "top 1"]`. Raises `KeyError` for a figure that is not there."""
        return {one[:2]: one for one in self.measures}[of_and_name]

    def to_dict(self) -> dict[str, Any]:
        """All but the table, for JSON."""
        counts = {"strings": self.table.num_rows, "without_gold": self.without_gold, "no_code": self.no_code}
        accuracy = [one._asdict() for one in self.measures]
        return {"settings": self.settings, **counts, "accuracy": accuracy, "errors": self.errors}

    def print(self) -> None:
        """Prints the figures and the first errors, with what counts nowhere or as wrong above them."""
        print(
            f"Left out, without a right code: {self.without_gold:,}. Wrong, since no code came out: {self.no_code:,}."
        )
        for header, rows in ((Measure._fields, self.measures), (_OF_ERRORS, map(dict.values, self.errors[:_SHOWN]))):
            print_table(header, (map(in_a_cell, row) for row in rows))
        if (more := len(self.errors) - _SHOWN) > 0:
            print(f"{more:,} more errors are in the table and the JSON.")


@checked
def icd_accuracy(
    diagnoses: Table,
    gold: str,
    *,
    column: str | None = None,
    unique: bool = False,
    k: Annotated[int, Between(1, MAX_K)] | None = None,
    tree: Table = None,
    preset: Preset = "default",
    pick: str | None = None,
    matcher: MatchFunction | File | None = None,
    reading: Annotated[Reading, "encoding"] = Reading(),
    asking: Annotated[Asking, *OF_MAPPING] | None = None,
) -> IcdAccuracy:
    """Maps diagnoses to ICD-10 and compares their codes with the right ones: H-DDx (3.2, A.3).

    What is not named below is as of `dxmatch.icd`.

    Parameters
    ----------
    gold
        The column of `diagnoses` that holds the right codes. Several codes in a cell, apart by ; or |, are all right. A code is read as it is
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
    terms = read_diagnoses(diagnoses, column, reading)
    read = terms.table
    read.required_text(terms.column)
    if not isinstance(gold, str):
        raise OptionError("gold", "a column of the diagnoses (a table with right codes is itself the diagnoses)", gold)
    read.require(gold, "the right codes", option="gold")
    with mapper_of(k=k, tree=tree, preset=preset, pick=pick, matcher=matcher, asking=asking) as (mapper, report):
        tree = open_tree(source := mapper.chosen["source"])
        cells = [cell or "" for cell in read.text(gold).to_pylist()]
        places = {cell: Place(read.row_number(row), gold) for row, cell in reversed([*enumerate(cells)])}
        nodes = nodes_of_cells(places, tree, source, read.source)
        if not any(nodes.values()):
            raise InputError("no diagnosis has a right code", source=read.source, allowed="codes such as I21.9")
        mapped, rows = map_terms(terms, mapper, unique=unique, progress=report)
    judged = [_judged(tree, one, nodes[cells[row]]) for one, row in zip(mapped.to_pylist(), rows, strict=True)]
    known = [one for one in judged if one]
    table = with_columns(mapped, dict(zip(_JUDGED.names, pa.Table.from_pylist(judged, _JUDGED).columns, strict=True)))
    measures = _measures(known, mapper.chosen["k"], pick is not None)
    no_code = [one["right_at"] for one in known].count(NO_CODE)
    return IcdAccuracy(table, measures, len(judged) - len(known), no_code, mapper.settings)


def levels_shared(tree: IcdTree, found: int, right: int) -> list[str]:
    """The `LEVELS` at which a node that was found is right, the nearest first.

    code : the same code, and so all. parent : the right code's parent is the other, or stands above it: K70.1 for K70.0, G47 for G47.9,
    S32.000 for S32.0. category : the same first three characters as a node of the tree. section : the innermost section of the right
    code is the other, or stands above it. chapter : the same chapter. A right category's parent is its section, and a right section's
    its chapter, so that "parent" may hold without "category"; otherwise a level holds whatever a nearer one says.
    """
    if tree.codes[found] == tree.codes[right]:  # also a section of one category, which has its code
        return list(LEVELS)
    path, above = {found, *tree.ancestors(found)}, [right, *tree.ancestors(right)]
    section = next((node for node in above if tree.kinds[node] == BLOCK), -1)
    shared = (int(tree.parents[right]), int(tree.categories[right]), section, above[-1])
    return [level for level, node in zip(LEVELS[1:], shared, strict=True) if node in path]


_JUDGED = pa.schema([*((name, pa.string()) for name in ("gold", "gold_name", "right_at")), ("gold_place", pa.int64())])


def _judged(tree: IcdTree, row: Mapping[str, Any], right: Sequence[int]) -> dict[str, Any]:
    """What is said of a row of the mapping beside it, and the levels at which its code is right: of the nearest of several right codes."""
    if not right:
        return {}
    codes, names = [tree.codes[node] for node in right], [tree.names[node] for node in right]
    found = [] if row["icd10"] is None else [levels_shared(tree, tree.find(row["icd10"]), one) for one in right]
    levels = min(([*one, NO_LEVEL] for one in found), key=lambda one: WORDS.index(one[0]), default=[NO_CODE])
    place = next((at for at, one in enumerate(row["candidates"], start=1) if one["code"] in codes), None)
    said = {"gold": "; ".join(codes), "gold_name": "; ".join(names), "right_at": levels[0], "gold_place": place}
    return {**said, "levels": levels}


def _measures(known: Sequence[Mapping[str, Any]], k: int, picked: bool) -> list[Measure]:
    places, levels = [one["gold_place"] for one in known], [one["levels"] for one in known]
    tops = sorted({at for at in (*TOP, k) if at <= k})
    out = [_share("candidates", f"top {at}", (place is not None and place <= at for place in places)) for at in tops]
    right = [LEVELS[0] in one for one in levels]
    out.append(_share("code", "top 1", right))
    if picked:
        out.append(_gain(right, [place == 1 for place in places]))
    return [*out, *(_share("code", f"right at the {level}", (level in one for one in levels)) for level in LEVELS[1:])]


def _share(of: str, name: str, holds: Iterable[bool]) -> Measure:
    from scipy.stats import binomtest

    right, n = sum(each := list(holds)), len(each)
    low, high = binomtest(right, n).proportion_ci(method="wilson")
    return Measure(of, name, right / n, float(low), float(high), right, n)


def _gain(now: Sequence[bool], before: Sequence[bool]) -> Measure:
    n = len(now)
    mended = sum(a and not b for a, b in zip(now, before, strict=True))
    spoilt = sum(b and not a for a, b in zip(now, before, strict=True))
    more, less = (mended + 1) / (n + 2), (spoilt + 1) / (n + 2)
    half = 1.959963984540054 * sqrt((more + less - (more - less) ** 2) / (n + 2))
    low, high = max(more - less - half, -1.0), min(more - less + half, 1.0)
    return Measure("gain", "top 1", (mended - spoilt) / n, low, high, mended - spoilt, n)
