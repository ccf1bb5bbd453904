"""Free text to ICD-10 with the encoder of a model, and a language model's picks: `dxmatch.icd` and `dxmatch icd`."""

from __future__ import annotations

import os
import tempfile
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import narwhals as nw
import pyarrow as pa

from ..errors import InputError, ModelError, OptionError
from ..features.feature_set import FeatureSet
from ..features.providers import SHIPPED
from ..files.did_you_mean import hint
from ..files.file_names import is_file_name
from ..files.limits import MAX_CHARACTERS
from ..files.tables import Table, read_table, with_columns, write_table
from ..files.workbook import split_sheet
from ..terms.icd.mapping import map_to_icd
from ..terms.icd.search import CANDIDATES, DISTANCES, ENTRIES
from ..votes.prompts.files import prompt_of
from ..votes.voters import Picker
from .icd_blanks import blanks_told, in_place
from .icd_encoders import declaring
from .icd_said import said_beside
from .match_function import MatchFunction, load

if TYPE_CHECKING:
    from ..terms.icd.index import IcdIndex
    from ..votes.asker import AskSummary

DEFAULT_SOURCE = "icd10cm"
PAPER = "paper17"
"""The feature set whose picks and encoders are known where none is given."""
_STRINGS = "strings"
EDITION = "icd10"
"""The key of the schema's metadata that holds package and version, or file and hash, of the ICD-10 that the codes are of."""


@dataclass(frozen=True)
class IcdTable:
    """What `map_icd` made.

    Attributes
    ----------
    table : one row per string. read : the strings. rows : int[n], the row of `read` that each row of `table` is of.
    settings : how it was made: edition, encoder (its identity), distance, entries, sections, k, pick.
    asked : what came of asking a language model; None where none was asked.
    """

    table: pa.Table
    read: Table
    rows: Sequence[int]
    settings: dict[str, Any]
    asked: AskSummary | None = None


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
            max_calls=max_calls,
            max_cost=max_cost,
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
    max_calls: int | None = None,
    max_cost: float | None = None,
    encoding: str | None = None,
    keep_blank: bool = False,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> IcdTable:
    """`icd` with what was read, and how; of a code system, the path alone.

    keep_blank : rows of a table without a diagnosis keep their place, without a code; else they are an `InputError`.
    """
    if k is not None and k < 1:
        raise OptionError("k", "1 or more", k)
    if pick is None and not direct:
        raise OptionError("direct", "True without 'pick': it says what a language model is asked", direct)
    table = strings_table(strings, column, encoding)
    table.require(column, "a diagnosis", option="column")
    kept = keep_blank and (table.source != _STRINGS or table.frame is not None)
    texts = (table.text(column) if kept else table.required_text(column)).to_pylist()
    rows: Sequence[int] = [row for row, text in enumerate(texts) if text is not None]
    if not rows:
        raise table.blank(0, column)
    texts = [texts[row] for row in rows]
    m = model if isinstance(model, MatchFunction) else load(model, allow_download=allow_download)
    if SHIPPED not in m.providers.encoders:
        raise ModelError(f"Model {m.name} has no encoder of its own, so it cannot map to ICD-10.")
    if len(rows) < len(table):
        warnings.warn(blanks_told(table, rows, column, unique), stacklevel=3)
    if unique:
        first = dict(zip(reversed(texts), reversed(rows), strict=True))
        text_of = dict(zip(rows, texts, strict=True))
        rows = sorted(first.values())
        texts = [text_of[row] for row in rows]
    place = {"source": table.source, "column": column, "row_number": lambda i: table.row_number(rows[i])}
    if pick is None:
        ways: dict[str, Any] = {
            "distance": distance or DISTANCES[0], "entries": entries or ENTRIES[0], "sections": sections,
        }  # fmt: skip
        providers = m.providers
        if encoder not in (None, SHIPPED):
            chosen = declaring(FeatureSet.read(features or PAPER, endpoints), encoder)
            shipped, graph = providers.encoders[SHIPPED], providers.graph
            providers = chosen.open(
                providers.normalizer, shipped, endpoints=chosen.endpoints, allow_download=allow_download, graph=graph
            )
        index = providers.icd_index(os.fspath(source or DEFAULT_SOURCE), encoder or SHIPPED, **ways)
        # Of the texts with a letter or digit; the mapping refuses the others, with their place.
        known = [text for text in dict.fromkeys(texts) if len(text) <= MAX_CHARACTERS and m.providers.normalizer(text)]
        looked_up = dict(zip(known, m.providers.naming.to_code(known), strict=True))
        names = {text: one.name for text, one in looked_up.items()}
        no_code = {text: one.no_code for text, one in looked_up.items() if not m.judge_all}
        if told := said_beside(looked_up, m.providers.normalizer):
            warnings.warn(told, stacklevel=3)
        columns = map_to_icd(
            texts,
            index,
            m.providers.normalizer,
            k or CANDIDATES,
            unmapped=[no_code.get(text) for text in texts],
            read_as=names,
            **place,
        )
        del columns["reason"]
        made = _made(columns, table, rows, index, k or CANDIDATES, ways)
        return made if unique else replace(made, table=in_place(made.table, rows, len(table)), rows=range(len(table)))

    from ..votes.asker import Job
    from ..votes.asker import ask as ask_all
    from ..votes.icd_answers import picked_answers
    from ..votes.picks import Choices
    from ..votes.store.store import VoteStore

    chosen = FeatureSet.read(features or PAPER, endpoints)
    picker = _picker(pick, chosen, prompt)
    chosen = declaring(chosen, encoder or picker.encoder)
    shipped = m.providers.encoders[SHIPPED]
    providers = chosen.open(
        m.providers.normalizer, shipped, endpoints=chosen.endpoints, allow_download=allow_download
    )  # fmt: skip
    ways = {"distance": distance or picker.distance, "entries": entries or picker.entries, "sections": sections}
    index = providers.icd_index(os.fspath(source or picker.source), encoder or picker.encoder, **ways)
    summaries: list[AskSummary] = []
    with VoteStore(Path(store)) as votes:

        def ask(choices: Choices) -> None:
            unknown = list(votes.unknown(choices.questions(picker.config, picker.prompt)))
            price = chosen.prices.get(picker.config.model)
            served = chosen.endpoints[chosen.endpoint_of(picker.config.model, picker.endpoint)]
            job = Job(served, picker.config, unknown, len(unknown), price, picker.prompt)
            summaries.append(ask_all([job], votes, max_calls=max_calls, max_cost=max_cost, progress=progress))

        answers = picked_answers(picker.config, votes, ask, picker.prompt, direct)
        columns = map_to_icd(texts, index, providers.normalizer, k or picker.k, answers=answers, **place)
    made = _made(
        columns, table, rows, index, k or picker.k, {**ways, "pick": pick, "direct": direct},
        summaries[0] if summaries else None,
    )  # fmt: skip
    return made if unique else replace(made, table=in_place(made.table, rows, len(table)), rows=range(len(table)))


def source_of(
    source: str | os.PathLike[str] | None,
    pick: str | None,
    features: str | os.PathLike[str] | None,
    endpoints: str | os.PathLike[str] | None,
) -> str:
    """The ICD-10 of a mapping with these options."""
    if source is None and pick is not None:
        return _picker(pick, FeatureSet.read(features or PAPER, endpoints)).source
    return os.fspath(source or DEFAULT_SOURCE)


def _made(
    columns: dict[str, list[Any]],
    read: Table,
    rows: Sequence[int],
    index: IcdIndex,
    k: int,
    ways: Mapping[str, Any],
    asked: AskSummary | None = None,
) -> IcdTable:
    edition = index.tree.source
    settings = {"edition": edition, "encoder": index.encoder.identity, "k": k, "pick": None, **ways}
    return IcdTable(_as_arrow(columns, edition), read, rows, settings, asked)


def _picker(pick: str, features: FeatureSet, prompt: str | os.PathLike[str] | None = None) -> Picker:
    pickers = [feature for feature in features.asked if feature.kind == "icd_pick"]
    for feature in pickers:
        if pick in (feature.name, feature.options["model"]):
            if prompt is None:
                return Picker.of(feature.options)
            given = prompt_of("pick", prompt)
            return Picker.of({**feature.options, "prompt": given.version, "prompt_text": given.file_text})
    known = [word for feature in pickers for word in (feature.name, feature.options["model"])]
    raise InputError(
        f"no such ICD pick{hint(pick, known)}",
        source=features.name,
        allowed=", ".join(known) or 'a [[feature]] with kind = "icd_pick"',
        got=pick,
    )


def _as_arrow(columns: dict[str, list[Any]], edition: str) -> pa.Table:
    texts = [(field, pa.string()) for field in ("code", "name", "found")]
    candidate = pa.struct([*texts[:2], ("score", pa.float64()), texts[2]])
    kinds = {"candidates": pa.list_(candidate), "score": pa.float64()}
    columns["candidates"] = [[c._asdict() for c in row] for row in columns["candidates"]]
    made = pa.table({name: pa.array(values, kinds.get(name, pa.string())) for name, values in columns.items()})
    return made.replace_schema_metadata({EDITION: edition})


def strings_table(strings: Any, column: str, encoding: str | None) -> Table:
    frame = None
    if isinstance(strings, str) and not is_path(strings):
        strings = [strings]
    elif nw.dependencies.is_into_series(strings):
        series = nw.from_native(strings, series_only=True)
        frame = series.to_frame()
        strings = [None if null else text for text, null in zip(series.to_list(), series.is_null(), strict=True)]
    if not isinstance(strings, list | tuple) or (strings and isinstance(strings[0], Mapping)):
        return read_table(strings, encoding)
    for row, text in enumerate(strings):
        if text is None and frame is not None:
            continue
        if not isinstance(text, str):
            raise InputError("not a text", source=_STRINGS, row=row, allowed="a diagnosis in words", got=text)
        if any("\ud800" <= letter <= "\udfff" for letter in text):
            raise InputError("half a surrogate pair", source=_STRINGS, row=row, allowed="Unicode text", got=text)
    data = pa.table({column: pa.array(strings, pa.string())})
    return Table(data, _STRINGS, 0, frame, in_memory=frame is None)


def is_path(text: str) -> bool:
    """Whether a text is a file rather than a diagnosis."""
    try:
        path, _ = split_sheet(Path(text))
        return is_file_name(text) or path.is_file() or ("/" in text and path.is_dir())
    except (OSError, ValueError):  # too long for a path, or with a character that none has
        return False


def flat_candidates(mapped: pa.Table) -> pa.Table:
    """The same table for CSV, TSV and workbooks: the candidates as one text, `code name (score); …`."""
    text = [
        "; ".join(f"{c['code']} {c['name']} ({c['score']:.3f})" for c in row)
        for row in mapped.column("candidates").to_pylist()
    ]
    return with_columns(mapped, {"candidates": pa.array(text, pa.string())})
