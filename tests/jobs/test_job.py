"""Parquet to Parquet: the same as in memory, whatever the chunks, the workers and the way the rows are stored; what is refused."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import dxmatch
from dxmatch.errors import DxmatchError, InputError
from dxmatch.files.tables import read_table

from ..small_relation import related
from .conftest import Write, diagnoses, random_pairs, run


@pytest.mark.parametrize(("chunk_rows", "name", "engine"), [
    (1, "out", "local"), (7, "out.parquet", "local"), (10_000, "out", "local"), pytest.param(250, "out", "ray", marks=pytest.mark.slow),
])  # fmt: skip
def test_as_in_memory(chunk_rows: int, name: str, engine: str, write: Write, model: Path) -> None:
    if engine == "ray":
        pytest.importorskip("ray", reason="the engine 'ray' needs the extra 'ray'")
    rows = 60 if chunk_rows == 1 else 500
    path, table = write(random_pairs(rows), group=100), random_pairs(rows)
    summary = run(path, path.with_name(name), model, chunk_rows=chunk_rows, add=["features", "shap"], engine=engine)
    got = pq.read_table(path.with_name(name))
    expected = dxmatch.load(model).score(table, add=["features", "shap"])
    assert got.schema == expected.schema and got.equals(expected)
    known = {name: 1 - got[name].null_count / rows for name in summary.coverage}
    assert summary.coverage == pytest.approx(known) and 0 < known["ratio_bigram"] < 1
    assert 0 < summary.matches == sum(got["match"].to_pylist()) < rows
    assert (summary.pairs, summary.rejected, summary.chunks, summary.resumed) == (rows, 0, -(-rows // chunk_rows), 0)
    assert not path.with_name(f"{name}.parts").exists()


KINDS = pa.string(), pa.large_string(), pa.dictionary(pa.int32(), pa.string()), pa.dictionary(pa.int8(), pa.large_string()), pa.string_view()  # fmt: skip
GREW = {"dictionary_pagesize_limit": 200, "data_page_size": 256, "write_batch_size": 16}
"""A writer that gives up its dictionary in the middle of a row group leaves both kinds of page."""


@pytest.mark.parametrize(("kind", "stored"), [*((kind, {}) for kind in KINDS), (pa.string(), GREW), (pa.string(), {"use_dictionary": False})])  # fmt: skip
def test_columns_keep_their_kind(kind: pa.DataType, stored: dict[str, Any], write: Write, model: Path) -> None:
    """Diagnoses however they are stored; and what only travels: times, lists, structs, decimals, what a data frame knows of itself."""
    plain = random_pairs(300)
    others = {
        "when": pa.array(range(300), pa.timestamp("us", "Europe/Paris")), "list": pa.array([[i, None] for i in range(300)], pa.list_(pa.int16())),
        "struct": pa.array([{"x": i} for i in range(300)]), "kind": pa.array(["x", None] * 150).dictionary_encode(),
        "price": pa.array(range(300), pa.int64()).cast(pa.decimal128(25, 2)), "a": plain["a"].cast(kind), "b": plain["b"].cast(kind),
    }  # fmt: skip
    table = pa.table(others, metadata={b"pandas": b'{"index_columns": []}', b"own": b"x"})
    path = write(table, group=70, **stored)
    came = pq.read_table(path)
    run(path, path.with_name("out.parquet"), model, chunk_rows=50)
    got = pq.read_table(path.with_name("out.parquet"))
    added = ["probability", "match", "doubtful"]
    assert got.schema.metadata == came.schema.metadata and got.drop(added).schema == came.schema
    assert got.drop(added).to_pylist() == came.to_pylist()
    assert got["probability"].equals(dxmatch.load(model).score(plain)["probability"])


def test_a_folder_goes_in_order_of_names(write: Write, model: Path) -> None:
    tables = {name: random_pairs(n, seed=n) for name, n in (("b", 120), ("a", 80), ("c", 150))}
    for name, table in tables.items():
        folder = write(table, f"in/{name}.parquet").parent
    write(random_pairs(9).drop(["a"]), "in/_ignored.parquet")
    expected = dxmatch.load(model).score(pa.concat_tables([tables[name] for name in "abc"]))
    assert run(folder, folder.parent / "out", model, chunk_rows=100).chunks == 5
    assert pq.read_table(folder.parent / "out").equals(expected)
    first = tables["b"]
    for table, message in (
        (first.drop(["note"]), r"c\.parquet: its columns differ from those of a\.parquet in note string"),
        (first.append_column("x", pa.array(range(120))), "in x int64"),
        (first.select(["a", "id", "b", "note"]), "in their order"),
        (first.set_column(0, "id", pa.array(["x"] * 120)), "in id int64, id string"),
    ):
        write(table, "in/c.parquet")
        with pytest.raises(InputError, match=message):
            run(folder, folder.parent / "one.parquet", model)


@pytest.mark.parametrize(("chunk_rows", "suffix"), [(1, ".csv"), (4, ".parquet")])
def test_rejects_as_in_memory(chunk_rows: int, suffix: str, write: Write, model: Path) -> None:
    a, b = diagnoses(12), diagnoses(24)[12:]
    a[2], b[2], b[4], a[7] = "  ", "???", None, "x" * 10_001  # type: ignore[call-overload]
    path = write(pa.table({"a": pa.array(a, pa.string()), "b": pa.array(b, pa.string())}), group=5)
    output, rejects, of_memory = path.with_name("o.parquet"), path.with_name(f"r{suffix}"), path.with_name(f"m{suffix}")
    expected = dxmatch.load(model).score(path, reading=dxmatch.Reading(rejects=of_memory))
    assert run(path, output, model, rejects=rejects, chunk_rows=chunk_rows).rejected == 3
    assert pq.read_table(output).equals(expected)
    assert read_table(rejects).data.to_pylist() == read_table(of_memory).data.to_pylist()
    with pytest.raises(InputError, match="pairs.parquet, row 3, column 'a': the diagnosis is blank"):
        run(path, output, model, chunk_rows=chunk_rows)
    write(pa.table({"a": ["?", "!"], "b": ["flu", "flu"]}))
    with pytest.raises(InputError, match=r"all 2 rows were refused; see .*r\."):
        run(path, output, model, rejects=rejects)


@pytest.mark.parametrize(
    ("change", "options", "message"),
    [
        (lambda t: t.rename_columns(["id", "a", "bb", "note"]), {}, r"pairs\.parquet: the column 'b' \(a diagnosis\) is missing; did you mean 'bb'"),
        (lambda t: t.set_column(1, "a", t["id"]), {}, r"pairs\.parquet, column 'a': a column that is not text. Allowed: text. Got: 'int64'"),
        (lambda t: t.append_column("match", t["id"]), {}, "the score would add is there already: match"),
        (lambda t: t.append_column("contrast", t["id"]), {"add": ["features"]}, "is there already: contrast"),
        (lambda t: t.slice(0, 0), {}, "the table has no rows"),
        (None, {"source": "none"}, r"no such file"),
        (None, {"source": "folder"}, r"a folder without a \.parquet file"),
        (None, {"source": "none.parquet"}, "no such file"),
        (None, {"source": "empty.parquet"}, "the Parquet file is damaged"),
        (None, {"engine": "spark"}, "option 'engine' must be one of local, ray. Got 'spark'"),
        (None, {"chunk_rows": 0}, "option 'chunk_rows' must be a whole number 1 or more"),
        (None, {"add": ["words"]}, "option 'add' must be several of features, shap, relation, reasons"),
        (None, {"add": ["relation"]}, "has no relation model"),
        (None, {"matcher": 3}, "option 'matcher' must be a match function"),
        (None, {"rejects": Path("r.xls")}, "an output of an unknown kind"),
        *((None, {"output": place}, "the output is the input, or one lies in the other") for place in ("in/pairs.parquet", "in", "in/o.parquet")),
        (None, {"output": "none/o.parquet"}, "the folder for the output is absent"),
        (None, {"output": "o.csv"}, "an output of an unknown kind"),
        (None, {"output": "taken"}, "a file is there"),
        (None, {"output": "folder.parquet"}, "a folder is there"),
    ],
)  # fmt: skip
def test_what_is_refused(change: Any, options: dict[str, Any], message: str, write: Write, model: Path, tmp_path: Path) -> None:  # fmt: skip
    """Before any work: nothing is left of it."""
    table = random_pairs(5)
    write(table if change is None else change(table), "in/pairs.parquet")
    (tmp_path / "taken").write_text("mine")
    (tmp_path / "empty.parquet").touch()
    for name in ("folder", "folder.parquet"):
        (tmp_path / name).mkdir()
    source, output = tmp_path / options.pop("source", "in"), tmp_path / options.pop("output", "o.parquet")
    with pytest.raises(DxmatchError, match=message):
        run(source, output, **{"matcher": model} | options)
    assert (tmp_path / "taken").read_text() == "mine" and not list(tmp_path.glob("*.parts"))


TEXTS = [
    "heart attack", "anterior wall infarction", "angina pectoris", "no angina pectoris", "Takayasu arteritis", "vasculitis",
    "large vessel vasculitis", "high blood pressure", "acute vasculitis", "chronic vasculitis", "高血圧", "vasculitsi",
]  # fmt: skip


@pytest.mark.parametrize(("policy", "held"), [("specification", True), ("strict", True), ("narrower-counts", False)])
def test_relations(policy: Any, held: bool, write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As in memory; held : the job holds all texts, else a chunk prepares its own. A policy is part of what a job is."""
    if not held:
        monkeypatch.setattr("dxmatch.jobs.job.MAX_TEXTS", 3)
    table, added = pa.table(list(zip(*product(TEXTS, TEXTS), strict=True)), ["a", "b"]), ["relation", "reasons"]
    m = related(tmp_path, learnt=True, policy=policy, judge_all=False)
    source, output = write(table, group=50), tmp_path / "out"
    done, expected = run(source, output, m, add=added, chunk_rows=17, workers=2), m.score(table, add=added)
    got = pq.read_table(output)
    assert got.equals(expected) and {"relation", "relation_same", "why", "not_understood"} < {*got.column_names}
    assert done.threshold == m.threshold and done.unscored == expected["match"].null_count > 0
    assert got["relation"].null_count == done.unscored and len(set(got["relation"].to_pylist())) > 4
    with pytest.raises(DxmatchError, match=f"another job: policy {policy}, not broader-counts.*restart"):
        run(source, output, m.under("broader-counts"), add=added, chunk_rows=17)
