from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dxmatch
from dxmatch.errors import InputError, OptionError
from dxmatch.jobs.plan import Job, Options, _chunks, plan_job
from dxmatch.jobs.source import Source

from .conftest import Write, random_pairs


def source(*groups: int, name: str = "x.parquet") -> Source:
    return Source(Path(name), 0, 0, "", pa.schema([]), groups)


@pytest.fixture(scope="module")
def m(model: Path) -> dxmatch.MatchFunction:
    return dxmatch.load(model)


def planned(path: Path, m: dxmatch.MatchFunction, model: Path, **options: object) -> Job:
    return plan_job(path, path.with_suffix(".parts"), m, model, Options(**options))  # type: ignore[arg-type]


def test_chunks_by_hand() -> None:
    """Small groups go together up to the limit, a large one is cut into equal slices, and no chunk spans two files."""
    chunks = _chunks([source(3, 3, 3, 10, 2), source(1)], 6)
    assert [(c.path.name, c.first, c.rows, c.groups, c.skip) for c in chunks] == [
        ("x.parquet", 0, 6, (0, 1), 0),
        ("x.parquet", 6, 3, (2, 2), 0),
        ("x.parquet", 9, 5, (3, 3), 0),
        ("x.parquet", 14, 5, (3, 3), 5),
        ("x.parquet", 19, 2, (4, 4), 0),
        ("x.parquet", 0, 1, (0, 0), 0),
    ]
    assert [c.number for c in chunks] == list(range(6))


@given(st.lists(st.lists(st.integers(0, 40), max_size=8), min_size=1, max_size=3), st.integers(1, 30))
def test_chunks_cover_every_row_once(files: list[list[int]], most: int) -> None:
    chunks = _chunks([source(*groups, name=f"{i}.parquet") for i, groups in enumerate(files)], most)
    for number, groups in enumerate(files):
        mine = [c for c in chunks if c.path.name == f"{number}.parquet"]
        assert all(0 < c.rows <= most for c in mine)
        assert [c.first for c in mine] == [sum(c.rows for c in mine[:i]) for i in range(len(mine))]
        assert sum(c.rows for c in mine) == sum(groups)
        for c in mine:
            before = sum(groups[: c.groups[0]])
            assert c.first == before + c.skip
            assert c.first + c.rows <= sum(groups[: c.groups[1] + 1])


def test_parts_are_named_in_order(write: Write, m: dxmatch.MatchFunction, model: Path) -> None:
    job = planned(write(random_pairs(30)), m, model, chunk_rows=10)
    assert [job.part_name(c) for c in job.chunks] == ["part-00000.parquet", "part-00001.parquet", "part-00002.parquet"]
    many = replace(job, chunks=job.chunks * 50_000)
    assert many.part_name(job.chunks[2]) == "part-000002.parquet"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda t: t.drop(["b"]), r"pairs\.parquet: the column 'b' \(a diagnosis\) is missing"),
        (lambda t: t.rename_columns(["id", "a", "bb", "note"]), r"'b' \(a diagnosis\) is missing; did you mean 'bb'"),
        (
            lambda t: t.set_column(1, "a", pa.array([None, *range(len(t) - 1)])),
            r"row 2, column 'a': a value that is not text. Allowed: text. Got: 0",
        ),
        (lambda t: t.append_column("match", t["id"]), "the score would add is there already: match"),
        (lambda t: t.slice(0, 0), "the table has no rows"),
    ],
)
def test_tables_that_cannot_be_scored(
    change, message: str, write: Write, m: dxmatch.MatchFunction, model: Path
) -> None:
    with pytest.raises(InputError, match=message):
        planned(write(change(random_pairs(5))), m, model)


def test_feature_columns_are_only_in_the_way_when_they_are_added(
    write: Write, m: dxmatch.MatchFunction, model: Path
) -> None:
    table = random_pairs(5).append_column("contrast", pa.array(range(5)))
    path = write(table)
    assert planned(path, m, model).schema.names[-2:] == ["probability", "match"]
    with pytest.raises(InputError, match="is there already: contrast"):
        planned(path, m, model, features=True)


def test_files_of_a_folder_have_the_same_columns(write: Write, m: dxmatch.MatchFunction, model: Path) -> None:
    folder = write(random_pairs(5), "in/1.parquet").parent
    for table, message in (
        (random_pairs(5).drop(["note"]), r"2\.parquet: its columns differ from those of 1\.parquet: without note"),
        (random_pairs(5).append_column("x", pa.array(range(5))), "with x"),
        (random_pairs(5).select(["a", "id", "b", "note"]), "another order"),
        (random_pairs(5).set_column(0, "id", pa.array(["x"] * 5)), "id is string, not int64"),
    ):
        write(table, "in/2.parquet")
        with pytest.raises(InputError, match=message):
            planned(folder, m, model)
    write(random_pairs(7), "in/2.parquet")
    write(random_pairs(9).drop(["a"]), "in/_ignored.parquet")
    assert [(c.path.name, c.rows) for c in planned(folder, m, model).chunks] == [("1.parquet", 5), ("2.parquet", 7)]


def test_an_empty_folder_and_an_absent_file(tmp_path: Path, m: dxmatch.MatchFunction, model: Path) -> None:
    with pytest.raises(InputError, match=r"a folder without a \.parquet file"):
        planned(tmp_path, m, model)
    with pytest.raises(InputError, match="no such file"):
        planned(tmp_path / "none.parquet", m, model)
    (tmp_path / "empty.parquet").touch()
    with pytest.raises(InputError, match="the file is empty"):
        planned(tmp_path / "empty.parquet", m, model)


def test_identity_is_of_all_that_shapes_the_result(write: Write, m: dxmatch.MatchFunction, model: Path) -> None:
    path = write(random_pairs(50))
    job = planned(path, m, model)
    assert planned(path, m, model).identity == job.identity
    others = [
        planned(path, m, model, **change)
        for change in ({"features": True}, {"set_aside": True}, {"chunk_rows": 10}, {"a": "note"}, {"b": "note"})
    ]
    store = path.with_name("votes.db")
    store.write_bytes(b"1")
    others.append(plan_job(path, job.folder, m, model, Options(), store=store))
    store.write_bytes(b"12")
    others.append(plan_job(path, job.folder, m, model, Options(), store=store))
    write(random_pairs(50, seed=1))
    others.append(planned(path, m, model))
    identities = {job.identity, *(other.identity for other in others)}
    assert len(identities) == len(others) + 1
    json.dumps(dict(job.about))


def test_options() -> None:
    with pytest.raises(OptionError, match="'chunk_rows' parameter must be a number of rows, at least 1. Got 0"):
        Options(chunk_rows=0)


def test_a_footer_that_contradicts_itself(write: Write, m: dxmatch.MatchFunction, model: Path) -> None:
    """A column's name stands twice in a footer; where one is damaged the other says so."""
    path = write(random_pairs(5))
    content = path.read_bytes()
    at = content.index(b"note")
    assert pq.read_metadata(path).schema.names == ["id", "a", "b", "note"]
    places = [i for i in range(len(content)) if content.startswith(b"note", i)]
    for at in places:
        path.write_bytes(content[:at] + b"nope" + content[at + 4 :])
        try:
            schema = planned(path, m, model).input_schema
        except InputError as error:
            assert "pairs.parquet: the Parquet file is damaged" in str(error)
        else:
            assert schema.names == ["id", "a", "b", "note"]
