"""m.link and `dxmatch link`."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import dxmatch
from dxmatch.matcher import candidates
from dxmatch.matcher.candidates import CandidateSearch
from dxmatch.matcher.terms import listed

A = ["heart attack", "no pneumonia", "MI", "T1DM", None, " ", "Сердце", "type II diabetes", "xyzzy", "GOUT", "MI"]
B = ["Myocardial infarction", "pneumonia", "type 1 diabetes", "type 2 diabetes", "Gout", "gout", "MI", "Сердце", None]


@pytest.fixture(scope="module")
def linked(m: dxmatch.MatchFunction) -> pd.DataFrame:
    return m.link(A, B, add=["relation"]).to_pandas()


def test_each_term_has_its_best_link_or_the_reason_of_none(linked: pd.DataFrame) -> None:
    assert linked["index_a"].tolist() == list(range(len(A)))
    found = dict(zip(linked["index_a"], linked["b"].where(linked["match"], None), strict=True))
    assert {row: B.index(text) for row, text in found.items() if isinstance(text, str)} == {
        0: 0, 2: 6, 3: 2, 6: 7, 7: 3, 9: 4, 10: 6,
    }  # fmt: skip
    notes = dict(zip(linked["index_a"], linked["note"], strict=True))
    assert notes[1].startswith("no match") and notes[4] == notes[5] == "blank"
    assert notes[8].startswith("not understood: another language")
    linked_rows = linked[linked["match"]]
    assert (linked_rows["relation"] == "same").all() and linked_rows["note"].isna().all()
    assert linked.loc[~linked["match"], ["b", "probability", "index_b", "relation"]].isna().all(axis=None)


def test_k_and_the_threshold(m: dxmatch.MatchFunction) -> None:
    many = m.link(["diabetes mellitus"], ["type 2 diabetes", "diabetes", "gout", "T1DM"], k=None).to_pandas()
    assert many["b"].tolist()[0] == "diabetes" and set(many["b"]) == {"type 2 diabetes", "diabetes", "T1DM"}
    assert len(m.link(["diabetes mellitus"], ["type 2 diabetes", "diabetes", "gout", "T1DM"], k=2)) == 2
    assert many["probability"].is_monotonic_decreasing
    none = m.link(["angina"], ["myocardial infarction"], threshold=0.0)
    assert all(none["match"].to_pylist())  # all candidates pass
    assert (
        m.link(["cancer"], ["lung cancer"], threshold=0.99)["note"][0]
        .as_py()
        .startswith("no match; the nearest is 'lung cancer'")
    )


def test_the_probabilities_are_those_of_the_pairs(m: dxmatch.MatchFunction, linked: pd.DataFrame) -> None:
    rows = linked[linked["match"]]
    for a, b, p in zip(rows["a"], rows["b"], rows["probability"], strict=True):
        assert p == (1.0 if a == b else m.probability(a, b))


def test_tables_keep_their_other_columns(m: dxmatch.MatchFunction) -> None:
    a = pd.DataFrame({"dx": ["T1DM", "gout"], "patient": [1, 2]})
    b = pl.DataFrame({"name": ["Type 1 diabetes"], "code": ["E10"]})
    made = m.link(a, b)
    assert isinstance(made, pd.DataFrame) and made["a_patient"].tolist() == [1, 2] and made["b_code"][0] == "E10"
    assert isinstance(m.link(b, a), pl.DataFrame)
    assert isinstance(m.link(pa.table({"term": ["gout"]}), ["gout"]), pa.Table)
    assert m.link(pd.Series(["gout", None]), ["gout"])["match"].tolist() == [True, False]
    assert m.link(a.rename(columns={"dx": "was"}), b, a="was")["match"].tolist() == [True, False]


@pytest.mark.parametrize(
    ("a", "b", "options", "told"),
    [
        (["gout"], [], {}, "no terms"),
        ([None, 3], ["gout"], {}, "row 1, column 'a': not a text"),
        (["gout"], ["gout"], {"k": 0}, "'k' parameter"),
        (["gout"], ["gout"], {"candidates": 0}, "'candidates' parameter"),
        (["gout"], ["gout"], {"threshold": -1}, "'threshold' parameter"),
        ({"x": ["gout"], "y": ["gout"]}, ["gout"], {}, "which column holds the terms"),
    ],
)
def test_what_cannot_be_linked(m: dxmatch.MatchFunction, a: Any, b: Any, options: dict[str, Any], told: str) -> None:
    with pytest.raises(dxmatch.DxmatchError, match=told):
        m.link(a, b, **options)


@pytest.mark.parametrize(("k", "candidates", "told"), [(None, 2, True), (2, 2, True), (1, 2, False), (None, 50, False)])
def test_who_wants_all_links_is_told_that_candidates_limit_them(
    m: dxmatch.MatchFunction, k: int | None, candidates: int, told: bool
) -> None:
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        m.link(["myocardial infarction", "gout"], B, k, candidates=candidates)
    assert [
        "3 x 2 of 5 different ones" in str(one.message) and "2 terms have 2 links or more" in str(one.message)
        for one in found
    ] == [True] * told


def some_names(m: dxmatch.MatchFunction, every: int) -> tuple[list[str], list[str]]:
    """Of some diseases the first name each, with a word before it, and all their other names and those of what they are kinds of."""
    graph = m.providers.graph
    assert graph is not None
    diseases = range(0, len(graph), every)
    names = {d: [graph.names[i] for i in np.flatnonzero(graph.name_disease == d)] for d in diseases}
    above = [
        graph.labels[p] for d in diseases for p in graph.parents[graph.parent_starts[d] : graph.parent_starts[d + 1]]
    ]
    first = [f"severe {some[0]}" for some in names.values() if some]
    return first, list(dict.fromkeys([*above, *(name for some in names.values() for name in some[1:])]))


def test_the_blocks_do_not_show_and_the_quantised_index_loses_little(
    m: dxmatch.MatchFunction, monkeypatch: pytest.MonkeyPatch
) -> None:
    a, b = some_names(m, 600)
    before = m.link(a, b).to_pandas()
    assert before["match"].mean() > 0.5
    monkeypatch.setattr(candidates, "NAMES_AT_ONCE", 50)
    monkeypatch.setattr(candidates, "FLAT", 100)
    after = m.link(a, b).to_pandas()
    assert before["b"].fillna("").eq(after["b"].fillna("")).mean() > 0.97


def test_candidates_hold_nearly_all_that_matches(m: dxmatch.MatchFunction) -> None:
    """Against M on all pairs."""
    a_terms, b_terms = some_names(m, 600)
    names, (of_a, of_b) = listed(m.model, a=a_terms, b=b_terms)
    among = np.unique(of_b.name[of_b.understood])
    asked = np.unique(of_a.name)
    candidate = np.eye(len(names), dtype=bool)
    candidate[CandidateSearch(names, among, 20)(asked)] = True
    a, b = (each.ravel().astype(np.int32) for each in np.meshgrid(asked, among, indexing="ij"))
    matches = m.model.probabilities(names, a, b) >= m.threshold
    assert matches.sum() > 50 and (matches & ~candidate[a, b]).sum() <= 0.03 * matches.sum()


def test_the_command_shows_links_and_warns_of_doubtful_ones(
    tmp_path: Path, command: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    (tmp_path / "a.csv").write_text("term\ncancer\n")
    (tmp_path / "b.csv").write_text("term\nbreast cancer\n")
    told = command("link", tmp_path / "a.csv", tmp_path / "b.csv", "--threshold", "0.1").output
    assert "breast cancer" in told and "doubtful 1" in told and "--candidates" not in told
    (tmp_path / "b.csv").write_text("term\nbreast cancer\nlung cancer\n")
    told = command("link", tmp_path / "a.csv", tmp_path / "b.csv", "--k", "9", "--candidates", "1").output
    assert "warning: For each term at most 3 x 1 of 2 different ones were judged" in told
