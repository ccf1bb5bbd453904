"""Free text to ICD-10 with the encoder of a model, and a language model's picks: `dxmatch.icd` and `dxmatch icd`."""

from __future__ import annotations

import os
import tempfile
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import narwhals as nw
import pyarrow as pa

from ..errors import ModelError, OptionError
from ..features.feature_set import FeatureSet
from ..features.providers import SHIPPED
from ..files.limits import MAX_CHARACTERS
from ..files.tables import Table, read_table, with_columns, write_table
from ..terms.icd.mapping import map_to_icd
from ..terms.icd.search import CANDIDATES, DISTANCES, ENTRIES
from ..votes.asking import Budget
from .icd_blanks import blanks_told, in_place
from .icd_encoders import declaring
from .icd_picks import picker_of, with_picks
from .icd_said import code_as_said, said_beside
from .icd_strings import Diagnoses, strings_table
from .match_function import MatchFunction, load

if TYPE_CHECKING:
    from ..features.providers import Providers
    from ..terms.diseases.graph import DiseaseGraph
    from ..terms.icd.index import IcdIndex

DEFAULT_SOURCE = "icd10cm"
PAPER = "paper17"
"""The feature set whose picks and encoders are known where none is given."""
EDITION = "icd10"
"""The key of the schema's metadata that holds package and version, or file and hash, of the ICD-10 that the codes are of."""


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


def icd(
    strings: Any,
    *,
    column: str = "diagnosis",
    unique: bool = False,
    k: int | None = None,
    source: Any = None,
    encoder: str | None = None,
    distance: str | None = None,
    entries: str | None = None,
    sections: bool = True,
    model: MatchFunction | str | os.PathLike[str] | None = None,
    pick: str | None = None,
    prompt: str | os.PathLike[str] | None = None,
    direct: bool = True,
    features: str | os.PathLike[str] | None = None,
    endpoints: str | os.PathLike[str] | None = None,
    allow_download: bool = False,
    store: str | os.PathLike[str] = "votes.sqlite",
    max_calls: int | None = None,
    max_cost: float | None = None,
    encoding: str | None = None,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> Any:
    """Maps diagnoses to ICD-10 entries.

    Parameters
    ----------
    strings : one diagnosis as written, or a list or series of them; or the path of a file, a data frame, a list of dicts or a dict of
        columns, with them in `column`. A text is a path if such a file is there or it ends in .csv, .tsv, .jsonl, .json, .xlsx or
        .parquet, else a diagnosis.
    unique : one row for each different string, in order of first appearance: a table to look up every algorithm's in.
    k : how many candidates to keep for each; 15 if not given.
    source : "icd10cm" (if not given), "icd10" (WHO), the path of a CSV with `code, name, parent`, or a code system of your own: a file, frame or list
        of terms, with a column `code` (else each term is its own; several rows of one code are synonyms) and `parent` where it has them.
    encoder : what finds the nearest names: "shipped" (the model's own static one; if not given), one that `features` declares
        (also one that an endpoint serves), "sentence-transformers:" and the name or folder of such a model, or
        "endpoint:NAME:MODEL", an embedding model of an endpoint of `endpoints` or `features`.
    distance : "cosine" (if not given), or "euclidean", as in "How to Evaluate Medical AI": of vectors that keep their length.
    entries : "codes" (if not given): the candidates are k different codes, and what a name says beyond the diagnosis counts
        against it. "names": they are the k nearest names among ICD-10's titles and inclusion terms, of which several may belong to one
        code, by the distance alone: H-DDx (A.1).
    sections : whether chapters and sections are among the entries, as in H-DDx (A.1): "Tuberculosis" is A15-A19.
    model : a match function, its folder or its name on the hub, whose normaliser and encoder are used; the shipped one if not given.
    pick : the language model that picks among the candidates where there is no direct match: a feature of the kind
        "icd_pick" in `features`, by its name or its model. It also says k, source, encoder, distance and entries where these are
        not given.
    prompt : what the model is asked with, in place of what the feature says: "icd-pick-2" (a number, with the rules of "How to Evaluate
        Medical AI"), "pick-name-1" (a name in JSON, with those of H-DDx), another built-in one, or the path of a text file.
    direct : with `pick`: a diagnosis that equals a name of ICD-10 has its code at once, as in "How to Evaluate Medical AI"; False asks the
        model about every diagnosis but a bare code, as H-DDx does.
    features : the feature set that declares the pick and encoders; "paper17" if not given.
    endpoints : a TOML file whose `[endpoint.NAME]` tables go before those of `features`.
    allow_download : the hub may be asked for the model or an encoder by its name; without it what the hub's cache holds is taken, offline.
    store : the file that keeps the picks, so that nothing is asked twice. Made where it is absent.
    max_calls, max_cost : the asking stops there; what is left is unscored.
    encoding : of a text file that is not UTF-8.
    progress : called with the diagnoses done and those in all.

    Returns
    -------
    A frame gives a frame of its kind and a file an Arrow table; strings give a pandas frame where pandas is installed, else an Arrow table. In
    a pandas frame, `attrs["icd10"]` is the edition of ICD-10. One row per string: diagnosis, icd10, name, how ("direct", "code", "nearest", "unmapped" where no name is near
    enough, or "none" where nothing was found), score (1 for direct and code; else the cosine less what the name says beyond the
    diagnosis, at most 1; the cosine alone with entries="names" or a pick; a distance with a minus sign with distance="euclidean"),
    candidates (list of code, name, score and the name that it was found by, best first, also for "unmapped"). With `pick`, how is
    "picked" instead of "nearest", or "unscored" where the model named no candidate, and a column `reason` says why. The schema's metadata name the edition of ICD-10 under `icd10`.

    Of a table, rows without a diagnosis keep their place: no code, how "blank", and a warning that counts them (with `unique` they are left out).

    Errors: `InputError` for a string that is blank, and a diagnosis that is no name, with its place.
    """
    with tempfile.TemporaryDirectory() as folder:
        if source is not None and not isinstance(source, str | os.PathLike):
            source = write_table(_terms(source), Path(folder, "terms.parquet"))
        result = map_icd(
            strings,
            column=column,
            unique=unique,
            k=k,
            source=source,
            encoder=encoder,
            distance=distance,
            entries=entries,
            sections=sections,
            model=model,
            pick=pick,
            prompt=prompt,
            direct=direct,
            features=features,
            endpoints=endpoints,
            allow_download=allow_download,
            store=store,
            budget=Budget(max_calls, max_cost),
            encoding=encoding,
            keep_blank=True,
            progress=progress,
        )
    if result.read.note:
        warnings.warn(result.read.note, stacklevel=2)
    made = result.read.native(result.table)
    if hasattr(made, "attrs"):
        made.attrs[EDITION] = result.table.schema.metadata[EDITION.encode()].decode()
    return made


def _terms(source: Any) -> pa.Table:
    """A code system that came as a list of terms, a series or a table."""
    if isinstance(source, list | tuple) and not any(isinstance(one, Mapping) for one in source):
        return pa.table({"term": pa.array(source, pa.string())})
    if nw.dependencies.is_into_series(source):
        source = nw.from_native(source, series_only=True).to_frame()
        return source.rename({source.columns[0]: "term"}).to_arrow()
    return read_table(source).data


def map_icd(
    strings: Any,
    *,
    column: str = "diagnosis",
    unique: bool = False,
    k: int | None = None,
    source: str | os.PathLike[str] | None = None,
    encoder: str | None = None,
    distance: str | None = None,
    entries: str | None = None,
    sections: bool = True,
    model: MatchFunction | str | os.PathLike[str] | None = None,
    pick: str | None = None,
    prompt: str | os.PathLike[str] | None = None,
    direct: bool = True,
    features: str | os.PathLike[str] | None = None,
    endpoints: str | os.PathLike[str] | None = None,
    allow_download: bool = False,
    store: str | os.PathLike[str] = "votes.sqlite",
    budget: Budget | None = None,
    encoding: str | None = None,
    keep_blank: bool = False,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> IcdTable:
    """`icd` with what was read, and how; of a code system, the path alone.

    budget : caps the asking, in the place of `max_calls` and `max_cost`. keep_blank : rows of a table without a diagnosis keep their place, without a code; else they are an `InputError`.
    """
    if k is not None and k < 1:
        raise OptionError("k", "1 or more", k)
    if pick is None and not direct:
        raise OptionError("direct", "True without 'pick': it says what a language model is asked", direct)
    diagnoses = Diagnoses.of(strings_table(strings, column, encoding), column, keep_blank)
    table = diagnoses.table
    m = model if isinstance(model, MatchFunction) else load(model, allow_download=allow_download)
    if SHIPPED not in m.providers.encoders:
        raise ModelError(f"Model {m.name} has no encoder of its own, so it cannot map to ICD-10.")
    if len(diagnoses.rows) < len(table):
        warnings.warn(blanks_told(table, diagnoses.rows, column, unique), stacklevel=3)
    if unique:
        diagnoses = diagnoses.unique()
    normalizer, spent = m.providers.normalizer, Budget() if budget is None else budget
    if pick is None:
        ways: dict[str, Any] = {
            "distance": distance or DISTANCES[0], "entries": entries or ENTRIES[0], "sections": sections,
        }  # fmt: skip
        providers, k = m.providers, k or CANDIDATES
        if encoder not in (None, SHIPPED):
            chosen = declaring(FeatureSet.read(features or PAPER, endpoints), encoder)
            providers = _opened(chosen, m, allow_download, providers.graph)
        index = providers.icd_index(os.fspath(source or DEFAULT_SOURCE), encoder or SHIPPED, **ways)
        columns = _nearest(diagnoses, m, index, k)
    else:
        chosen = FeatureSet.read(features or PAPER, endpoints)
        picker = picker_of(pick, chosen, prompt)
        chosen = declaring(chosen, encoder or picker.encoder)
        providers, k = _opened(chosen, m, allow_download), k or picker.k
        ways = {"distance": distance or picker.distance, "entries": entries or picker.entries, "sections": sections}
        index = providers.icd_index(os.fspath(source or picker.source), encoder or picker.encoder, **ways)
        map_ = partial(map_to_icd, diagnoses.texts, index, normalizer, k, **diagnoses.place)
        columns = with_picks(map_, picker, chosen, direct=direct, store=store, budget=spent, progress=progress)
        ways |= {"pick": pick, "direct": direct}
    mapped, rows = _as_arrow(columns, index.tree.source), diagnoses.rows
    if not unique:
        mapped, rows = in_place(mapped, rows, len(table)), range(len(table))
    settings = {"edition": index.tree.source, "encoder": index.encoder.identity, "k": k, "pick": None, **ways}
    return IcdTable(mapped, table, rows, settings, spent)


def _opened(chosen: FeatureSet, m: MatchFunction, allow_download: bool, graph: DiseaseGraph | None = None) -> Providers:
    """Providers of a feature set's encoders, with the normaliser and the encoder of M."""
    normalizer, shipped = m.providers.normalizer, m.providers.encoders[SHIPPED]
    return chosen.open(normalizer, shipped, endpoints=chosen.endpoints, allow_download=allow_download, graph=graph)


def _nearest(diagnoses: Diagnoses, m: MatchFunction, index: IcdIndex, k: int) -> dict[str, list[Any]]:
    """The columns of a mapping to the nearest names, of what is understood and not denied."""
    normalizer = m.providers.normalizer
    # Of the texts with a letter or digit; the mapping refuses the others, with their place.
    known = [text for text in dict.fromkeys(diagnoses.texts) if len(text) <= MAX_CHARACTERS and normalizer(text)]
    looked_up = dict(zip(known, m.providers.naming.to_code(known), strict=True))
    if told := said_beside(looked_up, normalizer):
        warnings.warn(told, stacklevel=4)
    no_code = {text: one.no_code for text, one in looked_up.items() if not m.judge_all}
    unmapped = [no_code.get(text) for text in diagnoses.texts]
    read_as = {text: one.name for text, one in looked_up.items()}
    columns = map_to_icd(diagnoses.texts, index, normalizer, k, unmapped=unmapped, read_as=read_as, **diagnoses.place)
    code_as_said(columns, read_as, m, index, k)
    del columns["reason"]
    return columns


def source_of(
    source: str | os.PathLike[str] | None,
    pick: str | None,
    features: str | os.PathLike[str] | None,
    endpoints: str | os.PathLike[str] | None,
) -> str:
    """The ICD-10 of a mapping with these options."""
    if source is None and pick is not None:
        return picker_of(pick, FeatureSet.read(features or PAPER, endpoints)).source
    return os.fspath(source or DEFAULT_SOURCE)


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
