"""Free text to ICD-10 with the encoder of a model: `dxmatch.icd` and `dxmatch icd`."""

from __future__ import annotations

import os
from typing import Any

import pyarrow as pa

from ..features.errors import InputError, ModelError, OptionError
from ..features.icd.mapping import map_to_icd
from ..features.representations import SHIPPED
from ..features.tables import Table, read_table, with_columns
from .match_function import MatchFunction, load


def icd(
    strings: Any,
    *,
    column: str = "diagnosis",
    k: int = 15,
    source: str | os.PathLike[str] = "icd10cm",
    model: MatchFunction | str | os.PathLike[str] | None = None,
) -> pa.Table:
    """Maps diagnoses to ICD-10 entries.

    Parameters
    ----------
    strings : a list of diagnoses as written; or the path of a file, or a data frame, with them in `column`.
    k : how many candidates to keep for each.
    source : "icd10cm", "icd10" (WHO), or the path of a CSV with `code, name, parent`.
    model : a match function or its folder, whose normaliser and encoder are used; the shipped one if not given.

    Returns
    -------
    One row per string: diagnosis, icd10, name, how ("direct", "code", "nearest", or "none" where nothing was found), score
    (cosine; 1 for direct and code), candidates (list of code, name, score, best first).

    Errors: `InputError` for a diagnosis that is blank or no name, with its place.
    """
    if k < 1:
        raise OptionError("k", "1 or more", k)
    table = _table(strings, column)
    table.require(column, "a diagnosis")
    m = model if isinstance(model, MatchFunction) else load(model)
    if SHIPPED not in m.providers.encoders:
        raise ModelError(f"Model {m.name} has no encoder of its own, so it cannot map to ICD-10.")
    index = m.providers.icd_index(os.fspath(source), SHIPPED)
    place = {"source": table.source, "column": column, "row_number": table.row_number}
    columns = map_to_icd(table.required_text(column).to_pylist(), index, m.providers.normalizer, k, **place)
    candidate = pa.struct([("code", pa.string()), ("name", pa.string()), ("score", pa.float64())])
    columns["candidates"] = pa.array([[c._asdict() for c in row] for row in columns["candidates"]], pa.list_(candidate))
    return pa.table(columns)


def _table(strings: Any, column: str) -> Table:
    if not isinstance(strings, list | tuple):
        return read_table(strings)
    for row, text in enumerate(strings):
        if not isinstance(text, str):
            raise InputError("no text", source="strings", row=row, allowed="a diagnosis in words", got=text)
    return Table(pa.table({column: pa.array(strings, pa.string())}), "strings", 0)


def flat_candidates(mapped: pa.Table) -> pa.Table:
    """The same table for CSV and TSV: the candidates as one text, `code name (score); …`."""
    text = [
        "; ".join(f"{c['code']} {c['name']} ({c['score']:.3f})" for c in row)
        for row in mapped.column("candidates").to_pylist()
    ]
    return with_columns(mapped, {"candidates": pa.array(text, pa.string())})
