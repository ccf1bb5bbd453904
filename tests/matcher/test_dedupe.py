"""m.dedupe and `dxmatch dedupe`: clusters in which every two match."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dxmatch
from dxmatch.matcher.dedupe import clustered, keys_of
from dxmatch.tests.command_line import invoke

TERMS = [
    "diabetes", "type 1 diabetes", "T1DM", "type 2 diabetes", "type II diabetes mellitus", "STEMI", "NSTEMI", "myocardial infarction", "heart attack",
    "cancer", "lung cancer", "breast cancer", "cancer of the lung", "no pneumonia", "pneumonia", "Pneumonia", "", None, "Сердце", "Сердце", "pneumonia",
]  # fmt: skip


@pytest.fixture(scope="module")
def found(m: dxmatch.MatchFunction) -> pd.DataFrame:
    return m.dedupe(TERMS).to_pandas()


def together(found: pd.DataFrame, one: str, other: str) -> bool:
    cluster = dict(zip(found["term"], found["cluster"], strict=True))
    return cluster[one] == cluster[other]


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("type 1 diabetes", "T1DM", True), ("type 2 diabetes", "type II diabetes mellitus", True), ("T1DM", "type 2 diabetes", False),
        ("diabetes", "T1DM", False), ("STEMI", "NSTEMI", False), ("myocardial infarction", "heart attack", True), ("cancer", "lung cancer", False),
        ("lung cancer", "breast cancer", False), ("lung cancer", "cancer of the lung", True), ("no pneumonia", "pneumonia", False),
        ("pneumonia", "Pneumonia", True),
    ],
)  # fmt: skip
def test_known_traps(found: pd.DataFrame, one: str, other: str, same: bool) -> None:
    assert together(found, one, other) is same


def test_blank_cells_are_in_no_cluster_and_what_is_not_understood_is_with_its_equals(found: pd.DataFrame) -> None:
    assert len(found) == len(TERMS) and found["index"].tolist() == list(range(len(TERMS)))
    assert found.loc[[16, 17], "cluster"].isna().all() and (found.loc[[16, 17], "note"] == "blank").all()
    assert (
        found.loc[18, "cluster"] == found.loc[19, "cluster"]
        and found.loc[18, "note"] == "not understood: another script"
    )
    assert found["cluster"].dropna().iloc[0] == 1 and found["cluster"].nunique() == found["cluster"].max()


def test_the_representative_is_the_commonest_and_says_why_the_others_joined(found: pd.DataFrame) -> None:
    pneumonia = found[found["representative"] == "pneumonia"]
    assert pneumonia["term"].tolist() == ["pneumonia", "Pneumonia", "pneumonia"] and (pneumonia["size"] == 3).all()
    assert pneumonia["joined_with"].isna().tolist() == [True, False, False]
    assert set(pneumonia["why"].dropna()) == {"the same after normalisation"}
    t1 = found[found["joined_with"] == "type 1 diabetes"].iloc[0]
    assert t1["term"] == "T1DM" and 0.5 < t1["probability"] < 1 and "both are names of" in t1["why"]


@pytest.mark.parametrize("policy", ["strict", "specification"])
def test_every_two_names_of_a_cluster_match(m: dxmatch.MatchFunction, policy: str) -> None:
    graph = m.providers.graph
    assert graph is not None
    terms = [name for d in range(0, len(graph), 2500) for name in np.array(graph.names)[graph.name_disease == d]]
    judge = m.under(policy)
    found = m.dedupe(pd.Series([*TERMS, *terms]), policy=policy)
    sizes = found.groupby("cluster")["term"].nunique()
    assert (sizes > 1).sum() > 8
    for _, some in found[found["size"] > 1].groupby("cluster"):
        different = list(dict.fromkeys(some["term"]))
        if some["note"].notna().any():
            continue
        of_all = judge.matrix(different, different)
        assert (of_all >= judge.threshold).all(), different


def test_the_policy_is_strict_unless_another_was_chosen(m: dxmatch.MatchFunction) -> None:
    pair = ["diabetes mellitus", "type 2 diabetes"]
    assert m.dedupe(pair)["cluster"].to_pylist() == [1, 2]
    assert m.dedupe(pair, policy="specification")["cluster"].to_pylist() == [1, 1]
    assert m.policy == "specification" and m.match(*pair)  # M itself is as it was
    with pytest.raises(dxmatch.OptionError, match="without sides"):
        m.dedupe(pair, policy="narrower-counts")
    with pytest.raises(dxmatch.OptionError, match="without sides"):
        dxmatch.load(policy="narrower-counts").dedupe(pair)


@settings(max_examples=60, deadline=None)
@given(st.integers(2, 9), st.integers(0, 2**32 - 1), st.floats(0.1, 1.0))
def test_clusters_are_complete_whatever_the_candidates_held(n: int, seed: int, share: float) -> None:
    """Pairs that are no candidates are asked for before two clusters become one."""
    random = np.random.default_rng(seed)
    truth = random.random((n, n)).round(1)
    truth = np.maximum(truth, truth.T)
    first, second = (each.astype(np.int32) for each in np.triu_indices(n, 1))
    some = random.random(len(first)) < share
    known = keys_of(first[some], second[some]), truth[first[some], second[some]]
    cluster, after, _ = clustered(n, *known, 0.5, lambda a, b: truth[a, b])
    within = cluster[first] == cluster[second]
    assert (truth[first[within], second[within]] >= 0.5).all()
    assert np.isin(first[within].astype(np.int64) << 32 | second[within], after).all()
    if share == 1.0:  # nothing that could be joined is left apart
        for one in np.unique(cluster):
            for other in np.unique(cluster[cluster > one]):
                assert (truth[np.ix_(cluster == one, cluster == other)] < 0.5).any()


def test_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    (tmp_path / "terms.csv").write_text("term,id\nheart attack,1\nMI,2\n,3\ngout,4\nxyzzy,5\n")
    out = tmp_path / "clusters.csv"
    result = invoke(["dedupe", str(tmp_path / "terms.csv"), "-o", str(out)])
    assert result.code == 0
    assert "terms 5, clusters 3, joined 2, blank 1, not understood 1" in result.output
    shown = invoke(["dedupe", str(tmp_path / "terms.csv")])
    assert "not understood" in shown.output.partition("terms 5,")[0]
    read = pd.read_csv(out)
    assert read["id"].tolist() == [1, 2, 3, 4, 5] and read["representative"][1] == "heart attack"
