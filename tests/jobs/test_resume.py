"""A job that was cut short: finished chunks are kept, and what is made in the end is that of an uninterrupted run."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv as pa_csv
import pyarrow.parquet as pq
import pytest
from filelock import FileLock

import dxmatch
from dxmatch.errors import DxmatchError, InputError
from dxmatch.jobs.job import Summary
from dxmatch.votes.answer_tables import import_table
from dxmatch.votes.store.store import VoteStore

from ..small_model import STRINGS, model_of
from .conftest import ROWS, Write, at_chunk, fail, random_pairs, run, turn_a_bit

Score = Callable[..., Summary]


def broken_off(score: Score, **options: Any) -> None:
    with at_chunk(6, fail), pytest.raises(DxmatchError, match="chunk 6 failed"):
        score(**options)


def contents(path: Path) -> list[bytes]:
    """Of a file, or of those of a folder by name."""
    return [each.read_bytes() for each in (sorted(path.iterdir()) if path.is_dir() else [path])]


@pytest.mark.slow
def test_killed_at_any_moment(source: Path, model: Path) -> None:
    """The next run goes on, and ends with the bytes of an uninterrupted one. Ctrl-C: tests/golden/commands."""
    output, parts = source.parent / "o.parquet", 30
    command = [sys.executable, "-m", "dxmatch.cli", "score", source, "-o", output, "--matcher", model]
    running = subprocess.Popen([*command, "--chunk-rows", "5", "--workers", "2"], start_new_session=True)
    try:
        for _ in range(6000):
            if len(list(source.parent.glob("o.parquet.parts/part-*"))) > parts:
                break
            time.sleep(0.005)
    finally:
        running.kill()
        running.wait()
    assert not output.exists(), "it was stopped in the middle"
    assert parts < run(source, output, model, chunk_rows=5, workers=2).resumed < 200
    run(source, source.parent / "whole.parquet", model, chunk_rows=5)
    assert output.read_bytes() == (source.parent / "whole.parquet").read_bytes()
    assert sorted(path.name for path in source.parent.iterdir()) == ["o.parquet", "pairs.parquet", "whole.parquet"]


@pytest.mark.parametrize("name", ["o.parquet", "o"])
def test_a_chunk_that_fails(name: str, score: Score, source: Path, write: Write) -> None:
    """The rows that were rejected are kept with their chunks."""
    table, here = random_pairs(ROWS), source.parent
    sides = ["?" if i % 90 == 7 else x for i, x in enumerate(table["a"].to_pylist())]
    write(table.set_column(1, "a", pa.array(sides)))
    whole = score(f"whole-{name}", rejects=here / "whole.csv")
    message = r"pairs\.parquet, rows 501 to 600: chunk 5 failed \(RuntimeError: no luck\)"
    with at_chunk(5, fail), pytest.raises(DxmatchError, match=message):
        score(name, rejects=here / "o.csv")
    kept = {path.name for path in (here / f"{name}.parts").glob("part-*")}
    assert not (here / name).exists() and not (here / "o.csv").exists()
    assert {f"part-0000{i}.parquet" for i in range(5)} <= kept and "part-00005.parquet" not in kept
    assert score(name, rejects=here / "o.csv") == replace(whole, resumed=len(kept))
    assert not (here / f"{name}.parts").exists() and contents(here / name) == contents(here / f"whole-{name}")
    assert (here / "o.csv").read_bytes() == (here / "whole.csv").read_bytes()


def test_what_was_damaged_among_the_parts(score: Score, source: Path) -> None:
    """A part that is not what was written, one that is gone or cut, one of another chunk, unfinished files."""
    output, folder = source.parent / "o.parquet", source.parent / "o.parquet.parts"
    score("whole.parquet")
    broken_off(score, workers=1)
    turn_a_bit(folder / "part-00002.parquet")
    (folder / "part-00003.parquet").write_bytes((folder / "part-00003.parquet").read_bytes()[:-1])
    (folder / "part-00004.parquet").unlink()
    (folder / ".part-00007.parquet.0123456789ab.part").write_bytes(b"half")
    (folder / "part-00009.parquet").write_bytes((folder / "part-00001.parquet").read_bytes())
    with at_chunk(3, after=turn_a_bit), pytest.raises(InputError, match=r"part-00003\.parquet"):
        score(workers=3)  # before it is merged, the page's checksum tells
    assert not output.exists()
    assert score(workers=3).resumed == 9
    assert contents(output) == contents(source.parent / "whole.parquet") and not folder.exists()


@pytest.mark.parametrize("name", ["o.parquet", "o"])
def test_input_that_is_changed_while_it_is_scored(name: str, score: Score, source: Path, write: Write) -> None:
    """No result appears, whichever rows were read."""
    changed = pytest.raises(InputError, match=r"pairs\.parquet: it was changed or replaced while it was scored")
    with at_chunk(3, lambda: write(random_pairs(ROWS, seed=9))), changed:
        score(name, workers=1)
    assert not (source.parent / name).exists()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"add": ["features"]}, "further columns , not features"), ({"chunk_rows": 99}, "rows of a chunk 100, not 99"),
        ({"a": "note"}, "column a a, not note"), ({"b": "note"}, "column b b, not note"), ({"rejects": Path("r.csv")}, "rejects False, not True"),
        ({"input": True}, "another input"), ({"load": {"threshold": 0.1}}, "threshold 0.5, not 0.1"), ({"load": {"judge_all": True}}, "judge_all False, not True"),
        ({"load": {"loading": {"store": "votes.sqlite"}}}, "another vote store"),
    ],
)  # fmt: skip
def test_another_job_at_the_same_place(
    options: dict[str, Any], message: str, score: Score, source: Path, model: Path, write: Write, monkeypatch: Any
) -> None:
    """It is refused and nothing is touched, until it is told to begin anew."""
    monkeypatch.chdir(source.parent)
    broken_off(score, workers=1)
    VoteStore(Path("votes.sqlite")).close()
    options = {"matcher": dxmatch.load(model, **options.get("load", {})), **options}
    folder, changes = source.parent / "o.parquet.parts", [options.pop("load", None), options.pop("input", False)]
    before = contents(folder)
    if changes[1]:
        write(random_pairs(ROWS, seed=9))
    told = rf"holds [6-9] finished chunks of another job: {message}.*the option 'restart'"
    with pytest.raises(DxmatchError, match=told):
        score(**options)
    assert contents(folder) == before
    assert score(restart=True, **options).resumed == 0 and not folder.exists()


def test_a_finished_folder(score: Score, source: Path) -> None:
    """The same command finds it; another one does not touch it unless it is told to; nothing of others is taken
    away; one that was damaged is never "there already"."""
    (output := source.parent / "o").mkdir()
    first, again = score("o"), score("o")
    assert again == replace(first, resumed=10)
    assert sorted(path.name for path in output.iterdir()) == [f"part-0000{i}.parquet" for i in range(10)]
    expected = contents(output)
    for change in (turn_a_bit, lambda part: part.write_bytes(b""), Path.unlink):
        change(output / "part-00003.parquet")
        with pytest.raises(DxmatchError, match="damaged.*the option 'restart'"):
            score("o")
        assert score("o", restart=True).resumed == 0 and contents(output) == expected
    with pytest.raises(DxmatchError, match="holds 10 finished chunks of another job: further columns"):
        score("o", add=["features"])
    assert score("o", add=["features"], restart=True).resumed == 0
    assert "contrast" in pq.read_table(output).column_names


@pytest.mark.parametrize("place", ["o.parquet.parts", "o"])
def test_folders_of_others_are_left_alone(place: str, score: Score, source: Path) -> None:
    (mine := source.parent / place / "mine.parquet").parent.mkdir()
    mine.write_text("mine")
    with pytest.raises(DxmatchError, match=r"holds mine\.parquet, which is no part of a result"):
        score(place.removesuffix(".parts"), restart=True)
    assert [*mine.parent.iterdir()] == [mine] and mine.read_text() == "mine"


def test_two_processes_do_not_work_in_one_folder(score: Score, source: Path) -> None:
    (folder := source.parent / "o.parquet.parts").mkdir()
    with FileLock(folder / "_job.lock"), pytest.raises(DxmatchError, match="Another process works in"):
        score()
    assert folder.exists() and score().pairs == ROWS


VOTES = [{"name": "vote_expert", "kind": "vote", "model": "an expert", "prompt": "imported"}, STRINGS[0]]


@pytest.fixture(scope="module")
def voting(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return model_of(tmp_path_factory.mktemp("model") / "voting", VOTES)


def import_votes(path: Path, voting: Path, rows: pa.Table) -> None:
    pa_csv.write_csv(rows, path.with_name("v.csv"))
    with VoteStore(path) as store:
        naming = dxmatch.load(voting).providers.naming
        import_table(path.with_name("v.csv"), store, naming=naming, verdict="label", model="an expert", rejects=path.with_name("r.csv"))  # fmt: skip


@pytest.fixture
def voted(write: Write, voting: Path, tmp_path: Path) -> Callable[..., Summary]:
    """Scores 1,000 pairs, of which the store knows the first 700 and what of the others is one of these."""
    source, store = write(random_pairs(ROWS, names=300)), tmp_path / "votes.sqlite"
    some = pq.read_table(source).slice(0, 700).select(["a", "b"])
    import_votes(store, voting, some.append_column("label", pa.array(np.arange(700) % 2)))

    def score_(min_coverage: float = 0.9) -> Summary:
        m = dxmatch.load(voting, min_coverage=min_coverage, loading=dxmatch.Loading(store=store))
        return run(source, tmp_path / "o.parquet", m, chunk_rows=100, workers=2)

    return score_


def test_too_few_votes_are_refused_before_a_chunk_is_scored(voted: Score, voting: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"vote_expert is known for 69\.3 % of the pairs.*take in the rest"):
        voted()
    assert not (tmp_path / "o.parquet.parts").exists() and not (tmp_path / "o.parquet").exists()
    summary = voted(min_coverage=0.5)
    m = dxmatch.load(voting, loading=dxmatch.Loading(store=tmp_path / "votes.sqlite"), min_coverage=0.5)
    expected = m.score(pq.read_table(tmp_path / "pairs.parquet"))
    assert pq.read_table(tmp_path / "o.parquet").equals(expected) and summary.coverage["vote_expert"] == 0.693


def test_votes_that_came_in_between_make_another_job(voted: Score, tmp_path: Path, voting: Path) -> None:
    broken_off(voted, min_coverage=0.5)
    import_votes(tmp_path / "votes.sqlite", voting, pa.table({"a": ["gout"], "b": ["podagra"], "label": [1]}))
    with pytest.raises(DxmatchError, match="finished chunks of another job: another vote store"):
        voted(min_coverage=0.5)
