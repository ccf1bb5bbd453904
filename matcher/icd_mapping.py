"""Free text to ICD-10 with the encoder of a model, and a language model's picks: `dxmatch.icd` and `dxmatch icd`."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import narwhals as nw
import pyarrow as pa

from ..errors import InputError, quoted, warn
from ..files.reading import Reading
from ..files.table import of_columns
from ..files.tables import Table, read_table, with_columns, write_table
from ..files.wording import is_file_name
from ..files.workbook import split_sheet
from ..options import Between, File, Serves, checked
from ..options import Table as AnyTable
from ..progress import Progress, shown
from ..terms.icd.index import IcdAnswer
from ..votes.asking_options import Asking
from .icd_mapper import IcdMapper
from .icd_presets import Preset
from .match_function import MatchFunction

EDITION = "icd10"
"""The key of the schema's metadata that holds package and version, or file and hash, of the ICD-10 that the codes are of."""
MAX_K = 1000
"""Candidates of one diagnosis: what a language model or a reader can look at, and a machine can hold for a long table."""
OF_MAPPING = Serves("endpoints", "store", "max_calls", "max_cost")
"""What serves the asking of picks."""
BLANK = "blank"
_STRINGS = "strings"


@checked
def icd(
    diagnoses: AnyTable,
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
) -> Any:
    """Maps diagnoses to ICD-10 entries.

    Parameters
    ----------
    diagnoses
        One diagnosis as written, or a list or series of them; or the path of a file, a data frame, a list of dicts or a dict of
        columns, with them in `column`. A text is a path if such a file is there or it ends in .csv, .tsv, .jsonl, .json, .xlsx or
        .parquet, else a diagnosis.
    column
        That holds the diagnoses.
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
        feature set, by its name or its model, which also says k, tree, encoder, distance and entries where these are not given.
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
    with tree_file(tree) as file, shown("Asking") as report:
        mapper = IcdMapper(k=k, tree=file, preset=preset, pick=pick, matcher=matcher, asking=asking or Asking())
        read = read_diagnoses(diagnoses, column, reading.encoding)
        mapped, _ = map_table(read, column, mapper, unique=unique, progress=report)
    if read.note:
        warn(read.note)
    made = read.native(mapped)
    if hasattr(made, "attrs"):
        made.attrs[EDITION] = mapped.schema.metadata[EDITION.encode()].decode()
    return made


@contextmanager
def tree_file(tree: Any) -> Iterator[str | os.PathLike[str] | None]:
    """A code system as the name or the path of one, also where it came as a list of terms, a series or a table."""
    with tempfile.TemporaryDirectory() as folder:
        if tree is not None and not isinstance(tree, str | os.PathLike):
            tree = write_table(read_strings(tree, "term").data, Path(folder, "terms.parquet"))
        yield tree


def read_diagnoses(given: Any, column: str, encoding: str | None) -> Table:
    """One diagnosis, a list, a series, or a table with diagnoses in a column. Errors: `InputError` for one without the column."""
    table = read_strings([given] if isinstance(given, str) and not is_path(given) else given, column, encoding)
    table.require(column, "a diagnosis", option="column")
    return table


def read_strings(given: Any, column: str, encoding: str | None = None) -> Table:
    """A list or series of texts as a table of one column; any other table as it is. Errors: `InputError` for an empty list."""
    frame = None
    if nw.dependencies.is_into_series(given):
        series = nw.from_native(given, series_only=True)
        frame, given = series.to_frame(), series.to_list()
    if not isinstance(given, list | tuple) or (given and isinstance(given[0], Mapping)):
        return read_table(given, encoding)
    if not given:
        raise InputError("an empty list", source=_STRINGS, allowed="at least one diagnosis")
    return Table(of_columns({column: given}, _STRINGS), _STRINGS, 0, frame)


def is_path(text: str) -> bool:
    """Whether a text is a file rather than a diagnosis."""
    try:
        path, _ = split_sheet(Path(text))
        return is_file_name(text) or path.is_file() or ("/" in text and path.is_dir())
    except (OSError, ValueError):  # too long for a path, or with a character that none has
        return False


def map_table(
    table: Table, column: str, mapper: IcdMapper, *, unique: bool = False, progress: Progress | None = None
) -> tuple[pa.Table, Sequence[int]]:
    """`icd` of a table that was read, and the row of it that each row of the mapping is of."""
    texts, first = table.text(column).to_pylist(), dict[str, int]()
    for row, text in enumerate(texts):
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

    def place(text: str) -> dict[str, Any]:
        return {"source": table.source_of(first[text]), "row": table.row_number(first[text]), "column": column}

    found = mapper.answers(first, place, progress)
    rows = list(first.values()) if unique else range(len(texts))
    answers = [found.get(texts[row], IcdAnswer(None, None, BLANK, None, [])) for row in rows]
    names = [name for name in IcdAnswer._fields if name != "reason" or mapper.pick is not None]
    columns = {name: [getattr(answer, name) for answer in answers] for name in names}
    columns["candidates"] = [[one._asdict() for one in answer.candidates] for answer in answers]
    kinds = {"candidates": pa.list_(_CANDIDATE), "score": pa.float64()}
    made = {"diagnosis": [texts[row] if texts[row] in found else None for row in rows], **columns}
    mapped = pa.table({name: pa.array(values, kinds.get(name, pa.string())) for name, values in made.items()})
    return mapped.replace_schema_metadata({EDITION: mapper.index.tree.source}), rows


_CANDIDATE = pa.struct([("code", pa.string()), ("name", pa.string()), ("score", pa.float64()), ("found", pa.string())])


def flat_candidates(mapped: pa.Table) -> pa.Table:
    """The same table for CSV, TSV and workbooks: the candidates as one text, `code name (score); …`."""
    text = [
        "; ".join(f"{c['code']} {c['name']} ({c['score']:.3f})" for c in row)
        for row in mapped.column("candidates").to_pylist()
    ]
    return with_columns(mapped, {"candidates": pa.array(text, pa.string())})
