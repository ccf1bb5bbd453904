"""Lists of terms of every kind that users hold: rank, matrix, link, dedupe, and their commands."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Any

import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import dxmatch
from dxmatch.errors import ReadingWarning
from dxmatch.features.feature_set import FeatureSet
from dxmatch.files.tables import write_table
from dxmatch.matcher import candidates
from dxmatch.matcher.batch import PairModel
from dxmatch.votes.prompts.questions import Answer, ModelConfig, Question
from dxmatch.votes.store.store import VoteStore

TERMS, MIXED = ["gout", None, "MI"], ["gout", 7, "MI"]
FRAME = pd.DataFrame({"dx": TERMS, "n": [1, 2, 3]}, index=["x", "y", "z"])
A = ["heart attack", "no pneumonia", "MI", "T1DM", None, " ", "Сердце", "type II diabetes", "xyzzy", "GOUT", "MI"]
B = ["Myocardial infarction", "pneumonia", "type 1 diabetes", "type 2 diabetes", "Gout", "gout", "MI", "Сердце", None]
RANKED = ["gout", "MI", None, "", "NSTEMI", "myocardial infarction", "no myocardial infarction", "MI", float("nan"), "###"]  # fmt: skip
TWINS = [
    "diabetes", "type 1 diabetes", "T1DM", "type 2 diabetes", "type II diabetes mellitus", "STEMI", "NSTEMI", "myocardial infarction", "heart attack",
    "cancer", "lung cancer", "breast cancer", "cancer of the lung", "no pneumonia", "pneumonia", "Pneumonia", "", None, "Сердце", "Сердце", "pneumonia",
]  # fmt: skip
pytestmark = pytest.mark.filterwarnings("ignore::dxmatch.NotUnderstoodWarning")


@pytest.mark.parametrize(
    ("terms", "kind", "index"),
    [
        (np.array(TERMS, object), pa.Table, None), (pd.Index(TERMS), pa.Table, None), (pd.Categorical(TERMS), pa.Table, None),
        ([{"dx": one} for one in TERMS], pa.Table, None), (("gout", float("nan"), "MI"), pa.Table, None), ({"dx": TERMS, "n": [1, 2, 3]}, pa.Table, None),
        (FRAME["dx"].astype("string"), pd.DataFrame, ["x", "y", "z"]), (FRAME["dx"].astype("category"), pd.DataFrame, ["x", "y", "z"]),
        (FRAME.set_index("n"), pd.DataFrame, [1, 2, 3]), (pd.Series(TERMS, index=[5, 5, 5]), pd.DataFrame, [5, 5, 5]),
        (pl.Series(TERMS, dtype=pl.Categorical), pl.DataFrame, None), (pl.LazyFrame({"dx": TERMS, "n": [1, 2, 3]}).select("dx"), pl.DataFrame, None),
        (pa.chunked_array([TERMS]), pa.Table, None), (pa.table({"dx": TERMS}), pa.Table, None),
        ({"": [0, 1, 2], "Unnamed: 0": [0, 1, 2], "befund": TERMS}, pa.Table, None),
    ],
    ids=lambda value: type(value).__name__,
)  # fmt: skip
@pytest.mark.filterwarnings("error")
def test_lists_of_every_kind(m: dxmatch.MatchFunction, terms: Any, kind: type, index: list[Any] | None) -> None:
    """Files and frames with other columns: tests/golden/tables."""
    assert [(one.term, one.index) for one in m.rank("heart attack", terms, k=1)] == [("MI", 2)]
    assert np.isnan(m.matrix(terms, ["MI"])).ravel().tolist() == [False, True, False]
    linked, clusters = m.link(terms, ["MI", "heart attack"], k=2), m.dedupe(terms)
    with pytest.warns(UserWarning, match="1 of 3 rows .* the first is row"):
        coded = dxmatch.icd(terms, k=1, matcher=m)
    assert type(linked) is type(clusters) is type(coded) is kind and len(linked) == 4  # one has two links
    assert nw.from_native(coded, eager_only=True)["icd10"].to_arrow().to_pylist() == ["M10", None, "I21.9"]
    if index is not None:
        assert linked.index.tolist() == [*index, index[2]] and clusters.index.tolist() == index
        assert not [name for made in (linked, clusters) for name in made.columns if "index_level" in name]


def test_a_named_index_is_a_column_of_the_other_side(m: dxmatch.MatchFunction) -> None:
    a = pd.DataFrame({"was": ["T1DM", "gout"], "patient": [1, 2]})
    b = pd.DataFrame({"name": ["Type 1 diabetes"], "system": ["ICD"]}, index=pd.Index(["E10"], name="code"))
    made = m.link(a, b, a="was")
    assert made["a_patient"].tolist() == [1, 2] and made["match"].tolist() == [True, False]
    assert made["b_code"].fillna("").tolist() == ["E10", ""] and made["b_system"][0] == "ICD"


def test_a_number_among_texts_stops_nothing_and_is_told(m: dxmatch.MatchFunction) -> None:
    told = dxmatch.errors.ReadingWarning
    with pytest.warns(told, match=r"1 of 3 terms \(terms\) is no text.*row 1: 7") as warned:
        made = m.dedupe(pd.Series(MIXED))
    assert warned[0].filename == __file__ and made["cluster"].isna().sum() == 1
    assert made["note"].fillna("").tolist() == ["", "not a text: 7", ""]
    with pytest.warns(told, match=r"\(b\) is no text"):
        assert m.link(["MI", "gout"], (one for one in MIXED))["index_b"].to_pylist() == [2, 0]
    with pytest.warns(told, match=r"\(a_terms\) is no text"):
        assert np.isnan(m.matrix(MIXED, ["gout"])).ravel().tolist() == [False, True, False]
    table = m.dedupe(pd.DataFrame({"dx": MIXED, "n": [1, 2, 3]}))
    assert table["note"][1] == "not understood: no diagnosis", "a column's number is read as its text"


@pytest.mark.parametrize("terms", [[1, 2], pd.Series([1, 2]), [["MI"]], np.array([["MI"]]), np.array("MI"), b"MI", pl.col("dx")])  # fmt: skip
def test_what_holds_no_text_is_no_list(m: dxmatch.MatchFunction, terms: Any) -> None:
    for take in (m.dedupe, lambda some: m.rank("gout", some), lambda some: m.matrix(["gout"], some)):
        with pytest.raises(dxmatch.InputError, match="not a text|not text|not a list of terms"):
            take(terms)


def test_rank_gives_the_best_first_and_skips_what_is_missing(m: dxmatch.MatchFunction) -> None:
    ranked = m.rank("heart attack", RANKED, k=None)
    # Equal ones in the order of the list; a term that stands twice comes twice.
    assert [one.index for one in ranked] == [1, 5, 7, 4, 0, 6]
    assert [one.term for one in ranked[:3]] == ["MI", "myocardial infarction", "MI"]
    assert [(one.match, one.relation) for one in (ranked[0], ranked[3], ranked[-1])] == [(True, "same"), (True, "broader"), (False, "excluded")]  # fmt: skip
    assert [ranked[i].probability for i in (0, 3, -1)] == [1, m.probability("heart attack", "NSTEMI"), 0]
    assert len(m.rank("heart attack", RANKED, k=2)) == 2
    assert [one.index for one in m.rank("heart attack", RANKED, k=None, threshold=0.9)] == [1, 5, 7, 4]
    assert m.rank("heart attack", []) == [] and m.rank("heart attack", [None, ""]) == []
    assert [one.index for one in m.rank("Сердце", ["gout", "Сердце"])] == [1]  # the same is the same in any language
    with pytest.warns(dxmatch.NotUnderstoodWarning, match="1 of 2 terms"):
        assert [one.term for one in m.rank("gout", ["Сердце", "gout"])] == ["gout"]
    assert len(dxmatch.load(judge_all=True).rank("gout", ["Сердце", "gout"])) == 2


def test_a_matrix_is_the_probabilities_bit_for_bit(m: dxmatch.MatchFunction, monkeypatch: pytest.MonkeyPatch) -> None:
    a = ["gout", "MI", "no pneumonia", "Сердце", None, "gout", "T2DM"]
    b = ["Gouty arthritis", "heart attack", "pneumonia", "", "Сердце", "type 2 diabetes", "no pneumonia"]
    monkeypatch.setattr("dxmatch.matcher.ranking.PAIRS_AT_ONCE", 4)
    found = m.matrix(a, b)
    np.testing.assert_array_equal(found, [[m.probability(x, y) if x and y else np.nan for y in b] for x in a])
    assert found[0, 0] == found[5, 0] > 0.9 and found[3, 4] == 1 and np.isnan(found[3, 0]) and np.isnan(found[4]).all()


def test_a_policy_has_its_sides_in_lists() -> None:
    m, terms = dxmatch.load(policy="narrower-counts"), ["diabetes", "type 2 diabetes"]
    (_, narrower), (broader, _) = m.matrix(terms, terms).tolist()
    assert [m.rank(one, [other])[0].probability for one, other in (terms, terms[::-1])] == [narrower, broader]
    assert narrower == m.probability(*terms) > broader


def test_each_term_has_its_best_link_or_the_reason_of_none(m: dxmatch.MatchFunction) -> None:
    linked = m.link(A, B, add=["relation"]).to_pandas()
    assert linked["index_a"].tolist() == list(range(len(A)))
    found = linked[linked["match"]]
    assert dict(zip(found["index_a"], found["index_b"], strict=True)) == {0: 0, 2: 6, 3: 2, 6: 7, 7: 3, 9: 4, 10: 6}
    assert (found["relation"] == "same").all() and found["note"].isna().all()
    for a, b, p in zip(found["a"], found["b"], found["probability"], strict=True):
        assert p == (1.0 if a == b else m.probability(a, b))
    notes = dict(zip(linked["index_a"], linked["note"], strict=True))
    assert notes[1].startswith("no match") and notes[4] == notes[5] == "blank"
    assert notes[8].startswith("not understood: another language")
    assert linked.loc[~linked["match"], ["b", "probability", "index_b", "relation"]].isna().all(axis=None)


@pytest.mark.parametrize("suffix", [".csv", ".xlsx"])
def test_rows_without_a_value_are_told_and_shift_no_index(
    m: dxmatch.MatchFunction, tmp_path: Path, suffix: str
) -> None:
    rows, path = [["term", "id"], ["gout", 1], ["", ""], ["", ""], ["MI", 2], ["", ""]], tmp_path / f"t{suffix}"
    frame = pd.DataFrame(rows)
    frame.to_csv(path, index=False, header=False) if suffix == ".csv" else frame.to_excel(
        path, index=False, header=False
    )
    with pytest.warns(ReadingWarning, match="2 rows without a value left out, the first is row 3"):
        assert m.link(path, ["heart attack", "gout"])["index_a"].to_pylist() == [0, 3]
    with pytest.warns(ReadingWarning, match="2 rows without a value"):
        assert m.dedupe(path)["index"].to_pylist() == [0, 3]


def test_k_and_the_threshold_of_link(m: dxmatch.MatchFunction) -> None:
    kinds = ["type 2 diabetes", "diabetes", "gout", "T1DM"]
    many = m.link(["diabetes mellitus"], kinds, k=None).to_pandas()
    assert many["b"][0] == "diabetes" and {*many["b"]} == {*kinds} - {"gout"} and many["probability"].is_monotonic_decreasing  # fmt: skip
    assert len(m.link(["diabetes mellitus"], kinds, k=2)) == 2
    assert all(m.link(["angina"], ["myocardial infarction"], threshold=0.0)["match"].to_pylist())
    note = m.link(["leukemia"], ["myeloid leukemia"], threshold=0.999)["note"][0].as_py()
    assert note.startswith("no match; the nearest is 'myeloid leukemia'")


@pytest.mark.parametrize(("k", "candidates", "told"), [(None, 2, True), (2, 2, True), (1, 2, False), (None, 50, False)])
def test_who_wants_all_links_is_told_that_candidates_limit_them(m: Any, k: Any, candidates: int, told: bool) -> None:
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        m.link(["myocardial infarction", "gout"], B, k, candidates=candidates)
    words = "3 x 2 of 5 different ones", "candidates"
    assert [all(word in str(one.message) for word in words) for one in found] == [True] * told


def test_candidates_and_blocks_lose_little(m: dxmatch.MatchFunction, monkeypatch: pytest.MonkeyPatch) -> None:
    """Against M on all pairs: names of diseases with a word before them, and other names of these and of what they are kinds of."""
    graph = m.providers.graph
    assert graph is not None
    names = {d: [graph.names[i] for i in np.flatnonzero(graph.name_disease == d)] for d in range(0, len(graph), 600)}
    above = [graph.labels[p] for d in names for p in graph.parents[graph.parent_starts[d] : graph.parent_starts[d + 1]]]
    a = [f"severe {some[0]}" for some in names.values() if some]
    b = list(dict.fromkeys([*above, *(name for some in names.values() for name in some[1:])]))
    matches, all_links = m.matrix(a, b) >= m.threshold, m.link(a, b, k=None)
    assert (matches.sum() > 50) and sum(all_links["match"].to_pylist()) >= 0.97 * matches.sum()
    before = m.link(a, b)["b"].to_pylist()
    monkeypatch.setattr(candidates, "NAMES_AT_ONCE", 50)
    monkeypatch.setattr(candidates, "FLAT", 100)
    assert np.mean([one == other for one, other in zip(before, m.link(a, b)["b"].to_pylist(), strict=True)]) > 0.97


def test_a_term_that_stands_in_many_rows_costs_no_more_than_its_rows(m: dxmatch.MatchFunction) -> None:
    many = ["MI", "mi", "heart attack", "gout"] * 10_000  # row by row these are hundreds of millions of pairs
    linked, clusters = m.link(many, many[::-1]), m.dedupe(many)
    assert linked["b"].to_pylist() == many and linked["index_b"].to_pylist()[:4] == [3, 2, 1, 0]
    assert clusters["cluster"].to_pylist() == [1, 1, 1, 2] * 10_000


def test_the_clusters_and_columns_of_dedupe(m: dxmatch.MatchFunction) -> None:
    found = m.dedupe(pd.Series(TWINS))
    named = found[found["note"].isna()].drop_duplicates("term")
    assert [*named.groupby("cluster")["term"].apply(list)] == [
        ["diabetes"], ["type 1 diabetes", "T1DM"], ["type 2 diabetes", "type II diabetes mellitus"], ["STEMI"], ["NSTEMI"],
        ["myocardial infarction", "heart attack"], ["cancer"], ["lung cancer", "cancer of the lung"], ["breast cancer"], ["no pneumonia"], ["pneumonia", "Pneumonia"],
    ]  # fmt: skip
    assert found["index"].tolist() == list(range(len(TWINS))) and {*found["cluster"].dropna()} == {*range(1, 13)}
    # blank cells are in no cluster, and what is not understood is with its equals
    assert found.loc[[16, 17], "cluster"].isna().all() and (found.loc[[16, 17], "note"] == "blank").all()
    assert found.loc[18, "cluster"] == found.loc[19, "cluster"] and "another script" in found.loc[18, "note"]
    # the representative is the commonest, and says why the others joined
    pneumonia = found[found["representative"] == "pneumonia"]
    assert pneumonia["term"].tolist() == ["pneumonia", "Pneumonia", "pneumonia"] and (pneumonia["size"] == 3).all()
    assert pneumonia["joined_with"].isna().tolist() == [True, False, False]
    assert {*pneumonia["why"].dropna()} == {"the same after normalisation"}
    t1 = found[found["joined_with"] == "type 1 diabetes"].iloc[0]
    assert t1["term"] == "T1DM" and 0.5 < t1["probability"] < 1 and "both are names of" in t1["why"]
    assert t1["probability"] == m.under("strict").probability("type 1 diabetes", "T1DM")


@pytest.mark.parametrize(("policy", "candidates"), [("strict", 1), ("strict", 20), ("specification", 20)])
def test_clusters_are_complete_and_what_is_apart_stays_apart(m: dxmatch.MatchFunction, policy: Any, candidates: int) -> None:  # fmt: skip
    """Against M on all pairs: every two names of a cluster match, whatever the candidates held; no two clusters could be one."""
    graph = m.providers.graph
    assert graph is not None
    terms = [name for d in range(0, len(graph), 2500) for name in np.array(graph.names)[graph.name_disease == d]]
    judge, found = m.under(policy), m.dedupe(pd.Series([*TWINS, *terms]), policy=policy, candidates=candidates)
    different = found[found["note"].isna()].drop_duplicates("term")
    matches = judge.matrix(different["term"], different["term"]) >= judge.threshold
    cluster = different["cluster"].to_numpy()
    of = [np.flatnonzero(cluster == number) for number in np.unique(cluster)]
    assert sum(len(some) > 1 for some in of) > 2
    assert all(matches[np.ix_(some, some)].all() for some in of)
    apart = [(i, j) for i, j in combinations(range(len(of)), 2) if matches[np.ix_(of[i], of[j])].all()]
    assert candidates == 1 or not apart, [(different["term"].iloc[of[i]], different["term"].iloc[of[j]]) for i, j in apart]  # fmt: skip


def test_clusters_that_the_rounds_leave_apart_are_told(m: dxmatch.MatchFunction, monkeypatch: pytest.MonkeyPatch) -> None:  # fmt: skip
    monkeypatch.setattr("dxmatch.matcher.dedupe._ROUNDS", 1)
    with pytest.warns(UserWarning, match=r"After 1 rounds .* two that stand apart may match.*'candidates'"):
        m.dedupe(["MI", "heart attack", "heart infarction", "cardiac infarction", "coronary attack"], candidates=1)


@pytest.mark.parametrize("call", ["matrix", "link", "dedupe", "rank"])
def test_too_few_votes_are_refused(call: str, tmp_path: Path) -> None:
    """One of three pairs of names has a vote; as many as are wanted are enough."""
    m, terms = dxmatch.load(), ["gout", "mumps", "angina"]
    vote = {"name": "vote", "kind": "vote", "model": "an expert", "prompt": "imported"}
    seen = replace(
        m.features, features=(*m.features.features[:-1], *FeatureSet.from_dict({"feature": [vote]}).features)
    )
    given = {"dedupe": (terms,), "rank": ("gout", terms)}.get(call, (terms, terms))
    with VoteStore(tmp_path / "v.db") as store:
        store.add(Question(ModelConfig("an expert", "imported"), "gout", "mumps"), Answer(0, None))
        m.model = replace(m.model, features=seen, providers=replace(m.providers, store=store))
        with pytest.raises(dxmatch.InputError, match=r"vote is known for \d\d\.\d % of the pairs"):
            getattr(m, call)(*given)
        m.model = replace(m.model, min_coverage=0.3)
        assert len(getattr(m, call)(*given)) == 3


def test_the_policy_and_the_threshold_of_dedupe() -> None:
    """Strict, with that policy's own threshold, unless M was loaded with another; a threshold that was set is of M's policy alone."""
    m, pair, twins = dxmatch.load(), ["diabetes mellitus", "type 2 diabetes"], ["type 1 diabetes", "T1DM"]
    clusters = lambda m, terms, **options: m.dedupe(terms, **options)["cluster"].to_pylist()  # noqa: E731
    assert clusters(m, pair) == [1, 2] and clusters(m, pair, policy="specification") == [1, 1]
    assert m.policy == "specification" and m.match(*pair)  # M itself is as it was
    p = m.under("strict").probability(*twins)
    assert [clusters(m, twins, threshold=at) for at in (p, np.nextafter(p, 1))] == [[1, 1], [1, 2]]
    m.threshold = 1.0
    assert clusters(m, twins) == [1, 1] and clusters(m, pair, policy="specification") == [1, 2]
    assert clusters(dxmatch.load(policy="strict", threshold=1.0), twins) == [1, 2]
    with pytest.raises(dxmatch.OptionError, match="without sides"):
        dxmatch.load(policy="narrower-counts").dedupe(pair)


TYPES, BLOCKS = [f"type {i} diabetes" for i in range(1, 17)], 12


@pytest.fixture
def stopped(monkeypatch: pytest.MonkeyPatch) -> Callable[[type[BaseException], Callable[[], Any]], Any]:
    """Gives what a job leaves that ends so after two blocks of two names."""
    monkeypatch.setattr(candidates, "NAMES_AT_ONCE", 2)
    judge = PairModel.probabilities

    def run(end: type[BaseException], job: Callable[[], Any]) -> Any:
        blocks = iter("12")

        def probabilities(*block: Any) -> Any:
            if not next(blocks, ""):
                raise end(1)
            return judge(*block)

        with monkeypatch.context() as patch, suppress(end):
            patch.setattr(PairModel, "probabilities", probabilities)
            return job()

    return run


@pytest.mark.parametrize("end", [KeyboardInterrupt, SystemExit])
def test_the_same_command_goes_on_and_gives_the_same_bytes(
    stopped: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: Any, end: type[BaseException]
) -> None:
    """Also over a block that was damaged, and a file that a kill left half."""
    monkeypatch.chdir(tmp_path)
    write_table(pa.table({"dx": [*A[:8], "GOUT", "severe gout", "angina", *TYPES]}), "a.csv")
    write_table(pa.table({"term": B}), "b.csv")
    run = lambda output: command("link", "a.csv", "b.csv", "-o", output, "--k", "3")  # noqa: E731
    assert run("whole.csv").code == 0 and not list(tmp_path.glob("*.parts"))
    parts, out = tmp_path / "out.csv.parts", tmp_path / "out.csv"
    left = stopped(end, lambda: run("out.csv"))
    assert left.code == (130 if end is KeyboardInterrupt else 1) and len(list(parts.iterdir())) == 2
    told = f"2 of {BLOCKS} blocks are kept in out.csv.parts. Run the same command again to go on."
    assert (told in " ".join(left.output.split())) is (end is KeyboardInterrupt) and not out.exists()
    first, second = sorted(parts.iterdir())
    (parts / f".{first.name}.0123456789ab.part").write_bytes(b"half")
    damaged = end is SystemExit
    if damaged:
        first.write_bytes(first.read_bytes()[:-40])
        content = bytearray(second.read_bytes())
        content[content.index(b"NUMPY") + 130] ^= 1  # in the numbers
        second.write_bytes(content)
    done = run("out.csv")
    assert (f"2 of {BLOCKS} blocks were there already" in done.output) is not damaged
    assert out.read_bytes() == (tmp_path / "whole.csv").read_bytes() and not parts.exists()


def test_another_linking_takes_no_blocks_of_this_one_and_leaves_them(
    m: dxmatch.MatchFunction, stopped: Any, tmp_path: Path
) -> None:
    out, parts, a = tmp_path / "out.csv", tmp_path / "out.csv.parts", [*A[:9], "angina", "severe gout", "GOUT"]
    VoteStore(tmp_path / "v.db").close()
    voting = dxmatch.load(loading=dxmatch.Loading(store=tmp_path / "v.db"))
    others: list[tuple[Any, list[Any], list[Any], dict[str, Any]]] = [
        (m, a, B, {}), (m, a, B, {"threshold": 0.9}), (m, a, B, {"k": 2}), (m, a, B, {"candidates": 5}), (m.under("strict"), a, B, {}),
        (m, a, [*B[:-2], "Angina"], {}), (m, [*a[:-1], "stroke"], B, {}), (voting, a, B, {}),
    ]  # fmt: skip
    for i, (judging, left, right, options) in enumerate(others, 1):
        stopped(SystemExit, lambda: judging.link(left, right, output=out, **options))  # noqa: B023
        assert len(list(parts.iterdir())) == 2 * i
    m.link(a, B, output=out)
    assert len(list(parts.iterdir())) == 2 * len(others) - 2
