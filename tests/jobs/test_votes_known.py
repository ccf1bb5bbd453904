"""A model with a vote: known for too few of the pairs it is refused, and before anything is scored where that can be told."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv as pa_csv
import pyarrow.parquet as pq
import pytest

import dxmatch
from dxmatch.errors import DxmatchError, InputError
from dxmatch.jobs.job import Summary
from dxmatch.votes.answer_tables import import_table
from dxmatch.votes.store.store import VoteStore

from .conftest import Write, at_chunk, fail, make_model, random_pairs, run

ROWS, VOTED = 1000, 700
FEATURES = [
    {"name": "vote_expert", "kind": "vote", "model": "an expert", "prompt": "imported"},
    {"name": "levenshtein", "kind": "levenshtein"},
]


@pytest.fixture(scope="module")
def voting(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_model(tmp_path_factory.mktemp("model") / "voting", FEATURES, seed=5)


@pytest.fixture
def score(write: Write, voting: Path, tmp_path: Path) -> Callable[..., Summary]:
    """Scores 1,000 pairs, of which the store knows the first 700 and what of the others is one of these."""
    pairs = random_pairs(ROWS, names=300)
    source = write(pairs, group=250)
    voted = pairs.slice(0, VOTED).select(["a", "b"]).append_column("label", pa.array(np.arange(VOTED) % 2))
    pa_csv.write_csv(voted, tmp_path / "voted.csv")
    m = dxmatch.load(voting)
    with VoteStore(tmp_path / "votes.sqlite") as store:
        import_table(tmp_path / "voted.csv", store, naming=m.providers.naming, verdict="label", model="an expert", rejects=tmp_path / "r.csv")  # fmt: skip

    def score_(min_coverage: float = 0.9) -> Summary:
        m = dxmatch.load(voting, min_coverage=min_coverage, loading=dxmatch.Loading(store=tmp_path / "votes.sqlite"))
        return run(source, tmp_path / "o.parquet", m, chunk_rows=100, workers=2)

    return score_


def test_refused_before_a_chunk_is_scored(score: Callable[..., Summary], tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"vote_expert is known for 69\.3 % of the pairs.*take in the rest"):
        score()
    assert not (tmp_path / "o.parquet.parts").exists() and not (tmp_path / "o.parquet").exists()


def test_with_a_lower_limit_it_is_the_score_in_memory(
    score: Callable[..., Summary], voting: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[tuple[str, int, int]] = []

    def shown(what: str, before: int = 0) -> Any:
        return nullcontext(lambda done, total: said.append((what, done, total)))

    monkeypatch.setattr("dxmatch.jobs.job.shown", shown)
    summary = score(min_coverage=0.5)
    assert ("Looking votes up", ROWS, ROWS) in said
    m = dxmatch.load(voting, loading=dxmatch.Loading(store=tmp_path / "votes.sqlite"), min_coverage=0.5)
    expected = m.score(pq.read_table(tmp_path / "pairs.parquet"), add=["features"])
    assert pq.read_table(tmp_path / "o.parquet")["probability"].to_pylist() == expected["probability"].to_pylist()
    known = float(np.isfinite(np.array(expected["vote_expert"].to_pylist(), float)).mean())
    assert summary.coverage["vote_expert"] == pytest.approx(known) == 0.693


def test_finished_chunks_count(score: Callable[..., Summary], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the texts are too many to hold, it is told at the end and nothing is lost; a job that goes on looks at the
    rest alone, and refuses as it would have at first."""
    with monkeypatch.context() as patched:
        patched.setattr("dxmatch.jobs.job.MAX_TEXTS", 0)
        with pytest.raises(InputError, match=r"vote_expert is known for 69\.3 %"):
            score()
    parts = sorted((tmp_path / "o.parquet.parts").glob("part-*"))
    assert len(parts) == 10
    for part in parts[5:]:
        part.unlink()
    with pytest.raises(InputError, match=r"vote_expert is known for 69\.3 % of the pairs"):
        score()
    assert len(list((tmp_path / "o.parquet.parts").glob("part-*"))) == 5
    assert score(min_coverage=0.5).resumed == 5


def test_votes_that_came_in_between_make_another_job(
    score: Callable[..., Summary], tmp_path: Path, voting: Path
) -> None:
    with at_chunk(6, fail()), pytest.raises(DxmatchError, match="chunk 6 failed"):
        score(min_coverage=0.5)
    pa_csv.write_csv(pa.table({"a": ["gout"], "b": ["podagra"], "label": [1]}), tmp_path / "more.csv")
    with VoteStore(tmp_path / "votes.sqlite") as store:
        naming = dxmatch.load(voting).providers.naming
        import_table(tmp_path / "more.csv", store, naming=naming, verdict="label", model="an expert")
    with pytest.raises(DxmatchError, match="finished chunks of another job: another vote store"):
        score(min_coverage=0.5)
