"""Free text to ICD-10 with the encoder of a model: `dxmatch.icd` and `dxmatch icd`."""

from __future__ import annotations

import os
from collections.abc import Sequence

import pyarrow as pa

from ..features.errors import ModelError, OptionError
from ..features.icd.mapping import map_to_icd
from ..features.representations import SHIPPED
from ..features.tables import with_columns
from .match_function import MatchFunction, load


def icd(
    strings: Sequence[str],
    *,
    k: int = 15,
    source: str | os.PathLike[str] = "icd10cm",
    model: MatchFunction | str | os.PathLike[str] | None = None,
) -> pa.Table:
    """Maps diagnoses to ICD-10 entries.

    Parameters
    ----------
    strings : diagnoses as written.
    k : how many candidates to keep for each.
    source : "icd10cm", "icd10" (WHO), or the path of a CSV with `code, name, parent`.
    model : a match function or its folder, whose normaliser and encoder are used; the shipped one if not given.

    Returns
    -------
    One row per string: diagnosis, icd10, name, how ("direct", "code", "nearest", or "none" where nothing was found), score
    (cosine; 1 for direct and code), candidates (list of code, name, score, best first).
    """
    if isinstance(strings, str) or not all(isinstance(text, str) for text in strings):
        raise OptionError("strings", "a list of texts", strings)
    if k < 1:
        raise OptionError("k", "1 or more", k)
    m = model if isinstance(model, MatchFunction) else load(model)
    if SHIPPED not in m.providers.encoders:
        raise ModelError(f"Model {m.name} has no encoder of its own, so it cannot map to ICD-10.")
    index = m.providers.icd_index(os.fspath(source), SHIPPED)
    columns = map_to_icd(strings, index, m.providers.normalizer, k)
    candidate = pa.struct([("code", pa.string()), ("name", pa.string()), ("score", pa.float64())])
    columns["candidates"] = pa.array([[c._asdict() for c in row] for row in columns["candidates"]], pa.list_(candidate))
    return pa.table(columns)


def flat_candidates(mapped: pa.Table) -> pa.Table:
    """The same table for CSV and TSV: the candidates as one text, `code name (score); …`."""
    text = [
        "; ".join(f"{c['code']} {c['name']} ({c['score']:.3f})" for c in row)
        for row in mapped.column("candidates").to_pylist()
    ]
    return with_columns(mapped, {"candidates": pa.array(text, pa.string())})
