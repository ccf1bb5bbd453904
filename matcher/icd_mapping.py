"""Free text to ICD-10 with the encoder of a model, and a language model's picks: `dxmatch.icd` and `dxmatch icd`."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import narwhals as nw
import pyarrow as pa

from ..errors import ModelError, OptionError, warn
from ..features.feature_set import FeatureSet
from ..features.providers import SHIPPED
from ..files.limits import MAX_CHARACTERS
from ..files.reading import Reading
from ..files.tables import Table, read_table, with_columns, write_table
from ..options import Between, File, Serves, checked
from ..options import Table as AnyTable
from ..progress import Progress, shown
from ..terms.icd.mapping import map_to_icd
from ..votes.asking_options import Asking, Budget
from ..votes.voters import PICK_OPTIONS, Picker
from .icd_blanks import blanks_told, in_place
from .icd_encoders import declaring
from .icd_picks import pick_options, with_picks
from .icd_presets import IcdPreset, Preset, preset_of
from .icd_said import code_as_said, said_beside
from .icd_strings import Diagnoses
from .match_function import MatchFunction, load

if TYPE_CHECKING:
    from ..terms.icd.index import IcdIndex

EDITION = "icd10"
"""The key of the schema's metadata that holds package and version, or file and hash, of the ICD-10 that the codes are of."""
MAX_K = 1000
"""Candidates of one diagnosis: what a language model or a reader can look at, and a machine can hold for a long table."""
OF_MAPPING = Serves("endpoints", "store", "max_calls", "max_cost")
"""What serves the asking of picks."""


@dataclass(frozen=True, kw_only=True)
class IcdMapper:
    """How diagnoses are mapped, as `icd`, its accuracy and an evaluation say it; the fields are as of `icd`, but for the tree.

    tree : the name or the path of one, as `tree_file` gives it.

    Raises
    ------
    OptionError
        For a preset that puts every diagnosis to a language model, without one.
    """

    k: int | None = None
    tree: str | os.PathLike[str] | None = None
    preset: Preset = "default"
    pick: str | None = None
    matcher: MatchFunction | str | os.PathLike[str] | None = None
    asking: Asking = field(default_factory=Asking)

    def __post_init__(self) -> None:
        if self.pick is None and not self.how.direct:
            raise OptionError(
                "pick", "a language model, since the preset asks about every diagnosis (direct=False)", None
            )

    @property
    def how(self) -> IcdPreset:
        """The preset itself."""
        return preset_of(self.preset)

    @cached_property
    def chosen(self) -> Mapping[str, Any]:
        """Each of source, encoder, k, distance and entries, and what else a pick says: as given, else as the pick has it, else as usual."""
        how = self.how
        given = {
            "source": self.tree, "k": self.k, "encoder": how.encoder, "distance": how.distance, "entries": how.entries,
        }  # fmt: skip
        usual = PICK_OPTIONS if self.pick is None else pick_options(self.pick, self.features, how.prompt)
        return {**usual, **{name: value for name, value in given.items() if value is not None}}

    @cached_property
    def features(self) -> FeatureSet:
        """The feature set that declares picks and encoders, with the user's endpoints."""
        return FeatureSet.read(self.how.features, self.asking.endpoints)

    @property
    def source(self) -> str:
        """The tree of ICD-10."""
        return os.fspath(self.chosen["source"])

    @property
    def ways(self) -> dict[str, Any]:
        """How the index of names is looked through."""
        return {name: self.chosen[name] for name in ("distance", "entries")} | {"sections": self.how.sections}

    @cached_property
    def m(self) -> MatchFunction:
        """The match function. Raises `ModelError` for one without an encoder of its own."""
        m = self.matcher if isinstance(self.matcher, MatchFunction) else load(self.matcher)
        if SHIPPED not in m.providers.encoders:
            raise ModelError(f"Model {m.name} has no encoder of its own, so it cannot map to ICD-10.")
        return m

    def index(self) -> IcdIndex:
        """ICD-10's names under the encoder."""
        providers, encoder = self.m.providers, self.chosen["encoder"]
        if self.pick is not None or encoder != SHIPPED:
            set_ = declaring(self.features, encoder)
            providers = set_.open(
                providers.normalizer, providers.encoders[SHIPPED], endpoints=set_.endpoints,
                allow_download=self.how.allow_download,
                # a pick is among ICD-10's own names, as those of the features are
                graph=providers.graph if self.pick is None else None,
            )  # fmt: skip
        return providers.icd_index(self.source, encoder, *self.ways.values())


@dataclass(frozen=True)
class IcdTable:
    """What `map_icd` made.

    Attributes
    ----------
    table : one row per string. read : the strings. rows : int[n], the row of `read` that each row of `table` is of.
    settings : how it was made: edition, encoder (its identity), distance, entries, sections, k, pick.
    asked : what came of asking a language model, in its `summaries`.
    """

    table: pa.Table
    read: Table
    rows: Sequence[int]
    settings: dict[str, Any]
    asked: Budget = field(default_factory=Budget)


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

    Of a table, rows without a diagnosis keep their place: no code, how "blank", and a warning that counts them (with `unique` they are left out).

    Errors: `InputError` for a string that is blank, and a diagnosis that is no name, with its place.
    """
    with tree_file(tree) as file, shown("Asking") as report:
        mapper = IcdMapper(k=k, tree=file, preset=preset, pick=pick, matcher=matcher, asking=asking or Asking())
        read = Diagnoses.of(diagnoses, column, reading.encoding, keep_blank=True)
        result = map_icd(read, mapper, unique=unique, progress=report)
    if result.read.note:
        warn(result.read.note)
    made = result.read.native(result.table)
    if hasattr(made, "attrs"):
        made.attrs[EDITION] = result.table.schema.metadata[EDITION.encode()].decode()
    return made


@contextmanager
def tree_file(tree: Any) -> Iterator[str | os.PathLike[str] | None]:
    """A code system as the name or the path of one, also where it came as a list of terms, a series or a table."""
    with tempfile.TemporaryDirectory() as folder:
        if tree is not None and not isinstance(tree, str | os.PathLike):
            tree = write_table(_terms(tree), Path(folder, "terms.parquet"))
        yield tree


def _terms(source: Any) -> pa.Table:
    if isinstance(source, list | tuple) and not any(isinstance(one, Mapping) for one in source):
        return pa.table({"term": pa.array(source, pa.string())})
    if nw.dependencies.is_into_series(source):
        source = nw.from_native(source, series_only=True).to_frame()
        return source.rename({source.columns[0]: "term"}).to_arrow()
    return read_table(source).data


def map_icd(
    diagnoses: Diagnoses, mapper: IcdMapper, *, unique: bool = False, progress: Progress | None = None
) -> IcdTable:
    """`icd` of what was read, with how it was mapped."""
    table, m, index = diagnoses.table, mapper.m, mapper.index()
    if len(diagnoses.rows) < len(table):
        warn(blanks_told(table, diagnoses.rows, diagnoses.column, unique))
    if unique:
        diagnoses = diagnoses.unique()
    k, asked = mapper.chosen["k"], mapper.asking.budget
    settings = {"edition": index.tree.source, "encoder": index.encoder.identity, "k": k, "pick": None, **mapper.ways}
    if mapper.pick is None:
        columns = _nearest(diagnoses, m, index, k)
    else:
        map_ = partial(map_to_icd, diagnoses.texts, index, m.providers.normalizer, k, **diagnoses.place)
        picker, direct = Picker.of(mapper.chosen), mapper.how.direct
        columns = with_picks(map_, picker, mapper.features, direct, mapper.asking, progress)
        settings |= {"pick": mapper.pick, "direct": direct}
    mapped, rows = _as_arrow(columns, index.tree.source), diagnoses.rows
    if not unique:
        mapped, rows = in_place(mapped, rows, len(table)), range(len(table))
    return IcdTable(mapped, table, rows, settings, asked)


def _nearest(diagnoses: Diagnoses, m: MatchFunction, index: IcdIndex, k: int) -> dict[str, list[Any]]:
    """The columns of a mapping to the nearest names, of what is understood and not denied."""
    normalizer = m.providers.normalizer
    # Of the texts with a letter or digit; the mapping refuses the others, with their place.
    known = [text for text in dict.fromkeys(diagnoses.texts) if len(text) <= MAX_CHARACTERS and normalizer(text)]
    looked_up = dict(zip(known, m.providers.naming.to_code(known), strict=True))
    if told := said_beside(looked_up, normalizer):
        warn(told)
    no_code = {text: one.no_code for text, one in looked_up.items() if not m.judge_all}
    unmapped = [no_code.get(text) for text in diagnoses.texts]
    read_as = {text: one.name for text, one in looked_up.items()}
    columns = map_to_icd(diagnoses.texts, index, normalizer, k, unmapped=unmapped, read_as=read_as, **diagnoses.place)
    code_as_said(columns, read_as, m, index, k)
    del columns["reason"]
    return columns


def _as_arrow(columns: dict[str, list[Any]], edition: str) -> pa.Table:
    texts = [(field, pa.string()) for field in ("code", "name", "found")]
    candidate = pa.struct([*texts[:2], ("score", pa.float64()), texts[2]])
    kinds = {"candidates": pa.list_(candidate), "score": pa.float64()}
    columns["candidates"] = [[c._asdict() for c in row] for row in columns["candidates"]]
    made = pa.table({name: pa.array(values, kinds.get(name, pa.string())) for name, values in columns.items()})
    return made.replace_schema_metadata({EDITION: edition})


def flat_candidates(mapped: pa.Table) -> pa.Table:
    """The same table for CSV, TSV and workbooks: the candidates as one text, `code name (score); …`."""
    text = [
        "; ".join(f"{c['code']} {c['name']} ({c['score']:.3f})" for c in row)
        for row in mapped.column("candidates").to_pylist()
    ]
    return with_columns(mapped, {"candidates": pa.array(text, pa.string())})
