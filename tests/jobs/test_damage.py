"""Parquet files that were cut or in which bytes were changed: an error that names the file, or the same result."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from dxmatch.errors import InputError
from dxmatch.files.tables import read_table
from dxmatch.jobs.chunk import Scorer
from dxmatch.jobs.plan import Options, plan_job
from dxmatch.jobs.vocabulary import Vocabulary, find_texts
from dxmatch.matcher.match_function import load

from .conftest import Write, random_pairs


def damaged(content: bytes, random: np.random.Generator) -> bytes:
    """Cut, a bit turned anywhere or in the footer, or up to sixteen bytes overwritten."""
    footer = len(content) - 8 - int.from_bytes(content[-8:-4], "little")
    kind, out = random.integers(0, 4), bytearray(content)
    if kind == 0:
        return content[: random.integers(0, len(content))]
    if kind < 3:
        out[random.integers(0 if kind == 1 else footer, len(content))] ^= 1 << random.integers(0, 8)
        return bytes(out)
    at = random.integers(0, len(content))
    out[at : at + 16] = random.bytes(random.integers(1, len(out[at : at + 16]) + 1))
    return bytes(out)


@pytest.mark.parametrize("dictionary", [True, False])
def test_damaged_files(dictionary: bool, write: Write, model: Path, tmp_path: Path) -> None:
    """300 of them, half stored as dictionaries and half as plain strings. A name of a column that is no diagnosis stands
    twice in the footer, its kind only once and without a checksum: the file holds the two diagnoses alone."""
    table = random_pairs(300).select(["a", "b"])
    path = write(table, group=120, use_dictionary=dictionary, data_page_size=600, write_batch_size=50)
    content, m = path.read_bytes(), load(model)
    folder = tmp_path / "parts"
    folder.mkdir()

    def score() -> pa.Table:
        job = plan_job(path, folder, m, model, Options(chunk_rows=120))
        found = find_texts(job, job.chunks, 1)
        assert found.texts is not None
        scorer = Scorer(job, Vocabulary.of(found.texts, m.providers), m)
        for chunk in job.chunks:
            scorer(chunk)
        return pa.concat_tables(pq.read_table(job.part(chunk)) for chunk in job.chunks)

    expected = score()
    assert len(expected) == 300
    random, told, same = np.random.default_rng(int(dictionary)), 0, 0
    for _ in range(150):
        path.write_bytes(damaged(content, random))
        try:
            got = score()
        except InputError as error:
            assert "pairs.parquet" in str(error)
            assert len(str(error)) < 600
            told += 1
        else:
            assert got.equals(expected)
            same += 1
    assert told > 75
    assert same > 5


def test_damage_is_found_in_memory_too(write: Write) -> None:
    table = random_pairs(300)
    path = write(table, group=120)
    content, random, told = path.read_bytes(), np.random.default_rng(5), 0
    for _ in range(150):
        path.write_bytes(damaged(content, random))
        try:
            got = read_table(path).data
        except InputError as error:
            assert "pairs.parquet" in str(error)
            told += 1
        else:
            # A kind of column can change unseen, as the footer has no checksum; no row is lost and no text changes.
            assert len(got) == 300
    assert told > 75


def test_a_file_that_changes_between_the_passes(write: Write, model: Path, tmp_path: Path) -> None:
    path, m = write(random_pairs(300)), load(model)
    job = plan_job(path, tmp_path, m, model, Options())
    found = find_texts(job, job.chunks, 1)
    assert found.texts is not None
    scorer = Scorer(job, Vocabulary.of(found.texts.slice(1), m.providers), m)
    with pytest.raises(
        InputError, match=r"pairs\.parquet: the Parquet file is damaged \(it changed while it was read\)"
    ):
        scorer(job.chunks[0])
