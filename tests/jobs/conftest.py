"""A model of four cheap features and two small members, and pairs to score with it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import dxmatch
from dxmatch.jobs.job import Summary
from dxmatch.jobs.plan import Plan
from dxmatch.models.ensemble import Sigmoid
from dxmatch.models.folder import ModelFolder, save
from dxmatch.models.manifest import Decision, Made
from dxmatch.terms.text.normalizer import Normalizer
from dxmatch.training.engines.fitted import trees_of

from ..small_model import small_manifest

ROWS, CHUNK = 1000, 100
FEATURES = ("levenshtein", "ratio_unigram", "ratio_bigram", "contrast")
_KINDS = [
    {"name": "levenshtein", "kind": "levenshtein"},
    {"name": "ratio_unigram", "kind": "ratio", "view": "unigram"},
    {"name": "ratio_bigram", "kind": "ratio", "view": "bigram"},
    {"name": "contrast", "kind": "contrast"},
]


def make_model(folder: Path, kinds: list[dict[str, str]], seed: int = 3) -> Path:
    """A model folder with the features `kinds` and two small members."""
    import lightgbm

    random, names = np.random.default_rng(seed), tuple(kind["name"] for kind in kinds)
    table = random.random((600, len(kinds))).astype(np.float32)
    table[random.random(table.shape) < 0.1] = np.nan
    label = (np.nan_to_num(table[:, 0], nan=0.5) - np.nan_to_num(table[:, 1], nan=0.5) < 0.1).astype(int)
    data = lightgbm.Dataset(table, label, feature_name=list(names))
    settings = {"objective": "binary", "num_leaves": 7, "verbosity": -1, "num_threads": 1}
    boosters = [lightgbm.train({**settings, "seed": seed}, data, num_boost_round=20) for seed in (1, 2)]
    manifest = small_manifest(
        names, name=folder.name, feature_set={"name": folder.name, "language": "en", "feature": kinds},
        normalizer=Normalizer("en").spec(), decision=Decision(Sigmoid(1.0, 0.0), 0.5, "half"), made=Made("2025-01-31", "0.1.0", {}),
    )  # fmt: skip
    return save(folder, ModelFolder(manifest, trees_of(boosters)))


@pytest.fixture(scope="session")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Bigrams are missing for names of one word."""
    return make_model(tmp_path_factory.mktemp("model") / "cheap", _KINDS)


def diagnoses(count: int) -> list[str]:
    """Different names of one to four words."""
    first, second = ("acute", "chronic", "left", "type 2", "Severe"), ("renal", "cardiac", "hepatic", "lung", "eye")
    third = ("failure", "abscess", "injury", "tumour", "pain")
    names = [*third, *second, *(f"{a} {b} {c}" for a in first for b in second for c in third)]
    return [f"{name} {number // len(names)}" if number >= len(names) else name for number, name in enumerate((names * (count // len(names) + 1))[:count])]  # fmt: skip


def random_pairs(rows: int, names: int = 100, seed: int = 0) -> pa.Table:
    random = np.random.default_rng(seed)
    pool = np.array(diagnoses(names), object)
    sides = {side: pa.array(pool[random.integers(0, names, rows)], pa.string()) for side in "ab"}
    return pa.table({"id": pa.array(np.arange(rows)), **sides, "note": pa.array([f"n{i % 7}" for i in range(rows)])})


Write = Callable[..., Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Writes pairs as a Parquet file with checksums and returns its path."""

    def write_(table: pa.Table, name: str = "pairs.parquet", group: int = 1000, **options: object) -> Path:
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        pq.write_table(table, path, row_group_size=group, write_page_checksum=True, **options)
        return path

    return write_


@pytest.fixture
def source(write: Write) -> Path:
    return write(random_pairs(ROWS), group=250)


def run(
    source: Path,
    output: Path,
    matcher: Any = None,
    *,
    rejects: Path | None = None,
    a: str = "a",
    b: str = "b",
    add: Sequence[Any] = (),
    **job: Any,
) -> Summary:
    """job : the fields of `dxmatch.Job`."""
    reading = dxmatch.Reading(rejects=rejects)
    return dxmatch.score_files(
        source, output, matcher=matcher, a=a, b=b, add=add, reading=reading, job=dxmatch.Job(**job)
    )


@pytest.fixture
def score(source: Path, model: Path) -> Callable[..., Summary]:
    def score_(name: str = "o.parquet", **options: Any) -> Summary:
        return run(source, source.parent / name, **{"matcher": model, "chunk_rows": CHUNK, "workers": 2} | options)

    return score_


@contextmanager
def at_chunk(number: int | None, before: Callable[[], object] = lambda: None, after: Callable[[Path], object] | None = None) -> Iterator[None]:  # fmt: skip
    """Meanwhile something happens before a chunk (None: each) is scored, or to its part after."""
    write = Plan._write_part

    def writing(plan: Any, chunk: Any, ended: Any) -> Any:
        if number in (chunk.number, None):
            before()
        result = write(plan, chunk, ended)
        if after is not None and chunk.number == number:
            after(plan.part(chunk))
        return result

    with mock.patch.object(Plan, "_write_part", writing):
        yield


def fail(error: BaseException = RuntimeError("no luck")) -> Callable[[], None]:
    def raising() -> None:
        raise error

    return raising


def turn_a_bit(path: Path, at: int = 40) -> None:
    content = bytearray(path.read_bytes())
    content[at] ^= 1
    path.write_bytes(content)
