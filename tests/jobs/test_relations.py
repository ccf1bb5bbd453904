"""Relations and policies from Parquet to Parquet: as in memory; a policy is part of what a job is."""

from __future__ import annotations

import pickle
from itertools import product
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import dxmatch
from dxmatch.errors import DxmatchError, ModelError
from dxmatch.features.names import Names
from dxmatch.matcher.policy import POLICIES
from dxmatch.models.folder import save

from ..small_relation import relation_folder
from .conftest import run

TEXTS = [
    "heart attack", "anterior wall infarction", "angina pectoris", "no angina pectoris", "Takayasu arteritis", "vasculitis",
    "large vessel vasculitis", "high blood pressure", "acute vasculitis", "chronic vasculitis", "高血圧", "vasculitsi",
]  # fmt: skip
TABLE = pa.table(dict(zip("ab", map(list, zip(*product(TEXTS, TEXTS), strict=True)), strict=True)))

ADDED = ["relation", "reasons"]


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("model")
    return save(folder / "related", relation_folder(folder, learnt=True))


@pytest.fixture
def source(tmp_path: Path) -> Path:
    pq.write_table(TABLE, tmp_path / "pairs.parquet", row_group_size=50)
    return tmp_path / "pairs.parquet"


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("held", [True, False])
def test_as_in_memory(policy: str, held: bool, source: Path, model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """held : the job holds all texts; else a chunk prepares its own."""
    if not held:
        monkeypatch.setattr("dxmatch.jobs.job.MAX_TEXTS", 3)
    output = source.with_name("out.parquet")
    m = dxmatch.load(model, policy=policy)
    done = run(source, output, m, add=ADDED, chunk_rows=17, workers=2)
    expected = m.score(TABLE, add=ADDED)
    got = pq.read_table(output)
    assert got.equals(expected) and got.column_names == ["a", "b", *m.model.added_columns(ADDED)]
    assert done.threshold == m.threshold and done.unscored == expected["match"].null_count > 0
    assert got["relation"].null_count == done.unscored and len(set(got["relation"].to_pylist())) > 4


def test_what_is_prepared_serves_a_worker_without_encoders(model: Path) -> None:
    """The texts of a job travel to other machines; a model whose features need less than its directions do."""
    m = dxmatch.load(model)
    names = Names.read(TEXTS[:8], m.providers)
    m.model.prepare_relations(names)
    made = set(pickle.loads(pickle.dumps(names))._made)
    assert {("diseases", "shipped"), ("words", "shipped")} <= made and any(key[0] == "icd" for key in made)


def test_another_policy_never_goes_on_with_the_parts_of_the_first(source: Path, model: Path) -> None:
    output = source.with_name("out")
    strict = dxmatch.load(model, policy="strict")
    run(source, output, model, chunk_rows=50)
    with pytest.raises(DxmatchError, match="another job: policy specification, not strict.*restart"):
        run(source, output, strict, chunk_rows=50)
    run(source, output, strict, chunk_rows=50, restart=True)
    expected = strict.score(TABLE)["probability"]
    assert pq.read_table(output)["probability"].equals(expected)


def test_what_a_model_does_not_know_is_refused_before_any_work(source: Path, tmp_path: Path) -> None:
    (tmp_path / "icd").mkdir()
    without = save(tmp_path / "without", relation_folder(tmp_path / "icd", with_relation=False))
    with pytest.raises(ModelError, match="has no relation model"):
        run(source, source.with_name("out.parquet"), without, add=["relation"])
    assert not source.with_name("out.parquet.parts").exists()
