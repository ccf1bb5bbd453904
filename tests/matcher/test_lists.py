"""Lists of terms of every kind that users hold, taken by rank, matrix, link and dedupe."""

from __future__ import annotations

import time
import warnings
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import dxmatch

TERMS = ["gout", None, "MI"]
FRAME = pd.DataFrame({"dx": TERMS, "n": [1, 2, 3]}, index=["x", "y", "z"])
MIXED = ["gout", 7, "MI"]


@pytest.mark.parametrize(
    ("terms", "kind", "index"),
    [
        (tuple(TERMS), pa.Table, None), (np.array(TERMS, object), pa.Table, None), (pd.Index(TERMS), pa.Table, None),
        (pd.Categorical(TERMS), pa.Table, None), ({"dx": TERMS, "n": [1, 2, 3]}, pa.Table, None),
        ([{"dx": one} for one in TERMS], pa.Table, None), (["gout", float("nan"), "MI"], pa.Table, None),
        (FRAME["dx"], pd.DataFrame, ["x", "y", "z"]), (FRAME["dx"].astype("string"), pd.DataFrame, ["x", "y", "z"]),
        (FRAME["dx"].astype("category"), pd.DataFrame, ["x", "y", "z"]), (FRAME, pd.DataFrame, ["x", "y", "z"]),
        (FRAME.set_index("n"), pd.DataFrame, [1, 2, 3]), (pd.Series(TERMS, index=[5, 5, 5]), pd.DataFrame, [5, 5, 5]),
        (pl.Series(TERMS), pl.DataFrame, None), (pl.Series(TERMS, dtype=pl.Categorical), pl.DataFrame, None), (pl.DataFrame({"dx": TERMS}), pl.DataFrame, None),
        (pl.LazyFrame({"dx": TERMS, "n": [1, 2, 3]}).select("dx"), pl.DataFrame, None),
        (pa.array(TERMS), pa.Table, None), (pa.chunked_array([TERMS]), pa.Table, None), (pa.table({"dx": TERMS}), pa.Table, None),
    ],
    ids=lambda value: type(value).__name__,
)  # fmt: skip
def test_lists_of_every_kind(m: dxmatch.MatchFunction, terms: Any, kind: type, index: list[Any] | None) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert [(one.term, one.index) for one in m.rank("heart attack", terms, k=1)] == [("MI", 2)]
        assert np.isnan(m.matrix(terms, ["MI"])).ravel().tolist() == [False, True, False]
        linked, clusters = m.link(terms, ["MI", "heart attack"], k=2), m.dedupe(terms)
    assert type(linked) is type(clusters) is kind and len(linked) == 4  # one has two links
    if index is not None:
        assert linked.index.tolist() == [*index, index[2]] and clusters.index.tolist() == index
        assert not [name for made in (linked, clusters) for name in made.columns if "index_level" in name]


def test_the_named_index_of_the_second_table_is_kept_as_a_column(m: dxmatch.MatchFunction) -> None:
    catalogue = pd.DataFrame({"name": ["Gout"]}, index=pd.Index(["M10"], name="code"))
    assert m.link(FRAME, catalogue)["b_code"].fillna("").tolist() == ["M10", "", ""]


@pytest.mark.parametrize(
    "terms",
    [MIXED, pd.Series(MIXED), pd.DataFrame({"dx": MIXED, "n": [1, 2, 3]}), {"dx": MIXED}, (one for one in MIXED)],
)
def test_a_number_among_texts_stops_nothing_and_is_told(m: dxmatch.MatchFunction, terms: Any) -> None:
    with pytest.warns(dxmatch.errors.ReadingWarning, match=r"1 of 3 terms \(terms\) is no text.*row 1: 7") as told:
        made = m.dedupe(terms)
    assert told[0].filename == __file__
    made = made if isinstance(made, pd.DataFrame) else made.to_pandas()
    assert made["note"].fillna("").tolist() == ["", "not a text: 7", ""] and made["cluster"].isna().sum() == 1
    with pytest.warns(dxmatch.errors.ReadingWarning, match=r"\(b\) is no text"):
        assert m.link(["MI", "gout"], MIXED)["index_b"].to_pylist() == [2, 0]
    with pytest.warns(dxmatch.errors.ReadingWarning, match=r"\(a_terms\) is no text"):
        assert np.isnan(m.matrix(MIXED, ["gout"])).ravel().tolist() == [False, True, False]


@pytest.mark.parametrize("terms", [[1, 2], pd.Series([1, 2]), pd.DataFrame({"dx": [1, 2]}), [["MI"]], np.array([["MI"]]), np.array("MI"), b"MI", pl.col("dx")])  # fmt: skip
def test_what_holds_no_text_is_no_list(m: dxmatch.MatchFunction, terms: Any) -> None:
    for take in (m.dedupe, lambda some: m.rank("gout", some), lambda some: m.matrix(["gout"], some)):
        with pytest.raises(dxmatch.InputError, match="not a text|not text|not a list of terms"):
            take(terms)


def test_a_term_that_stands_in_many_rows_costs_no_more_than_its_rows(m: dxmatch.MatchFunction) -> None:
    many = ["MI", "mi", "heart attack", "gout"] * 10_000
    start = time.perf_counter()
    linked, clusters = m.link(many, many[::-1]), m.dedupe(many)
    assert time.perf_counter() - start < 10  # row by row these are hundreds of millions of pairs
    assert linked["b"].to_pylist() == many and linked["index_b"].to_pylist()[:4] == [3, 2, 1, 0]
    assert clusters["cluster"].to_pylist() == [1, 1, 1, 2] * 10_000
