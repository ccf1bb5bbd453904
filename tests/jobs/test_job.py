"""Parquet to Parquet: the same as in memory, whatever the chunks, the workers and the way the rows are stored."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import dxmatch
from dxmatch.errors import DxmatchError, InputError
from dxmatch.features.names import Names
from dxmatch.files.pairs import read_pairs
from dxmatch.files.tables import read_table

from .conftest import Write, diagnoses, random_pairs, run


def in_memory(table: pa.Table, model: Path, **options: Any) -> pa.Table:
    return dxmatch.load(model).score(table, **options)


def scored(path: Path, model: Path, name: str = "out.parquet", **options: Any) -> Path:
    output = path.parent / name
    run(path, output, model, **options)
    return output


@pytest.mark.parametrize("chunk_rows", [1, 7, 100, 10_000])
@pytest.mark.parametrize("name", ["out.parquet", "out"])
def test_as_in_memory(chunk_rows: int, name: str, write: Write, model: Path) -> None:
    rows = 60 if chunk_rows == 1 else 500
    table = random_pairs(rows)
    path = write(table, group=100)
    summary = run(path, path.with_name(name), model, chunk_rows=chunk_rows, add=["features", "shap"])
    got, whole = pq.read_table(path.with_name(name)), dxmatch.load(model).score_read(read_pairs(table))
    expected = in_memory(table, model, add=["features", "shap"])
    assert got.schema == expected.schema and got.equals(expected)
    assert (summary.coverage, 0 < summary.coverage["ratio_bigram"] < 1) == (whole.coverage, True)
    assert 0 < summary.matches == sum(got["match"].to_pylist()) < rows
    assert (summary.pairs, summary.rejected, summary.chunks, summary.resumed) == (rows, 0, -(-rows // chunk_rows), 0)
    assert not path.with_name(f"{name}.parts").exists()


def test_bytes_do_not_depend_on_the_workers(write: Write, model: Path) -> None:
    path = write(random_pairs(900), group=250)
    outputs = [scored(path, model, f"{n}.parquet", chunk_rows=120, workers=n).read_bytes() for n in (1, 2, 5)]
    assert outputs[0] == outputs[1] == outputs[2]


def test_more_texts_than_the_job_holds(write: Write, model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each chunk prepares its own, some rows at a time: the bytes are the same, and so are the rejected rows."""
    table = random_pairs(600)
    bad = table.set_column(1, "a", pa.array([None if i == 411 else x for i, x in enumerate(table["a"].to_pylist())]))
    path = write(bad)
    whole = scored(path, model, "1.parquet", chunk_rows=200, rejects=path.with_name("1.csv"))
    monkeypatch.setattr("dxmatch.jobs.job.MAX_TEXTS", 10)
    monkeypatch.setattr("dxmatch.jobs.plan.OWN_ROWS", 70)
    asked: list[int] = []
    read = Names.read.__func__  # type: ignore[attr-defined]
    monkeypatch.setattr(Names, "read", classmethod(lambda cls, found, *p, **k: asked.append(len(found)) or read(cls, found, *p, **k)))  # fmt: skip
    own = scored(path, model, "2.parquet", chunk_rows=200, rejects=path.with_name("2.csv"))
    assert own.read_bytes() == whole.read_bytes()
    assert path.with_name("2.csv").read_bytes() == path.with_name("1.csv").read_bytes()
    assert len(asked) == 9
    with pytest.raises(InputError, match=r"pairs\.parquet, row 412, column 'a': the diagnosis is blank"):
        scored(path, model, "3.parquet", chunk_rows=200)


@pytest.mark.parametrize(
    "kind",
    [pa.string(), pa.large_string(), pa.dictionary(pa.int32(), pa.string()), pa.dictionary(pa.int8(), pa.large_string()), pa.string_view()],
)  # fmt: skip
def test_columns_keep_their_kind(kind: pa.DataType, write: Write, model: Path) -> None:
    plain = random_pairs(300)
    table = plain
    for side in ("a", "b"):
        at = table.schema.get_field_index(side)
        table = table.set_column(at, side, plain[side].cast(kind))
    path = write(table, group=70)
    came = pq.read_table(path).schema
    got = pq.read_table(scored(path, model, chunk_rows=50))
    assert got.schema.field("a").type == came.field("a").type
    assert got["a"].cast(pa.string()).equals(plain["a"])
    assert got["probability"].equals(in_memory(plain, model)["probability"])


def test_columns_that_only_travel(write: Write, model: Path) -> None:
    """Times, lists, structs, decimals, what a data frame knows of itself: as they came."""
    table = random_pairs(40).append_column("when", pa.array(range(40), pa.timestamp("us", "Europe/Paris")))
    table = table.append_column("list", pa.array([[i, None] for i in range(40)], pa.list_(pa.int16())))
    table = table.append_column("struct", pa.array([{"x": i} for i in range(40)]))
    table = table.append_column("kind", pa.array(["x", None] * 20).dictionary_encode())
    table = table.append_column("price", pa.array(range(40), pa.int64()).cast(pa.decimal128(25, 2)))
    table = table.replace_schema_metadata({b"pandas": b'{"index_columns": []}', b"own": b"x"})
    path = write(table)
    came, got = pq.read_table(path), pq.read_table(scored(path, model, chunk_rows=11))
    assert got.drop(["probability", "match"]).equals(came)
    assert got.schema.metadata == came.schema.metadata


def test_a_folder_goes_in_order_of_names(write: Write, model: Path) -> None:
    tables = [random_pairs(n, seed=n) for n in (120, 80, 150)]
    for name, table in zip(("b", "a", "c"), tables, strict=True):
        folder = write(table, f"in/{name}.parquet").parent
    expected = in_memory(pa.concat_tables([tables[1], tables[0], tables[2]]), model)
    summary = run(folder, folder.parent / "out", model, chunk_rows=100)
    assert summary.chunks == 5
    output = folder.parent / "out"
    assert pq.read_table(output).equals(expected)
    assert pd.read_parquet(output).equals(expected.to_pandas())
    assert pl.read_parquet(output).equals(pl.from_arrow(expected))
    run(folder, folder.parent / "one.parquet", model)
    assert pq.read_table(folder.parent / "one.parquet").equals(expected)


def bad_pairs() -> pa.Table:
    """Rows 3, 5, 8 (from 1) are no pairs."""
    a, b = diagnoses(12), diagnoses(24)[12:]
    a[2], b[2], b[4], a[7] = "  ", "???", None, "x" * 10_001  # type: ignore[call-overload]
    return pa.table({"a": pa.array(a, pa.string()), "b": pa.array(b, pa.string())})


@pytest.mark.parametrize(("chunk_rows", "suffix"), [(1, ".csv"), (4, ".parquet"), (100, ".jsonl")])
def test_rejects_as_in_memory(chunk_rows: int, suffix: str, write: Write, model: Path) -> None:
    path = write(bad_pairs(), group=5)
    expected_rejects, rejects = path.with_name(f"memory{suffix}"), path.with_name(f"job{suffix}")
    expected = dxmatch.load(model).score(path, reading=dxmatch.Reading(rejects=expected_rejects))
    output = path.with_name("o.parquet")
    summary = run(path, output, model, rejects=rejects, chunk_rows=chunk_rows)
    assert pq.read_table(output).equals(expected)
    assert summary.rejected == 3
    assert read_table(rejects).data.to_pylist() == read_table(expected_rejects).data.to_pylist()
    for stops in (lambda: dxmatch.load(model).score(path), lambda: scored(path, model, chunk_rows=chunk_rows)):
        with pytest.raises(InputError, match="pairs.parquet, row 3, column 'a': the diagnosis is blank"):
            stops()
    write(pa.table({"a": ["?", "!"], "b": ["flu", "flu"]}))
    with pytest.raises(InputError, match=r"all 2 rows were refused; see .*job"):
        scored(path, model, rejects=rejects)


def test_text_that_is_not_utf8(write: Write, model: Path) -> None:
    bytes_ = pa.array([b"flu", b"caf\xe9"], pa.binary())
    text = pa.Array.from_buffers(pa.string(), 2, bytes_.buffers())
    path = write(pa.table({"a": text, "b": ["x", "y"]}))
    with pytest.raises(InputError, match=r"pairs\.parquet: the Parquet file is damaged \(.*UTF8"):
        scored(path, model)


@pytest.mark.parametrize(
    ("output", "message"),
    [
        ("in/pairs.parquet", "the output is the input, or one lies in the other"),
        ("in", "one lies in the other"),
        ("in/o.parquet", "the output is the input, or one lies in the other"),
        ("none/o.parquet", "the folder for the output is absent"),
        ("o.csv", "an output of an unknown kind"),
        ("taken", "a file is there"),
        ("folder.parquet", "a folder is there"),
    ],
)
def test_places_that_are_refused(output: str, message: str, write: Write, model: Path, tmp_path: Path) -> None:
    write(random_pairs(5), "in/pairs.parquet")
    (tmp_path / "taken").write_text("mine")
    (tmp_path / "folder.parquet").mkdir()
    with pytest.raises(InputError, match=message):
        run(tmp_path / "in", tmp_path / output, model)
    assert (tmp_path / "taken").read_text() == "mine"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"engine": "spark"}, "'engine' parameter must be one of local, ray. Got 'spark'"),
        ({"chunk_rows": 0}, "'chunk_rows' parameter must be a whole number 1 or more"),
        ({"add": ["words"]}, "'add' parameter must be several of features, shap, relation, reasons"),
        ({"matcher": 3}, "'matcher' parameter must be a match function"),
        ({"rejects": Path("r.xls")}, "an output of an unknown kind"),
    ],
)
def test_options_that_are_refused(options: dict[str, Any], message: str, write: Write, model: Path) -> None:
    path = write(random_pairs(5))
    with pytest.raises(DxmatchError, match=message):
        run(path, path.with_name("o.parquet"), **{"matcher": model} | options)


def test_progress_reaches_its_end(write: Write, model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: dict[str, list[tuple[int, int]]] = {}

    def shown(what: str, before: int = 0) -> Any:
        return nullcontext(lambda done, total: seen.setdefault(what, []).append((done, total)))

    monkeypatch.setattr("dxmatch.jobs.job.shown", shown)
    run(write(random_pairs(500)), tmp_path / "o.parquet", model, chunk_rows=100)
    for what in ("Reading texts", "Scoring pairs"):
        assert seen[what] == [(done, 500) for done in (100, 200, 300, 400, 500)]


def test_dictionaries_that_grew_too_large(write: Write, model: Path) -> None:
    """A writer that gives up its dictionary in the middle of a row group leaves both kinds of page."""
    table = random_pairs(400)
    mixed = write(table, "mixed.parquet", dictionary_pagesize_limit=200, data_page_size=256, write_batch_size=16)
    plain = write(table, "plain.parquet", use_dictionary=False)
    whole = write(table, "whole.parquet")
    tables = [pq.read_table(scored(p, model, f"o-{p.name}", chunk_rows=90)) for p in (mixed, plain, whole)]
    assert tables[0].equals(tables[1])
    assert tables[0].equals(tables[2])
