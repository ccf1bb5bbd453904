"""What a job wrote is held against its checksums, and its input against what it was."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

from dxmatch.errors import DxmatchError, InputError
from dxmatch.jobs import chunk as chunk_module
from dxmatch.jobs.job import Summary

from .conftest import ROWS, Write, random_pairs

Score = Callable[..., Summary]


def turned(path: Path, at: int) -> None:
    content = bytearray(path.read_bytes())
    content[at] ^= 1
    path.write_bytes(content)


@pytest.mark.parametrize(
    "change",
    [
        lambda o: turned(o / "part-00003.parquet", 40),
        lambda o: (o / "part-00002.parquet").write_bytes(b""),
        lambda o: (o / "part-00000.parquet").unlink(),
    ],
)
def test_a_finished_folder_that_was_damaged(change: Callable[[Path], Any], score: Score, source: Path) -> None:
    """It is never "there already"; to make it anew gives what was there."""
    folder = source.parent / "o"
    score("o")
    expected = {path.name: path.read_bytes() for path in folder.iterdir()}
    change(folder)
    with pytest.raises(DxmatchError, match="damaged.*the option 'restart'"):
        score("o")
    assert score("o", restart=True).resumed == 0
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == expected
    assert score("o").resumed == 10


@pytest.mark.parametrize(("at", "resumed"), [(40, {5}), (-40, {5, 6})])
def test_a_waiting_part_that_was_damaged(at: int, resumed: set[int], score: Score, source: Path) -> None:
    """In its pages the chunk is scored anew; a footer has no checksum, but what it says is held against the rows."""
    score("whole.parquet")
    with _failing_at(6), pytest.raises(DxmatchError, match="chunk 6 failed"):
        score("o.parquet", workers=1)
    turned(source.parent / "o.parquet.parts" / "part-00002.parquet", at)
    assert score("o.parquet").resumed in resumed
    assert (source.parent / "o.parquet").read_bytes() == (source.parent / "whole.parquet").read_bytes()


@pytest.mark.parametrize("name", ["o.parquet", "o"])
@pytest.mark.parametrize("how", ["rewritten", "replaced", "touched"])
def test_input_that_is_changed_while_it_is_scored(
    how: str, name: str, score: Score, source: Path, write: Write
) -> None:
    """Before the fourth of ten chunks, or after all of them: no result appears, whichever rows were read."""
    before = source.stat()

    def change() -> None:
        if how == "touched":
            os.utime(source, ns=(before.st_mtime_ns, before.st_mtime_ns + 1))
        elif how == "rewritten":
            write(random_pairs(ROWS, seed=9), group=250)
        else:
            other = source.with_suffix(".other")
            other.write_bytes(source.read_bytes())
            other.replace(source)

    with _failing_at(3, change), pytest.raises(InputError, match=r"pairs\.parquet: it was changed or replaced while it was scored"):  # fmt: skip
        score(name, workers=1)
    assert not (source.parent / name).exists()


def _failing_at(number: int, instead: Callable[[], None] | None = None) -> Any:
    write = chunk_module.write_part

    def writing(job: Any, result: Any, *rest: Any) -> Any:
        if result.number == number:
            if instead is None:
                raise RuntimeError
            instead()
        return write(job, result, *rest)

    return mock.patch.object(chunk_module, "write_part", writing)
