"""The input: found, checked, cut into chunks; the identity of a job."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import dxmatch
from dxmatch.errors import InputError
from dxmatch.jobs.plan import Plan, plan_job
from dxmatch.votes.store.store import VoteStore

from .conftest import Write, random_pairs


@pytest.fixture(scope="module")
def m(model: Path) -> dxmatch.MatchFunction:
    return dxmatch.load(model)


def planned(path: Path, m: dxmatch.MatchFunction, chunk_rows: int = 1000, **options: Any) -> Plan:
    return plan_job(path, path.with_suffix(".parts"), m, chunk_rows=chunk_rows, **options)


@pytest.mark.parametrize(
    ("change", "options", "message"),
    [
        (lambda t: t.drop(["b"]), {}, r"pairs\.parquet: the column 'b' \(a diagnosis\) is missing"),
        (lambda t: t.rename_columns(["id", "a", "bb", "note"]), {}, r"'b' \(a diagnosis\) is missing; did you mean 'bb'"),
        (
            lambda t: t.set_column(1, "a", pa.array([None, *range(len(t) - 1)])), {},
            r"pairs\.parquet, column 'a': a column that is not text. Allowed: text. Got: 'int64'",
        ),
        (lambda t: t.append_column("match", t["id"]), {}, "the score would add is there already: match"),
        (lambda t: t.append_column("contrast", t["id"]), {"add": ["features"]}, "is there already: contrast"),
        (lambda t: t.slice(0, 0), {}, "the table has no rows"),
    ],
)  # fmt: skip
def test_tables_that_cannot_be_scored(change, options, message: str, write: Write, m: dxmatch.MatchFunction) -> None:
    with pytest.raises(InputError, match=message):
        planned(write(change(random_pairs(5))), m, **options)


def test_files_of_a_folder_have_the_same_columns(write: Write, m: dxmatch.MatchFunction) -> None:
    folder = write(random_pairs(5), "in/1.parquet").parent
    for table, message in (
        (random_pairs(5).drop(["note"]), r"2\.parquet: its columns differ from those of 1\.parquet in note string"),
        (random_pairs(5).append_column("x", pa.array(range(5))), "in x int64"),
        (random_pairs(5).select(["a", "id", "b", "note"]), "in their order"),
        (random_pairs(5).set_column(0, "id", pa.array(["x"] * 5)), "in id int64, id string"),
    ):
        write(table, "in/2.parquet")
        with pytest.raises(InputError, match=message):
            planned(folder, m)
    write(random_pairs(7), "in/2.parquet")
    write(random_pairs(9).drop(["a"]), "in/_ignored.parquet")
    assert [(c.path.name, c.rows) for c in planned(folder, m).chunks] == [("1.parquet", 5), ("2.parquet", 7)]


@pytest.mark.parametrize(
    ("name", "message"),
    [(".", r"a folder without a \.parquet file"), ("none.parquet", "no such file"), ("empty.parquet", "the Parquet file is damaged")],
)  # fmt: skip
def test_no_input(name: str, message: str, tmp_path: Path, m: dxmatch.MatchFunction) -> None:
    if name == "empty.parquet":
        (tmp_path / name).touch()
    with pytest.raises(InputError, match=message):
        planned(tmp_path / name, m)


def test_identity_is_of_all_that_shapes_the_result(write: Write, m: dxmatch.MatchFunction, model: Path) -> None:
    path = write(random_pairs(50))
    job = planned(path, m)
    assert planned(path, m).about == job.about
    changes = ({"add": ["features"]}, {"add": ["shap"]}, {"rejecting": True}, {"chunk_rows": 10}, {"a": "note"}, {"b": "note"})  # fmt: skip
    others = [planned(path, m, **change) for change in changes]
    for votes in range(2):
        with VoteStore(path.with_name(f"{votes}.db")):
            pass
        own = dxmatch.load(model, loading=dxmatch.Loading(store=path.with_name(f"{votes}.db")))
        others.append(planned(path, own))
    others += [planned(path, dxmatch.load(model, **change)) for change in ({"threshold": 0.1}, {"judge_all": True})]
    write(random_pairs(50, seed=1))
    others.append(planned(path, m))
    assert len({json.dumps(one.about) for one in (job, *others)}) == len(others) + 1
