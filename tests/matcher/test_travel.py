"""M goes to other processes: pickled, copied, through joblib, multiprocessing and Ray."""

from __future__ import annotations

import copy
import io
import multiprocessing
import pickle
from collections.abc import Iterator
from dataclasses import replace
from operator import methodcaller
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import pytest
from joblib.externals.loky.backend.reduction import dumps as dumps_of_loky

import dxmatch
from dxmatch.matcher import match_function

A, B = ["mild flu", "organ pain", "flu"], ["flu", "pain of organs", "gout"]


@pytest.fixture(autouse=True)
def nothing_has_arrived() -> Iterator[None]:
    match_function._ARRIVED.clear()
    yield
    match_function._ARRIVED.clear()


@pytest.fixture(scope="module")
def shipped() -> dxmatch.MatchFunction:
    return dxmatch.load()


def by_pickle(m: Any) -> Any:
    return pickle.loads(pickle.dumps(m))


def by_joblib(m: Any) -> Any:
    file = io.BytesIO()
    joblib.dump(m, file)
    file.seek(0)
    return joblib.load(file)


WAYS = [by_pickle, by_joblib, lambda m: pickle.loads(dumps_of_loky(m)), copy.copy, copy.deepcopy]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("which", ["shipped", "own"])
def test_the_same_arrives(which: str, way: Any, request: pytest.FixtureRequest) -> None:
    m = request.getfixturevalue(which)
    there = way(m)
    assert there is not m
    assert (type(there), there.identity, there.threshold) == (type(m), m.identity, m.threshold)
    if which == "own":
        np.testing.assert_array_equal(there.probabilities(A, B), m.probabilities(A, B))


def test_what_load_was_told_arrives_and_a_task_does_not_open_the_model_anew(own: dxmatch.MatchFunction) -> None:
    m = dxmatch.load(policy="strict", judge_all=True, min_coverage=0.5)
    m.threshold = 0.75
    there = by_pickle(m)
    assert (there.policy, there.judge_all, there.min_coverage, there.threshold) == ("strict", True, 0.5, 0.75)
    first, second = (pickle.loads(sent) for sent in [pickle.dumps(own)] * 2)
    assert first is not second and first.providers is second.providers
    before, first.threshold = own.threshold, 0.01
    assert own.threshold == second.threshold == before


def test_what_every_dxmatch_holds_does_not_travel(shipped: dxmatch.MatchFunction, own: dxmatch.MatchFunction) -> None:
    assert len(pickle.dumps(shipped)) < 2_000
    assert len(pickle.dumps(own)) < 500_000


def test_from_a_folder_its_path_travels(tmp_path: Path, own: dxmatch.MatchFunction) -> None:
    m = dxmatch.load(own.save(tmp_path / "own"))
    sent = pickle.dumps(m)
    assert len(sent) < 2_000 and pickle.loads(sent).probabilities(A, B).tolist() == own.probabilities(A, B).tolist()
    match_function._ARRIVED.clear()
    dxmatch.MatchFunction(replace(own.parts, card="# other")).save(tmp_path / "own", overwrite=True)
    with pytest.raises(dxmatch.ModelError, match="own: holds another model than the one that was sent"):
        pickle.loads(sent)
    (tmp_path / "own").rename(tmp_path / "elsewhere")
    with pytest.raises(dxmatch.ModelError, match="own: no such folder"):
        pickle.loads(sent)


def test_another_release_says_so(shipped: dxmatch.MatchFunction) -> None:
    arrived, (source, sha256, *options), _ = shipped.__reduce__()
    assert source is None and arrived(source, sha256, *options).identity == shipped.identity
    with pytest.raises(dxmatch.ModelError, match="of another release: holds another model than the one that was sent"):
        arrived(source, "1" * 64, *options)


def test_other_processes(own: dxmatch.MatchFunction) -> None:
    # Not a function of this file: a process of its own need not find the tests, and a pool waits for ever for a task that is lost.
    asked = methodcaller("probabilities", A, B)
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        assert [got.tolist() for got in pool.map(asked, [own, own])] == [asked(own).tolist()] * 2


def test_a_vote_store_travels_as_its_path(tmp_path: Path, own: dxmatch.MatchFunction) -> None:
    from dxmatch.votes.store.store import VoteStore

    path = tmp_path / "votes.db"
    VoteStore(path).close()
    m = dxmatch.MatchFunction(own.parts, store=VoteStore(path, must_exist=True))
    sent = pickle.dumps(m)
    store = pickle.loads(sent).providers.store
    assert store is not None and store.path == path
    match_function._ARRIVED.clear()
    path.rename(tmp_path / "elsewhere.db")
    with pytest.raises(dxmatch.DxmatchError, match=r"votes\.db"):
        pickle.loads(sent)
